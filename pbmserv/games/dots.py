"""Dots and boxes, by Edouard Lucas (1889): who draws the fourth line around a box owns it, and draws another.

The board is a grid in which every second place of every second row is a dot. The other places are cells: lines to
be drawn, and boxes between them. So each line has a name of a letter and a number, as squares have.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from string import ascii_uppercase
from typing import Final

from pbmserv.games import defaults
from pbmserv.games.board import Board, Layout, Row, Sheet
from pbmserv.games.boards import MARGIN, made
from pbmserv.games.defaults import by_points
from pbmserv.games.game import Event, Illegal, Move, Outcome, Piece, Scene, Seat
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import names, read_move

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, DRAWING, ENDING = 1, 2, 5

EMPTY, DRAWN = 2, 3
"""Of a cell: a line that is not drawn, or a box that is nobody's; and a line that is drawn."""

info = Info(
    name="dots-and-boxes",
    title="Dots and Boxes",
    rules="dots-and-boxes/1",
    sides=(Side("Red", "x"), Side("Blue", "o")),
    credit=Credit("Edouard Lucas", 1889),
    example="e4",
    options=(Option("size", "5", ("3", "4", "5", "6"), measure="boxes"),),
    group="territory",
)

_WAYS: Final = ((0, 1), (1, 0), (0, -1), (-1, 0))


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: `cells` has the seat of each box, 3 for each line drawn, else 2.

    `turn` is None when the game is over. `last` are the line that the last ply drew, and the boxes that it closed.
    """

    board: Board
    cells: bytes
    turn: Seat | None = 0
    last: tuple[int, ...] = ()


@lru_cache(maxsize=8)
def board_of(size: int) -> Board:
    """The board of `size` boxes each way: dots where the columns A, C, ... cross the rows 1, 3, ..."""
    side = 2 * size + 1
    places = [(x, y) for x in range(side) for y in range(side) if x % 2 or y % 2]
    numbers = {place: cell for cell, place in enumerate(places)}

    def ray(x: int, y: int, aside: int, up: int) -> list[int]:
        found: list[int] = []
        while (x := x + aside, y := y + up) in numbers:
            found.append(numbers[x, y])
        return found

    rays = [[ray(x, y, aside, up) for aside, up in _WAYS] for x, y in places]
    letters, widest = ascii_uppercase[:side], len(str(side))
    left = MARGIN + widest + 2
    head = " " * left + " ".join(letters)
    lines = [head]
    for y in range(side, 0, -1):
        dots = "   ".join("+" * (size + 1)) if y % 2 else " " * (2 * side - 1)
        lines.append(f"{' ' * MARGIN}{str(y).rjust(widest)}  {dots}  {y}")
    dark = tuple(cell for cell, (x, y) in enumerate(places) if x % 2 and y % 2)
    return made(
        key=f"dots {size}",
        names=[f"{letters[x]}{y + 1}" for x, y in places],
        neighbours=[sorted(each[0] for each in beside if each) for beside in rays],
        rays=rays,
        sheet=Sheet((*lines, head), tuple((side - y, left + 2 * x) for x, y in places), 1),
        layout=Layout(
            "square",
            (2 * side, 2 * side),
            places=tuple((2 * x + 1, 2 * (side - y) - 1) for x, y in places),
            labels=(
                *((letter, 2 * x + 1, at) for at in (-1, 2 * side + 1) for x, letter in enumerate(letters)),
                *((str(y + 1), at, 2 * (side - y) - 1) for at in (-1, 2 * side + 1) for y in range(side)),
            ),
            rows=tuple(
                Row(str(y + 1), tuple(numbers[x, y] for x in range(side) if (x, y) in numbers))
                for y in range(side - 1, -1, -1)
            ),
            shaded=dark,
            posts=tuple((2 * x + 1, 2 * y + 1) for x in range(0, side, 2) for y in range(0, side, 2)),
        ),
    )


@lru_cache(maxsize=8)
def boxes_of(board: Board) -> tuple[int, ...]:
    """The cells that are boxes: those with lines on all sides, which lines do not have."""
    return board.layout.shaded


@lru_cache(maxsize=8)
def lines_of(board: Board) -> tuple[int, ...]:
    """The cells that are lines."""
    boxes = set(boxes_of(board))
    return tuple(cell for cell in range(len(board.names)) if cell not in boxes)


def start(seats: int, options: Mapping[str, str]) -> Position:
    """The board without lines. Raises BadOption for anything but a size."""
    board = board_of(int(chosen(info, options)["size"]))
    return Position(board, bytes([EMPTY]) * len(board.names))


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The lines that can be drawn, in the board's order."""
    if len(begun) > 1:
        return ()
    cells = position.cells
    return tuple((line,) for line in lines_of(position.board) if cells[line] == EMPTY and begun in ((), (line,)))


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a line drawn, boxes closed by it."""
    line, seat, board = int(move[0]), position.turn, position.board
    assert seat is not None
    cells = bytearray(position.cells)
    cells[line] = DRAWN
    closed = tuple(
        box for box in board.neighbours[line] if all(cells[each] == DRAWN for each in board.neighbours[box])
    )
    for box in closed:
        cells[box] = seat
    events = [Event("placed", seat, (line,))]
    if closed:
        events.append(Event("scored", seat, closed, count=len(closed)))
    is_over = all(cells[box] != EMPTY for box in boxes_of(board))
    turn = None if is_over else seat if closed else 1 - seat
    return Position(board, bytes(cells), turn, (line, *closed)), tuple(events)


def outcome(position: Position) -> Outcome | None:
    """How it ended; None while somebody is to move. Scores are boxes."""
    return by_points(scores(position)) if position.turn is None else None


def scores(position: Position) -> tuple[int, ...]:
    """The boxes that each seat has."""
    return (position.cells.count(0), position.cells.count(1))


def read(position: Position, text: str) -> Move:
    """The line that `text` means: its own name, or the two dots that it joins (`e3-e5`)."""
    board = position.board
    named = [each.upper() for each in names(text)]
    dots = [(ord(each[0]) - ord("A"), int(each[1:]) - 1) for each in named if each not in board.numbers]
    side = len(board.layout.rows)
    if dots and len(dots) == len(named) and all(x < side and y < side for x, y in dots):
        if len(dots) != 2 or abs(dots[0][0] - dots[1][0]) + abs(dots[0][1] - dots[1][1]) != 2:
            raise Illegal(ENDING if position.turn is None else DRAWING)
        x, y = ((dots[0][way] + dots[1][way]) // 2 for way in (0, 1))
        text = f"{ascii_uppercase[x]}{y + 1}"
    return read_move(text, board, partial(moves, position), partial(_why, position), off=THE_BOARD)


def scene(position: Position) -> Scene:
    """What to draw and say of the position."""
    board = position.board
    boxes = {seat: (Piece(seat, side.mark),) for seat, side in enumerate(info.sides)}
    return Scene(
        board,
        tuple(
            (_line(board, cell),) if owner == DRAWN else boxes.get(owner, ())
            for cell, owner in enumerate(position.cells)
        ),
        marked=position.last,
        scores=scores(position),
    )


def _line(board: Board, cell: int) -> Piece:
    """A line that is drawn; those in rows with dots go across."""
    is_across = int(board.names[cell][1:]) % 2 == 1
    return Piece(None, "-", "across") if is_across else Piece(None, "|", "upright")


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    return ENDING if position.turn is None else DRAWING


to_move, write = defaults.turn_of, defaults.hyphenated
