"""Clobber, by Michael Albert, J. P. Grossman, Richard Nowakowski and David Wolfe (2001): capture, or lose."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from pbmserv.games import boards
from pbmserv.games.board import Board
from pbmserv.games.game import Event, Move, Outcome, Piece, Scene, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import joined, read_move, starting

EMPTY = "."

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, OWN_STONE, MOVING, ENDING = 1, 2, 3, 4

info = Info(
    name="clobber",
    title="Clobber",
    rules="clobber/1",
    sides=(Side("White", "o"), Side("Black", "x")),
    group="blocking",
    credit=Credit("Michael Albert, J. P. Grossman, Richard Nowakowski and David Wolfe", 2001),
    example="c3-c4",
    options=(Option("size", "6x5", ("6x5", "8x8", "10x10"), measure="squares"),),
)

_MARKS = tuple(side.mark for side in info.sides)
_CELLS = {EMPTY: ()} | {mark: (Piece(seat, mark),) for seat, mark in enumerate(_MARKS)}


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: for each cell the mark of its stone, or a dot. `last` is the last ply."""

    board: Board
    cells: str
    turn: Seat = 0
    last: Move = ()


def start(seats: int, options: Mapping[str, str]) -> Position:
    """A full board, on which the colours alternate. Raises BadOption for anything but a `size` from `info`."""
    columns, rows = map(int, chosen(info, options)["size"].split("x"))
    cells = [_MARKS[(column + row) % 2] for column in range(columns) for row in range(rows)]
    return Position(boards.squares(columns, rows, is_chequered=True), "".join(cells))


def to_move(position: Position) -> Seat | None:
    """The seat on turn; None when the game is over."""
    return None if next(_moves(position), None) is None else position.turn


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, by the stone moved."""
    return starting(_moves(position), begun)


def read(position: Position, text: str) -> Move:
    """The legal move that `text` means."""
    return read_move(text, position.board, partial(moves, position), partial(_why, position))


def write(position: Position, move: Move) -> str:
    """The notation of a legal move: `C3-C4`."""
    return joined(position.board, move)


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a stone moved, and one captured."""
    seat, (source, target) = position.turn, (int(step) for step in move)
    cells = list(position.cells)
    cells[source], cells[target] = EMPTY, _MARKS[seat]
    events = (Event("moved", seat, (source, target)), Event("captured", 1 - seat, (target,)))
    return Position(position.board, "".join(cells), 1 - seat, move), events


def outcome(position: Position) -> Outcome | None:
    """How it ended: whoever cannot move has lost; None while somebody is to move."""
    return Outcome(two_ranks(1 - position.turn), "blocked") if to_move(position) is None else None


def scene(position: Position) -> Scene:
    """What to draw and say of the position."""
    steps = tuple(int(step) for step in position.last)
    return Scene(
        position.board,
        tuple(_CELLS[mark] for mark in position.cells),
        marked=steps[1:],
        vacated=steps[:1],
        captured=steps[1:],
    )


def _moves(position: Position) -> Iterator[Move]:
    cells, own, other = position.cells, _MARKS[position.turn], _MARKS[1 - position.turn]
    source = cells.find(own)
    while source >= 0:
        for target in position.board.neighbours[source]:
            if cells[target] == other:
                yield (source, target)
        source = cells.find(own, source + 1)


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    if to_move(position) is None:
        return ENDING
    return MOVING if position.cells[int(steps[0])] == _MARKS[position.turn] else OWN_STONE
