"""Infection: a stone that comes beside stones of the other side turns them. The rules of an arcade game."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from pbmserv.games import boards, defaults
from pbmserv.games.board import Board
from pbmserv.games.defaults import EMPTY, by_points, drawn_by
from pbmserv.games.game import Event, Move, Outcome, Reason, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import starting

QUIET_PLIES: Final = 100

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, GROWING, JUMPING, ENDING = 1, 3, 4, 7

info = Info(
    name="infection",
    title="Infection",
    rules="infection/1",
    sides=(Side("Black", "x"), Side("White", "o")),
    group="territory",
    credit=Credit("Dave Crummack and Craig Galley", 1988),
    example="b6",
    options=(Option("size", "7", ("7", "5"), measure="squares"),),
)

_MARKS = tuple(side.mark for side in info.sides)


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: for each cell the mark of its stone, or a dot.

    `seen` are the boards before this one since a stone last grew, `last` is the last ply, and `taken` are the
    cells where it turned stones. `ended` says why the game is over.
    """

    board: Board
    cells: str
    turn: Seat = 0
    seen: tuple[str, ...] = ()
    last: Move = ()
    taken: tuple[int, ...] = ()
    ended: Reason | None = None


def start(seats: int, options: Mapping[str, str]) -> Position:
    """A stone in each corner, of one side across from each other. Raises BadOption for anything but a `size`."""
    size = int(chosen(info, options)["size"])
    cells = [EMPTY] * size**2
    cells[size - 1] = cells[size * (size - 1)] = _MARKS[0]
    cells[0] = cells[-1] = _MARKS[1]
    return Position(boards.squares(size, size), "".join(cells))


def to_move(position: Position) -> Seat | None:
    """The seat on turn; None when the game is over."""
    return position.turn if position.ended is None else None


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so: squares to grow to, in the board's order, and then jumps."""
    return () if position.ended else starting(_moves(position.board, position.cells, position.turn), begun)


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a stone placed or moved, stones turned, a pass."""
    seat, board, steps = position.turn, position.board, tuple(int(step) for step in move)
    cells = list(position.cells)
    cells[steps[0]] = EMPTY
    cells[steps[-1]] = _MARKS[seat]
    turned = tuple(cell for cell in _near(board)[0][steps[-1]] if cells[cell] == _MARKS[1 - seat])
    for cell in turned:
        cells[cell] = _MARKS[seat]
    events = [Event("placed" if len(steps) == 1 else "moved", seat, steps)]
    if turned:
        events.append(Event("turned", seat, turned))
    seen = () if len(steps) == 1 else (*position.seen, position.cells)
    after = Position(board, "".join(cells), 1 - seat, seen, move, turned)
    return _ended(after, events)


def outcome(position: Position) -> Outcome | None:
    """How it ended; None while somebody is to move. Scores are the stones on the board."""
    if position.ended in ("repeated", "exhausted"):
        return Outcome(two_ranks(None), position.ended, scores(position))
    return by_points(scores(position), position.ended) if position.ended else None


def scores(position: Position) -> tuple[int, ...]:
    """The stones of each side."""
    return tuple(position.cells.count(mark) for mark in _MARKS)


@lru_cache(maxsize=8)
def _near(board: Board) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    """Of each cell those around it, and those around these."""
    size = len(board.layout.rows)
    places = [divmod(cell, size) for cell in range(size**2)]

    def at(distance: int) -> tuple[tuple[int, ...], ...]:
        return tuple(
            tuple(cell for cell, (a, b) in enumerate(places) if max(abs(a - x), abs(b - y)) == distance)
            for x, y in places
        )

    return at(1), at(2)


def _moves(board: Board, cells: str, seat: Seat) -> Iterator[Move]:
    (around, further), own = _near(board), _MARKS[seat]
    for cell, mark in enumerate(cells):
        if mark == EMPTY and own in [cells[each] for each in around[cell]]:
            yield (cell,)
    for source, mark in enumerate(cells):
        if mark == own:
            yield from ((source, target) for target in further[source] if cells[target] == EMPTY)


def _ended(position: Position, events: list[Event]) -> tuple[Position, tuple[Event, ...]]:
    """The position, ended if it is; a side that cannot move passes."""
    board, cells, turn = position.board, position.cells, position.turn
    counts = scores(position)
    if 0 in counts:
        return replace(position, ended="bare"), tuple(events)
    if next(_moves(board, cells, turn), None) is None:
        events.append(Event("passed", turn))
        position = replace(position, turn=1 - turn)
        if next(_moves(board, cells, 1 - turn), None) is None:
            ended: Reason = "draw" if counts[0] == counts[1] else "score"
            return replace(position, turn=turn, ended=ended), tuple(events[:-1])
    return replace(position, ended=drawn_by(position, QUIET_PLIES)), tuple(events)


def _why(_: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    return GROWING if len(steps) == 1 else JUMPING


read, write = defaults.reader(info, moves, _why, ENDING), defaults.hyphenated
scene = defaults.drawer(info, scores)
