"""Catchup, by Nick Bentley (2010): the largest group wins, and who falls behind may place a stone more."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations
from typing import Final

from pbmserv.games import defaults, stones
from pbmserv.games.board import Board
from pbmserv.games.game import Event, Move, Outcome, Seat, two_ranks
from pbmserv.games.hexagons import hexagon
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import joined, read_move
from pbmserv.games.stones import EMPTY, groups_of, no_stones, with_stone

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, PLACING, COUNTING, ENDING = 1, 2, 4, 5

_USUALLY: Final = 2
_BEHIND: Final = 3

info = Info(
    name="catchup",
    title="Catchup",
    rules="catchup/1",
    sides=(Side("White", "o"), Side("Black", "x")),
    group="territory",
    credit=Credit("Nick Bentley", 2010),
    example="e5",
    options=(Option("size", "5", ("5", "4", "6", "7"), measure="cells a side"),),
)


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: `stones` has the seat of each cell's stone, 2 where there is none.

    `most` are the stones that may be placed now, 0 when the game is over. `last` are the cells of the last ply.
    """

    board: Board
    stones: bytes
    turn: Seat = 0
    most: int = 1
    last: tuple[int, ...] = ()


def start(seats: int, options: Mapping[str, str]) -> Position:
    """The empty board. Raises BadOption for anything but a `size` from `info`."""
    board = hexagon(int(chosen(info, options)["size"]))
    return Position(board, no_stones(board))


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, few stones first; stones may be touched in any order."""
    free = [cell for cell, owner in enumerate(position.stones) if owner == EMPTY]
    if len(set(begun)) < len(begun) or not all(step in free for step in begun):
        return
    others = [cell for cell in free if cell not in begun]
    for count in range(0 if begun else 1, position.most - len(begun) + 1):
        for more in combinations(others, count):
            yield (*begun, *more)


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: stones placed."""
    seat, board = position.turn, position.board
    cells = tuple(sorted(map(int, move)))
    stones = with_stone(position.stones, seat, cells)
    events = tuple(Event("placed", seat, (cell,)) for cell in cells)
    before, own, other = (
        _largest(board, position.stones, seat),
        _largest(board, stones, seat),
        _largest(board, stones, 1 - seat),
    )
    # A first stone is no group that grows.
    is_ahead = own > max(before, 1) and own >= other
    most = min(stones.count(EMPTY), _BEHIND if is_ahead else _USUALLY)
    return Position(board, stones, 1 - seat, most, cells), events


def outcome(position: Position) -> Outcome | None:
    """How it ended; None while somebody is to move. Scores are the sizes of the largest groups that differ."""
    if position.most:
        return None
    first, second = (sorted(_sizes(position.board, position.stones, seat), reverse=True) for seat in (0, 1))
    winner = None if first == second else 0 if first > second else 1
    points = scores(position)
    return Outcome(two_ranks(winner), "score" if points[0] != points[1] else "goal", points)


def scores(position: Position) -> tuple[int, ...]:
    """How large the largest group of each seat is."""
    return tuple(_largest(position.board, position.stones, seat) for seat in (0, 1))


def write(position: Position, move: Move) -> str:
    """The cells in the board's order: `C3`, `C3,D4`."""
    return joined(position.board, tuple(sorted(map(int, move))), ",")


def read(position: Position, text: str) -> Move:
    """The legal move that `text` means."""
    found, why = partial(moves, position), partial(_why, position)
    return tuple(sorted(map(int, read_move(text, position.board, found, why, off=THE_BOARD))))


@lru_cache(maxsize=2**10)
def _sizes(board: Board, stones: bytes, seat: Seat) -> tuple[int, ...]:
    return tuple(len(group) for group in groups_of(board, stones, seat))


def _largest(board: Board, stones: bytes, seat: Seat) -> int:
    return max(_sizes(board, stones, seat), default=0)


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    if not position.most:
        return ENDING
    is_free = len(set(steps)) == len(steps) and all(position.stones[int(step)] == EMPTY for step in steps)
    return COUNTING if is_free else PLACING


to_move = defaults.mover(moves)
scene = stones.drawer(info, scores)
