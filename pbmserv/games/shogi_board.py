"""The pieces of shogi and where they go, whatever becomes of a king."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pbmserv.games.board import Board
from pbmserv.games.boards import DIAGONAL, NE, NW, ORTHOGONAL, SE, SW, E, N, S, W
from pbmserv.games.defaults import EMPTY
from pbmserv.games.game import Move, Piece, Seat
from pbmserv.games.kinds import SHOGI

KINDS: Final = {mark: (drawn, word) for mark, (word, drawn) in zip("KRBGSNLPDHWVUT", SHOGI.items(), strict=True)}
"""By the letter that a position has for a piece: as it is drawn, and its word."""

MARKS: Final = ("".join(KINDS), "".join(KINDS).lower())
"""The letters of the pieces, by seat: small ones are White's."""

IN_HAND: Final = "RBGSNLP"
WORDS: Final = {KINDS[mark][1]: mark for mark in IN_HAND}
"""What can be dropped, by its word."""

PROMOTED: Final = dict(zip("RBSNLP", "DHWVUT", strict=True))
PLAIN: Final = {promoted: plain for plain, promoted in PROMOTED.items()}

_GOLD: Final = (N, NE, NW, E, W, S)
_STEPS: Final = {
    "K": (*ORTHOGONAL, *DIAGONAL),
    "G": _GOLD,
    "S": (N, *DIAGONAL),
    "P": (N,),
    "D": DIAGONAL,
    "H": ORTHOGONAL,
} | dict.fromkeys("WVUT", _GOLD)
_SLIDES: Final = {"R": ORTHOGONAL, "D": ORTHOGONAL, "B": DIAGONAL, "H": DIAGONAL, "L": (N,)}


@dataclass(frozen=True, slots=True)
class Paths:
    """Where the pieces go on a board, by their letter and by cell; and what attacks a king, by its seat."""

    steps: Mapping[str, tuple[tuple[int, ...], ...]]
    slides: Mapping[str, tuple[tuple[tuple[int, ...], ...], ...]]
    leaps: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]
    """From where the other side's knight attacks."""
    near: tuple[tuple[str, ...], tuple[str, ...]]
    """In each direction those that attack from the next cell."""
    far: tuple[tuple[str, ...], tuple[str, ...]]
    """In each direction those that attack from further away."""
    lines: tuple[frozenset[int], ...]
    """The cells in line with each cell."""


@lru_cache(maxsize=4)
def paths_of(board: Board) -> Paths:
    """Where the pieces go on a board."""
    steps, slides = {}, {}
    for seat, turn in ((0, 0), (1, 4)):
        for kind, ways in _STEPS.items():
            found = [[rays[(way + turn) % 8][:1] for way in ways] for rays in board.rays]
            steps[_mark(kind, seat)] = tuple(tuple(ray[0] for ray in each if ray) for each in found)
        for kind, ways in _SLIDES.items():
            far = [[rays[(way + turn) % 8] for way in ways] for rays in board.rays]
            slides[_mark(kind, seat)] = tuple(tuple(ray for ray in each if ray) for each in far)
        steps[_mark("N", seat)] = _leaps(board, seat)
    return Paths(
        steps,
        slides,
        (_leaps(board, 0), _leaps(board, 1)),
        (_attackers(0, is_near=True), _attackers(1, is_near=True)),
        (_attackers(0, is_near=False), _attackers(1, is_near=False)),
        tuple(frozenset(cell for ray in rays for cell in ray) for rays in board.rays),
    )


def _mark(kind: str, seat: Seat) -> str:
    return kind if seat == 0 else kind.lower()


def _leaps(board: Board, seat: Seat) -> tuple[tuple[int, ...], ...]:
    """Where the knight of a seat goes: one cell ahead, and from there diagonally ahead."""
    ahead, aside = (N, (NW, NE)) if seat == 0 else (S, (SW, SE))
    return tuple(
        tuple(board.rays[rays[ahead][0]][way][0] for way in aside if board.rays[rays[ahead][0]][way])
        if rays[ahead]
        else ()
        for rays in board.rays
    )


def _attackers(seat: Seat, is_near: bool) -> tuple[str, ...]:
    """For each direction from a king of a seat the other side's pieces that attack from there."""
    turn = 0 if seat == 1 else 4  # as seen from the piece, which goes the other way
    found = []
    for way in range(8):
        back = (way + 4 + turn) % 8
        kinds = [kind for kind, ways in _SLIDES.items() if back in ways]
        kinds += [kind for kind, ways in _STEPS.items() if is_near and back in ways]
        found.append("".join(_mark(kind, 1 - seat) for kind in kinds))
    return tuple(found)


def targets(paths: Paths, cells: str, seat: Seat, source: int, guards: bool = False) -> Iterator[int]:
    """Where the piece on a cell may go, whatever becomes of its king; also the own pieces that it `guards`."""
    mark, own = cells[source], "" if guards else MARKS[seat]
    if mark in paths.steps:
        for target in paths.steps[mark][source]:
            if cells[target] not in own:
                yield target
    if mark in paths.slides:
        for line in paths.slides[mark][source]:
            for target in line:
                if cells[target] == EMPTY:
                    yield target
                    continue
                if cells[target] not in own:
                    yield target
                break


def attackers(board: Board, cells: str, seat: Seat) -> list[tuple[int, ...]]:
    """For each piece that attacks the king of a seat the cells from the king up to it, as far as it needs them.

    Of a knight that is its own cell alone.
    """
    paths = paths_of(board)
    home = cells.find(MARKS[seat][0])
    found = []
    for way, ray in enumerate(board.rays[home]):
        for count, cell in enumerate(ray):
            mark = cells[cell]
            if mark != EMPTY:
                if mark in (paths.far if count else paths.near)[seat][way]:
                    found.append(ray[: count + 1])
                break
    knight = _mark("N", 1 - seat)
    found += [(cell,) for cell in paths.leaps[seat][home] if cells[cell] == knight]
    return found


PROMOTE, STAY = "promote", "stay"

PIECES: Final = {
    mark: Piece(seat, KINDS[kind][0] if seat == 0 else KINDS[kind][0].lower(), f"shogi/{KINDS[kind][1]}")
    for seat in (0, 1)
    for kind, mark in zip(KINDS, MARKS[seat], strict=True)
}
"""By the letter that a position has for a piece."""


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: for each cell the letter of its piece, small for White, or a dot.

    `hands` are the pieces that each side has captured, as capital letters. `seen` are the boards and hands before
    this one. `last` is the last ply.
    """

    board: Board
    cells: str
    hands: tuple[str, str] = ("", "")
    turn: Seat = 0
    seen: tuple[str, ...] = ()
    last: Move = ()
    taken: tuple[int, ...] = ()
    """Where it captured."""

    @property
    def now(self) -> str:
        """The board and the hands."""
        return f"{self.cells} {self.hands[0]} {self.hands[1]}"


def after(position: Position, move: Move) -> tuple[str, tuple[str, str]]:
    """The board and the hands after a move."""
    cells, hands, seat, target = list(position.cells), list(position.hands), position.turn, target_of(move)
    if isinstance(move[0], str):
        mark = WORDS[move[0]]
        hands[seat] = hands[seat].replace(mark, "", 1)
        cells[target] = mark if seat == 0 else mark.lower()
        return "".join(cells), (hands[0], hands[1])
    mark, taken = cells[move[0]], cells[target].upper()
    if taken != EMPTY:
        plain = PLAIN.get(taken, taken)
        hands[seat] = "".join(sorted(hands[seat] + plain, key=IN_HAND.find))
    if move[-1] == PROMOTE:
        promoted = PROMOTED[mark.upper()]
        mark = promoted if seat == 0 else promoted.lower()
    cells[target], cells[move[0]] = mark, EMPTY
    return "".join(cells), (hands[0], hands[1])


def is_attacked(board: Board, cells: str, seat: Seat) -> bool:
    """Whether the king of a seat is in check; `cells` may have the hands behind them."""
    return bool(attackers(board, cells, seat))


def target_of(move: Move) -> int:
    """The cell where a move, or enough of it, ends."""
    return int(move[1])
