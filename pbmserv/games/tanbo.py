"""Tanbo, by Mark Steere (1993), as he published it: roots grow, and those that cannot grow are gone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

from pbmserv.games import boards
from pbmserv.games.board import Board
from pbmserv.games.game import Event, Move, Outcome, Piece, Scene, Seat, two_ranks
from pbmserv.games.groups import EMPTY, group_of, with_stone
from pbmserv.games.info import Credit, Info, Side, chosen
from pbmserv.games.notation import joined, read_move

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, GROWING, ENDING = 1, 2, 6

SIZE: Final = 19
_APART: Final = 6
"""The first stones stand so many points from each other, from edge to edge."""

info = Info(
    name="tanbo",
    title="Tanbo",
    rules="tanbo/1",
    sides=(Side("Black", "x"), Side("White", "o")),
    group="territory",
    credit=Credit("Mark Steere", 1993, "marksteeregames.com"),
    example="g2",
)

_STONES = tuple((Piece(seat, side.mark),) for seat, side in enumerate(info.sides))


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: `stones` has the seat of each point's stone, 2 where there is none.

    `turn` is None when the game is over. `last` is the point played last, `taken` are those of removed roots.
    """

    board: Board
    stones: bytes
    turn: Seat | None = 0
    last: int | None = None
    taken: tuple[int, ...] = ()


def start(seats: int, options: Mapping[str, str]) -> Position:
    """Eight stones for each side, evenly over the board. Raises BadOption, since there are no options."""
    chosen(info, options)
    stones = bytearray([EMPTY]) * SIZE**2
    for column in range(0, SIZE, _APART):
        for row in range(0, SIZE, _APART):
            stones[column * SIZE + row] = 1 - (column + row) // _APART % 2
    return Position(boards.points(SIZE), bytes(stones))


def to_move(position: Position) -> Seat | None:
    """The seat on turn; None when the game is over."""
    return position.turn


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, in the board's order."""
    if position.turn is None or len(begun) > 1:
        return
    for cell in begun or range(len(position.stones)):
        if isinstance(cell, int) and is_open(position.board, position.stones, position.turn, cell):
            yield (cell,)


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a stone placed, and roots removed."""
    seat, board, cell = position.turn, position.board, int(move[0])
    assert seat is not None
    grown = with_stone(position.stones, seat, (cell,))
    gone = _removed(board, grown, cell)
    events = [Event("placed", seat, (cell,))]
    sides = [(owner, tuple(each for each in gone if grown[each] == owner)) for owner in (seat, 1 - seat)]
    events += [Event("captured", owner, taken) for owner, taken in sides if taken]
    stones = with_stone(grown, seat, gone=gone)
    turn = 1 - seat if 0 in stones and 1 in stones else None
    return Position(board, stones, turn, cell, gone), tuple(events)


def outcome(position: Position) -> Outcome | None:
    """How it ended: who has no stones left has lost; None while somebody is to move."""
    if position.turn is not None:
        return None
    return Outcome(two_ranks(0 if 0 in position.stones else 1), "bare")


def write(position: Position, move: Move) -> str:
    """The point: `G2`."""
    return joined(position.board, move)


def read(position: Position, text: str) -> Move:
    """The legal move that `text` means."""
    return read_move(text, position.board, partial(moves, position), partial(_why, position), off=THE_BOARD)


def scene(position: Position) -> Scene:
    """What to draw and say of the position."""
    return Scene(
        position.board,
        tuple([() if seat == EMPTY else _STONES[seat] for seat in position.stones]),
        marked=() if position.last is None else (position.last,),
        captured=position.taken,
    )


def is_open(board: Board, stones: bytes, seat: Seat, cell: int) -> bool:
    """Whether a point is empty and has exactly one stone of a seat beside it."""
    return stones[cell] == EMPTY and [stones[each] for each in board.neighbours[cell]].count(seat) == 1


def _removed(board: Board, stones: bytes, cell: int) -> tuple[int, ...]:
    """The stones to be removed after one was placed: its own root if that cannot grow, or else all that cannot.

    No root is bounded before a move, so only those can be that have a stone near the new one.
    """
    own = group_of(board, stones, cell)
    if _is_bounded(board, stones, own):
        return tuple(sorted(own))
    near = {each for one in _ring(board, cell) for each in (one, *board.neighbours[one])}
    roots = {group_of(board, stones, each) for each in near if stones[each] != EMPTY} - {own}
    return tuple(sorted(each for root in roots if _is_bounded(board, stones, root) for each in root))


def _is_bounded(board: Board, stones: bytes, root: frozenset[int]) -> bool:
    """Whether no point beside a root is open to it."""
    seat = stones[next(iter(root))]
    beside = {each for one in root for each in board.neighbours[one]}
    return not any(is_open(board, stones, seat, each) for each in beside)


@lru_cache(maxsize=SIZE**2)
def _ring(board: Board, cell: int) -> tuple[int, ...]:
    """A point and those beside it."""
    return (cell, *board.neighbours[cell])


def _why(position: Position, _: Move) -> int:
    """The rule that forbids a move."""
    return ENDING if position.turn is None else GROWING
