"""Tanbo, by Mark Steere (1993), as he published it: roots grow, and those that cannot grow are gone."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from pbmserv.games import boards, defaults, stones
from pbmserv.games.board import Board
from pbmserv.games.game import Event, Move, Outcome, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Side, chosen
from pbmserv.games.stones import EMPTY, Position, group_of, placements, with_stone

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, GROWING, ENDING = 1, 2, 6

SIZE: Final = 19
_APART: Final = 6
"""Points from one of the first stones to the next, from edge to edge."""

info = Info(
    name="tanbo",
    title="Tanbo",
    rules="tanbo/1",
    sides=(Side("Black", "x"), Side("White", "o")),
    group="territory",
    credit=Credit("Mark Steere", 1993, "marksteeregames.com"),
    example="g2",
)


def start(seats: int, options: Mapping[str, str]) -> Position:
    """Eight stones for each side, evenly over the board. Raises BadOption, since there are no options."""
    chosen(info, options)
    stones = bytearray([EMPTY]) * SIZE**2
    for column in range(0, SIZE, _APART):
        for row in range(0, SIZE, _APART):
            stones[column * SIZE + row] = 1 - (column + row) // _APART % 2
    return Position(boards.points(SIZE), bytes(stones))


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, in the board's order."""
    board, stones, turn = position.board, position.stones, position.turn or 0
    return placements(position, begun, lambda cell: is_open(board, stones, turn, cell))


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
    return Position(board, stones, turn, (cell,), gone), tuple(events)


def outcome(position: Position) -> Outcome | None:
    """How it ended: who has no stones left has lost; None while somebody is to move."""
    if position.turn is not None:
        return None
    return Outcome(two_ranks(0 if 0 in position.stones else 1), "bare")


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


def _why(_: Position, __: Move) -> int:
    """The rule that forbids a move."""
    return GROWING


to_move = defaults.turn_of
read, write = defaults.reader(info, moves, _why, ENDING), defaults.hyphenated
scene = stones.drawer(info)
