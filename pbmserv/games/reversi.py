"""Reversi, by Lewis Waterman and John Mollett (1883), in the form in which it is played today: with four discs set
up in the middle, and turns that are passed when nothing can be turned.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from pbmserv.games import boards
from pbmserv.games.board import Board
from pbmserv.games.game import Event, Move, Outcome, Piece, Scene, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import joined, read_move

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, PLACING, TURNING, ENDING = 1, 3, 4, 7

_EMPTY: Final = 2

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

_DISCS = tuple((Piece(seat, side.mark),) for seat, side in enumerate(info.sides))


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: `discs` has the seat of each square's disc, 2 where there is none.

    `turn` is None when the game is over. `last` is the square played last, then those that it turned.
    """

    board: Board
    discs: bytes
    turn: Seat | None = 0
    last: tuple[int, ...] = ()


def start(seats: int, options: Mapping[str, str]) -> Position:
    """The board with four discs in the middle. Raises BadOption for anything but a `size` from `info`."""
    size = int(chosen(info, options)["size"])
    low, high = size // 2 - 1, size // 2
    discs = bytearray([_EMPTY] * size**2)
    discs[low * size + high] = discs[high * size + low] = 0
    discs[low * size + low] = discs[high * size + high] = 1
    return Position(boards.squares(size, size), bytes(discs))


def to_move(position: Position) -> Seat | None:
    """The seat on turn; None when the game is over."""
    return position.turn


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, in the board's order."""
    if position.turn is not None and len(begun) < 2:
        for cell in begun or range(len(position.discs)):
            if isinstance(cell, int) and _turned(position.board, position.discs, position.turn, cell):
                yield (cell,)


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a disc placed, others turned, perhaps a turn passed."""
    cell, seat, board = int(move[0]), position.turn, position.board
    assert seat is not None
    turned = _turned(board, position.discs, seat, cell)
    discs = bytearray(position.discs)
    for each in (cell, *turned):
        discs[each] = seat
    events = [Event("placed", seat, (cell,)), Event("turned", seat, turned)]
    turn: Seat | None = 1 - seat
    if not _can_move(board, discs, 1 - seat):
        turn = seat if _can_move(board, discs, seat) else None
        if turn is not None:
            events.append(Event("passed", 1 - seat))
    return Position(board, bytes(discs), turn, (cell, *turned)), tuple(events)


def outcome(position: Position) -> Outcome | None:
    """How it ended; None while somebody is to move. Scores are discs on the board."""
    if position.turn is not None:
        return None
    black, white = points = scores(position)
    winner = None if black == white else int(white > black)
    return Outcome(two_ranks(winner), "draw" if winner is None else "score", points)


def scores(position: Position) -> tuple[int, ...]:
    """The discs of each seat on the board."""
    return position.discs.count(0), position.discs.count(1)


def write(position: Position, move: Move) -> str:
    """The square played: `D3`."""
    return joined(position.board, move)


def read(position: Position, text: str) -> Move:
    """The legal move that `text` means."""
    return read_move(text, position.board, partial(moves, position), partial(_why, position), off=THE_BOARD)


def scene(position: Position) -> Scene:
    """What to draw and say of the position."""
    return Scene(
        position.board,
        tuple([() if seat == _EMPTY else _DISCS[seat] for seat in position.discs]),
        marked=position.last[:1],
        captured=position.last[1:],
        scores=scores(position),
    )


def _turned(board: Board, discs: bytes | bytearray, seat: Seat, cell: int) -> tuple[int, ...]:
    """The discs that one of `seat` would turn on a square, in the board's order: none where it may not go."""
    if discs[cell] != _EMPTY:
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


def _can_move(board: Board, discs: bytes | bytearray, seat: Seat) -> bool:
    return any(_turned(board, discs, seat, cell) for cell in range(len(discs)))


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    if position.turn is None:
        return ENDING
    return PLACING if len(steps) > 1 or position.discs[int(steps[0])] != _EMPTY else TURNING
