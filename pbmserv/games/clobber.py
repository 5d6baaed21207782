"""Clobber, by Michael Albert, J. P. Grossman, Richard Nowakowski and David Wolfe (2001): capture, or lose."""

from collections.abc import Iterable, Mapping

from pbmserv.games import boards, defaults
from pbmserv.games.defaults import Position, cells_in, moved, places
from pbmserv.games.game import Event, Move
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import starting

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


def start(seats: int, options: Mapping[str, str]) -> Position:
    """A full board, on which the colours alternate. Raises BadOption for anything but a `size` from `info`."""
    columns, rows = map(int, chosen(info, options)["size"].split("x"))
    cells = [_MARKS[(column + row) % 2] for column in range(columns) for row in range(rows)]
    return Position(boards.squares(columns, rows, is_chequered=True), "".join(cells))


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, by the stone moved."""
    cells, beside = position.cells, position.board.neighbours
    own, other = _MARKS[position.turn], _MARKS[1 - position.turn]
    found = (
        (source, target) for source in places(cells, own) for target in beside[source] if cells[target] == other
    )
    return starting(found, begun)


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a stone moved, and one captured."""
    return moved(position, move, cells_in(move[1:]))


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    return MOVING if position.cells[int(steps[0])] == _MARKS[position.turn] else OWN_STONE


to_move, outcome = defaults.mover(moves), defaults.last_mover(moves)
read, write = defaults.reader(info, moves, _why, ENDING), defaults.hyphenated
scene = defaults.drawer(info)
