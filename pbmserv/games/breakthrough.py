"""Breakthrough, by Dan Troyka (2000): a race of pawns to the other side."""

from collections.abc import Iterable, Mapping

from pbmserv.games import boards, defaults
from pbmserv.games.boards import NE, NW, SE, SW, N, S
from pbmserv.games.defaults import EMPTY, Position, moved, places
from pbmserv.games.game import Event, Move, Outcome, two_ranks
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import starting

ROWS_OF_MEN = 2

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, OWN_MAN, FORWARDS, CAPTURING, ENDING = 1, 2, 3, 4, 5

info = Info(
    name="breakthrough",
    title="Breakthrough",
    rules="breakthrough/1",
    sides=(Side("White", "o"), Side("Black", "x")),
    group="race",
    credit=Credit("Dan Troyka", 2000),
    example="d2-d3",
    options=(Option("size", "8", ("8", "6"), measure="squares"),),
)

_MARKS = tuple(side.mark for side in info.sides)
_AHEAD = ((N, NW, NE), (S, SW, SE))
"""The ways of each seat's men: straight ahead, and diagonally."""


def start(seats: int, options: Mapping[str, str]) -> Position:
    """Two rows of men on each side. Raises BadOption for anything but a `size` from `info`."""
    size = int(chosen(info, options)["size"])
    column = "o" * ROWS_OF_MEN + EMPTY * (size - 2 * ROWS_OF_MEN) + "x" * ROWS_OF_MEN
    return Position(boards.squares(size, size, is_chequered=True), column * size)


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, by the man moved."""
    return starting(_moves(position), begun) if outcome(position) is None else ()


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a man moved, a man captured."""
    target = int(move[1])
    return moved(position, move, () if position.cells[target] == EMPTY else (target,))


def outcome(position: Position) -> Outcome | None:
    """How it ended: by a man on the far row, or by no man left; None while somebody is to move."""
    size = len(position.board.layout.rows)
    for seat, far in ((0, position.cells[size - 1 :: size]), (1, position.cells[::size])):
        if _MARKS[seat] in far:
            return Outcome(two_ranks(seat), "goal")
        if _MARKS[1 - seat] not in position.cells:
            return Outcome(two_ranks(seat), "bare")
    return None


def _moves(position: Position) -> Iterable[Move]:
    cells, rays, own = position.cells, position.board.rays, _MARKS[position.turn]
    straight, *aside = _AHEAD[position.turn]
    for source in places(cells, own):
        for target in rays[source][straight][:1]:
            if cells[target] == EMPTY:
                yield (source, target)
        for way in aside:
            for target in rays[source][way][:1]:
                if cells[target] != own:
                    yield (source, target)


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    source, target = int(steps[0]), int(steps[-1])
    if position.cells[source] != _MARKS[position.turn]:
        return OWN_MAN
    straight = position.board.rays[source][_AHEAD[position.turn][0]][:1]
    is_in_the_way = target in straight and position.cells[target] == _MARKS[1 - position.turn]
    return CAPTURING if is_in_the_way else FORWARDS


to_move = defaults.mover(moves)
read, write = defaults.reader(info, moves, _why, ENDING), defaults.with_captures
scene = defaults.drawer(info)
