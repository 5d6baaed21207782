"""Chess, from any of the 960 first positions of Chess960 or with three checks, and its kin."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from pbmserv.games.chess_family import CHECKS_TO_WIN, STANDARD, Chess, Position
from pbmserv.games.chess_moves import (
    AROUND,
    CAMPS,
    EMPTY,
    KINDS,
    LETTERS,
    SIZE,
    Cells,
    Situation,
    dangers,
    is_attacked,
    pairs,
)
from pbmserv.games.chess_notation import DIALECT, DIALECT_OF_DROPS
from pbmserv.games.chess_pieces import can_be_rid, can_blow_up
from pbmserv.games.chess_plies import Ply, castling, in_passing, kind_of
from pbmserv.games.game import Event, Move, Outcome, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Option, Side

MOST_PLIES: Final = 500
"""After so many a game of crazyhouse is a draw: nothing else needs to come to an end there."""

_SIDES: Final = (Side("White", "K"), Side("Black", "k"))
_WORDS: Final = ("queen", "rook", "bishop", "knight")
_IN_HAND: Final = KINDS[:-1]


class Antichess(Chess):
    """Whoever has no pieces left, or cannot move, has won; who can capture must."""

    def opened(self, at: Situation) -> Situation:
        """Nobody may castle."""
        return at._replace(rights=())

    def find(self, at: Situation) -> Iterator[Move]:
        """Captures where there are any."""
        every = list(pairs(at.cells, at.turn))
        takes = [pair for pair in every if at.cells[pair[1]] != EMPTY] + in_passing(at)
        return self.whole(at, takes or every)

    def is_safe(self, at: Situation, pair: tuple[int, int]) -> bool:
        """Nothing is forbidden for the sake of a king."""
        return True

    def is_check(self, at: Situation) -> bool:
        """There is no check."""
        return False

    def blocked(self, at: Situation) -> Outcome:
        """How it ended when the seat on turn has no legal move."""
        is_out = not CAMPS[at.turn].marks.intersection(at.cells)
        return Outcome(two_ranks(at.turn), "goal" if is_out else "stalemate")

    def has_enough(self, at: Situation, seat: Seat) -> bool:
        """Whether a seat could get rid of its pieces."""
        return can_be_rid(at, seat)


class Atomic(Chess):
    """A capture blows up all around it but pawns; whoever blows up the other king has won."""

    def find(self, at: Situation) -> Iterator[Move]:
        """Moves that leave the own king whole, and unattacked unless the other one is blown up."""
        king = CAMPS[at.turn].king
        for pair in (*pairs(at.cells, at.turn), *in_passing(at)):
            takes = at.cells[pair[1]] != EMPTY
            if not (takes and at.cells[pair[0]] == king) and self.is_safe(at, pair):
                yield from self.whole(at, [pair])
        yield from castling(at, self.is_safe_for_king)

    def is_safe(self, at: Situation, pair: tuple[int, int]) -> bool:
        """Whether the own king stays, and is unattacked unless the other one is gone."""
        cells = self.carry_out(at, pair).cells
        king, other = cells.find(CAMPS[at.turn].king), cells.find(CAMPS[1 - at.turn].king)
        return king >= 0 and (other < 0 or self.is_safe_for_king(cells, king, at.turn))

    def is_safe_for_king(self, cells: Cells, cell: int, seat: Seat) -> bool:
        """Whether a king would be unattacked, as it is beside the other king, which would be blown up with it."""
        other = CAMPS[1 - seat].king
        return any(cells[each] == other for each in AROUND[cell]) or not is_attacked(
            cells, cell, 1 - seat, with_king=False
        )

    def carry_out(self, at: Situation, move: Move) -> Ply:
        """What a move does; a piece that captures is blown up, too."""
        ply = super().carry_out(at, move)
        if not ply.taken:
            return ply
        cells, centre, pawns = ply.cells, ply.touched[0], b"Pp"
        gone = [centre, *(each for each in AROUND[centre] if cells[each] != EMPTY and cells[each] not in pawns)]
        events = [event for event in ply.events if event.kind != "promoted"]
        for cell in gone:
            mark = at.cells[int(move[0])] if cell == centre else cells[cell]
            owner = 0 if mark in CAMPS[0].marks else 1
            events.append(Event("captured", owner, (cell,), kind_of(mark)))
            cells[cell] = EMPTY
        return replace(ply, taken=tuple(dict.fromkeys((*ply.taken, *gone))), events=tuple(events))

    def ended(self, position: Position) -> Outcome | None:
        """How it ended: first of all, whether a king is gone."""
        at = position.at
        if CAMPS[at.turn].king not in at.cells:
            return Outcome(two_ranks(1 - at.turn), "king")
        return super().ended(position)

    def has_enough(self, at: Situation, seat: Seat) -> bool:
        """Whether a seat could blow up the other king, or mate it."""
        return can_blow_up(at, seat)


class Crazyhouse(Chess):
    """What a player captures may be dropped on an empty cell later."""

    def opened(self, at: Situation) -> Situation:
        """Nobody has a piece in hand."""
        return at._replace(hands=((0,) * len(_IN_HAND),) * 2)

    def find(self, at: Situation) -> Iterator[Move]:
        """The moves of chess, and drops that leave the own king unattacked."""
        yield from super().find(at)
        if not any(at.hands[at.turn]):
            return
        attacks, _ = dangers(at.cells, at.turn, at.cells.index(CAMPS[at.turn].king))
        stops = attacks[0] if attacks else range(len(at.cells))
        free = [cell for cell in stops if at.cells[cell] == EMPTY] if len(attacks) < 2 else []
        for kind, count in zip(_IN_HAND, at.hands[at.turn], strict=True):
            if count:
                yield from [(kind, cell) for cell in free if kind != "pawn" or 0 < cell % SIZE < SIZE - 1]

    def carry_out(self, at: Situation, move: Move) -> Ply:
        """What a move or a drop does."""
        if isinstance(move[0], int):
            return super().carry_out(at, move)
        cells, cell = bytearray(at.cells), int(move[1])
        cells[cell] = ord(LETTERS[at.turn][KINDS.index(move[0])])
        return Ply(cells, (cell,), events=(Event("placed", at.turn, (cell,), move[0]),))

    def situation(self, at: Situation, ply: Ply, move: Move) -> Situation:
        """What a ply leads to: what was captured is in hand, what was dropped no longer."""
        hand, promoted = list(at.hands[at.turn]), set(at.promoted)
        if isinstance(move[0], str):
            hand[KINDS.index(move[0])] -= 1
        for cell in ply.taken:
            hand[0 if cell in promoted else KINDS.index(kind_of(at.cells[cell]))] += 1
            promoted.discard(cell)
        if move[2:] or move[0] in promoted:
            promoted.discard(int(move[0]))
            promoted.add(int(move[1]))
        hands = (tuple(hand), at.hands[1]) if at.turn == 0 else (at.hands[0], tuple(hand))
        return super().situation(at, ply, move)._replace(hands=hands, promoted=frozenset(promoted))

    def ended(self, position: Position) -> Outcome | None:
        """How it ended: after very many plies as a draw."""
        ended = super().ended(position)
        if ended is None and len(position.seen) >= MOST_PLIES:
            return Outcome(two_ranks(None), "exhausted")
        return ended

    def has_enough(self, at: Situation, seat: Seat) -> bool:
        """Every piece may come back."""
        return True


def _info(rules: str, title: str, example: str, words: tuple[str, ...], dialect: str = DIALECT) -> Info:
    name, credit = rules.partition("/")[0], Credit("traditional", 0)
    return Info(name, title, rules, _SIDES, credit, example, words=words, dialect=dialect, group="chess")


chess = Chess(
    Info(
        name="chess",
        title="Chess",
        rules="chess/2",
        sides=_SIDES,
        group="chess",
        credit=Credit("traditional", 0),
        example="e2-e4",
        options=(
            Option("checks", "off", ("off", str(CHECKS_TO_WIN)), measure="checks"),
            Option("setup", STANDARD, (STANDARD,), numbers=range(960), measure="setup"),
        ),
        words=_WORDS,
        dialect=DIALECT,
    )
)
antichess = Antichess(
    _info("antichess/2", "Antichess", "e2-e3", (*_WORDS, "king")),
    promotions=(*_WORDS, "king"),
)
atomic = Atomic(_info("atomic/2", "Atomic Chess", "g1-f3", _WORDS))
crazyhouse = Crazyhouse(_info("crazyhouse/1", "Crazyhouse", "e2-e4", (*_WORDS, "pawn"), DIALECT_OF_DROPS))

games = (chess, antichess, atomic, crazyhouse)
