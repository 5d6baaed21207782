"""Konane, a traditional game of Hawaii: jump, or lose."""

from collections.abc import Iterable, Iterator, Mapping

from pbmserv.games import boards, defaults
from pbmserv.games.board import Board
from pbmserv.games.boards import ORTHOGONAL
from pbmserv.games.defaults import EMPTY, Position, cells_in, moved, places
from pbmserv.games.game import Event, Move
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import joined, starting

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, OPENING, OWN_STONE, JUMPING, ENDING = 1, 2, 3, 4, 6

info = Info(
    name="konane",
    title="Konane",
    rules="konane/1",
    sides=(Side("Black", "x"), Side("White", "o")),
    group="blocking",
    credit=Credit("traditional", 0),
    example="a1",
    options=(Option("size", "8", ("8", "6", "10"), measure="squares"),),
)

_MARKS = tuple(side.mark for side in info.sides)


def start(seats: int, options: Mapping[str, str]) -> Position:
    """A full board, on which the colours alternate. Raises BadOption for anything but a `size` from `info`."""
    size = int(chosen(info, options)["size"])
    cells = [_MARKS[(column + row) % 2] for column in range(size) for row in range(size)]
    return Position(boards.squares(size, size, is_chequered=True), "".join(cells))


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so: the stone taken off at first, later where a stone jumps from and to."""
    return starting(_moves(position), begun)


def write(position: Position, move: Move) -> str:
    """The notation of a legal move: `D4` for a stone taken off, `C3xE3` for a jump, or several in a row."""
    return joined(position.board, move, "x")


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a stone moved, and stones taken from the board."""
    steps = cells_in(move)
    if len(steps) > 1:
        return moved(position, move, _between(position.board, *steps)[::2])
    (cell,), cells = steps, position.cells
    after = Position(position.board, cells[:cell] + EMPTY + cells[cell + 1 :], 1 - position.turn, taken=steps)
    return after, (Event("captured", position.turn, steps),)


def _between(board: Board, source: int, target: int) -> tuple[int, ...]:
    """The cells between two others in a row or a column."""
    (ray,) = (board.rays[source][way] for way in ORTHOGONAL if target in board.rays[source][way])
    return ray[: ray.index(target)]


def _moves(position: Position) -> Iterator[Move]:
    is_opening = position.cells.count(EMPTY) < 2
    yield from _first(position) if is_opening else _jumps(position)


def _first(position: Position) -> Iterator[Move]:
    """The stones that may be taken off: one of Black's in a corner or in the middle, and one beside that."""
    board, size = position.board, len(position.board.layout.rows)
    if position.turn == 0:
        yield from ((place * (size + 1),) for place in (0, size // 2 - 1, size // 2, size - 1))
    else:
        yield from ((cell,) for cell in board.neighbours[position.cells.index(EMPTY)])


def _jumps(position: Position) -> Iterator[Move]:
    cells, own, other = position.cells, _MARKS[position.turn], _MARKS[1 - position.turn]
    for source in places(cells, own):
        for way in ORTHOGONAL:
            ray = position.board.rays[source][way]
            for over, target in zip(ray[::2], ray[1::2], strict=False):
                if cells[over] != other or cells[target] != EMPTY:
                    break
                yield (source, target)


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    if position.cells.count(EMPTY) < 2:
        return OPENING
    return JUMPING if position.cells[int(steps[0])] == _MARKS[position.turn] else OWN_STONE


to_move, outcome = defaults.mover(moves), defaults.last_mover(moves)
read, scene = defaults.reader(info, moves, _why, ENDING), defaults.drawer(info)
