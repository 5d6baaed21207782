"""The pieces of chess: how they are drawn, and what could still be won with those that there are."""

from typing import Final

from pbmserv.games.chess_moves import BOARD, EMPTY, KINDS, LETTERS, SIZE, Situation
from pbmserv.games.game import Piece, Scene, Seat

Touched = tuple[int, ...]

_CELLS: Final = {EMPTY: ()} | {
    ord(mark): (Piece(seat, mark, f"chess/{kind}"),)
    for seat, marks in enumerate(LETTERS)
    for kind, mark in zip(KINDS, marks, strict=True)
}


def scene_of(at: Situation, marked: Touched, vacated: Touched, captured: Touched, attacked: Touched) -> Scene:
    """What to draw and say of a situation, and of the cells that the last ply touched."""
    return Scene(
        BOARD,
        tuple([_CELLS[mark] for mark in at.cells]),
        marked=marked,
        vacated=vacated,
        captured=captured,
        hands=tuple(_in_hand(seat, hand) for seat, hand in enumerate(at.hands)),
        attacked=attacked,
    )


def _in_hand(seat: Seat, hand: tuple[int, ...]) -> tuple[tuple[Piece, int], ...]:
    found = zip(LETTERS[seat], KINDS, hand, strict=False)
    return tuple((Piece(seat, mark, f"chess/{kind}"), count) for mark, kind, count in found if count)


def pieces_of(at: Situation, seat: Seat) -> list[str]:
    """The kinds of a seat's pieces without its king, each as often as there is one."""
    marks = zip(KINDS[:-1], LETTERS[seat].encode(), strict=False)
    return [kind for kind, mark in marks for _ in range(at.cells.count(mark))]


def shades_of(at: Situation, seat: Seat) -> set[int]:
    """On squares of which colours the bishops and knights of a seat stand: 0 for that of A1, 1."""
    marks = LETTERS[seat].encode()[1:3]
    return {sum(divmod(cell, SIZE)) % 2 for cell, mark in enumerate(at.cells) if mark in marks}


def can_mate(at: Situation, seat: Seat) -> bool:
    """Whether a seat has the pieces to mate, or to give check where that wins.

    A knight alone needs a piece that stands in its king's way, other than a queen; bishops of one colour need
    a pawn, a knight or a bishop of the other colour.
    """
    own, other = pieces_of(at, seat), pieces_of(at, 1 - seat)
    if at.checks or not own:
        return bool(own)
    if own == ["knight"]:
        return not {*other} <= {"queen"}
    if {*own} == {"bishop"}:
        shades = shades_of(at, seat) | shades_of(at, 1 - seat)
        return len(shades) == 2 or not {"pawn", "knight"}.isdisjoint(other)
    return True


def can_blow_up(at: Situation, seat: Seat) -> bool:
    """Whether in atomic chess a king could be blown up with a piece of its own, or mated when it is alone."""
    own, other = pieces_of(at, seat), pieces_of(at, 1 - seat)
    is_one_shade = {*own} == {"bishop"} and len(shades_of(at, seat)) == 1
    if other:
        never_meet = is_one_shade and other == ["bishop"] and shades_of(at, seat) != shades_of(at, 1 - seat)
        return bool(own) and not never_meet
    is_little = len(own) < 2 or own == ["knight"] * 2 or is_one_shade
    return not is_little or not {"queen", "pawn"}.isdisjoint(own)


def can_be_rid(at: Situation, seat: Seat) -> bool:
    """Whether in antichess pieces may be given away: not to bishops that never meet, and of two knights one."""
    if not {*b"Kk"}.isdisjoint(at.cells):
        return True
    own, other = pieces_of(at, seat), pieces_of(at, 1 - seat)
    if {*own, *other} == {"bishop"}:
        return bool(shades_of(at, seat) & shades_of(at, 1 - seat))
    if own == other == ["knight"]:
        return (shades_of(at, seat) == shades_of(at, 1 - seat)) == (seat == at.turn)
    return True
