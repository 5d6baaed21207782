"""Reversi, by Lewis Waterman and John Mollett (1883), in the form in which it is played today: with four discs set
up in the middle, and turns that are passed when nothing can be turned.
"""

from collections.abc import Iterable, Mapping
from functools import partial

from pbmserv.games import boards, defaults, stones
from pbmserv.games.board import Board
from pbmserv.games.defaults import by_points, next_turn
from pbmserv.games.game import Event, Move, Outcome, Seat
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.stones import EMPTY, Position, placements, with_stone

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, PLACING, TURNING, ENDING = 1, 3, 4, 7

info = Info(
    name="reversi",
    title="Reversi",
    rules="reversi/1",
    sides=(Side("Black", "x"), Side("White", "o")),
    group="territory",
    credit=Credit("Lewis Waterman and John Mollett", 1883),
    example="d3",
    options=(Option("size", "8", ("6", "8", "10"), measure="squares"),),
)


def start(seats: int, options: Mapping[str, str]) -> Position:
    """The board with four discs in the middle. Raises BadOption for anything but a `size` from `info`."""
    size = int(chosen(info, options)["size"])
    low, high = size // 2 - 1, size // 2
    discs = bytearray([EMPTY] * size**2)
    discs[low * size + high] = discs[high * size + low] = 0
    discs[low * size + low] = discs[high * size + high] = 1
    return Position(boards.squares(size, size), bytes(discs))


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, in the board's order."""
    board, discs = position.board, position.stones
    return placements(position, begun, lambda cell: _turned(board, discs, position.turn or 0, cell))


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a disc placed, others turned, perhaps a turn passed."""
    cell, seat, board = int(move[0]), position.turn, position.board
    assert seat is not None
    turned = _turned(board, position.stones, seat, cell)
    discs = with_stone(position.stones, seat, (cell, *turned))
    turn, passed = next_turn(seat, partial(_can_move, board, discs))
    events = (Event("placed", seat, (cell,)), Event("turned", seat, turned), *passed)
    return Position(board, discs, turn, (cell,), turned), events


def outcome(position: Position) -> Outcome | None:
    """How it ended; None while somebody is to move. Scores are discs on the board."""
    return by_points(scores(position)) if position.turn is None else None


def scores(position: Position) -> tuple[int, ...]:
    """The discs of each seat on the board."""
    return position.stones.count(0), position.stones.count(1)


def _turned(board: Board, discs: bytes, seat: Seat, cell: int) -> tuple[int, ...]:
    """The discs that one of `seat` would turn on a square, in the board's order: none where it may not go."""
    if discs[cell] != EMPTY:
        return ()
    found: list[int] = []
    for ray in board.rays[cell]:
        if len(ray) < 2 or discs[ray[0]] != 1 - seat:
            continue
        for count, each in enumerate(ray):
            if discs[each] != 1 - seat:
                if discs[each] == seat:
                    found += ray[:count]
                break
    return tuple(sorted(found))


def _can_move(board: Board, discs: bytes, seat: Seat) -> bool:
    return any(_turned(board, discs, seat, cell) for cell in range(len(discs)))


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    return PLACING if len(steps) > 1 or position.stones[int(steps[0])] != EMPTY else TURNING


to_move = defaults.turn_of
read, write = defaults.reader(info, moves, _why, ENDING), defaults.hyphenated
scene = stones.drawer(info, scores)
