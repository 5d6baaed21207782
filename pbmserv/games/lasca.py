"""Lasca, by Emanuel Lasker (1911): draughts in which the captured pieces stay, under those that took them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pbmserv.games import boards, defaults
from pbmserv.games.board import Board
from pbmserv.games.boards import DIAGONAL
from pbmserv.games.defaults import EMPTY, scene_of, times_before
from pbmserv.games.draughts import DOWN, UP, Ways, jumped, jumps, ways_of
from pbmserv.games.game import Event, Move, Outcome, Piece, Reason, Scene, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Side, chosen
from pbmserv.games.notation import joined, starting

SIZE, ROWS_OF_MEN, QUIET_PLIES = 7, 3, 100
COLUMN_WIDTH = 7  # one column in fifty is taller
SOLDIERS: Final = "ox"
OFFICERS: Final = "OX"

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, OWN_COLUMN, SOLDIERS_MOVE, OFFICERS_MOVE, CAPTURING, MUST_CAPTURE, ENDING = 1, 2, 3, 4, 5, 6, 8

info = Info(
    name="lasca",
    title="Lasca",
    rules="lasca/2",
    sides=(Side("White", "o"), Side("Black", "x")),
    group="draughts",
    credit=Credit("Emanuel Lasker", 1911),
    example="c3-d4",
)

_PIECES = {
    mark: Piece(seat, mark, kind)
    for marks, kind in ((SOLDIERS, ""), (OFFICERS, "officer"))
    for seat, mark in enumerate(marks)
}


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: for each cell the marks of its column, from bottom to top, or a dot.

    `seen` are the boards before this one since a soldier last became an officer, `quiet` counts the plies since
    the last capture or soldier's move. `last` is the last ply, and `taken` where it captured.
    """

    board: Board
    cells: tuple[str, ...]
    turn: Seat = 0
    seen: tuple[tuple[str, ...], ...] = ()
    quiet: int = 0
    last: Move = ()
    taken: tuple[int, ...] = ()


def start(seats: int, options: Mapping[str, str]) -> Position:
    """Soldiers on every other square of three rows on each side. Raises BadOption for any option."""
    chosen(info, options)
    rows = "o" * ROWS_OF_MEN + EMPTY * (SIZE - 2 * ROWS_OF_MEN) + "x" * ROWS_OF_MEN
    cells = [mark if (row + up) % 2 == 0 else EMPTY for row in range(SIZE) for up, mark in enumerate(rows)]
    return Position(
        boards.squares(SIZE, SIZE, COLUMN_WIDTH, EMPTY, is_spread=True, is_chequered=True), tuple(cells)
    )


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, by the column moved: captures if there are any."""
    return () if _drawn_by(position) else starting(_legal(position), begun)


def write(position: Position, move: Move) -> str:
    """The notation of a legal move: `C3-D4`, or `C3xE5xG7` for one that captures."""
    return joined(position.board, move, "x" if jumped(position.board, move) else "-")


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a column moved, pieces captured, a soldier promoted."""
    seat, steps, over = position.turn, tuple(int(step) for step in move), jumped(position.board, move)
    cells = list(position.cells)
    column, cells[steps[0]] = cells[steps[0]], EMPTY
    is_soldier = column[-1] == SOLDIERS[seat]
    events = [Event("moved", seat, steps, _PIECES[column[-1]].kind)]
    for cell in over:
        prisoner = cells[cell][-1]
        cells[cell], column = cells[cell][:-1] or EMPTY, prisoner + column
        events.append(Event("captured", 1 - seat, (cell,), _PIECES[prisoner].kind))
    is_promoted = is_soldier and steps[-1] % SIZE == (SIZE - 1 if seat == 0 else 0)
    if is_promoted:
        column = column[:-1] + OFFICERS[seat]
        events.append(Event("promoted", seat, steps[-1:], "officer"))
    cells[steps[-1]] = column
    seen = () if is_promoted else (*position.seen, position.cells)
    quiet = 0 if over or is_soldier else position.quiet + 1
    return Position(position.board, tuple(cells), 1 - seat, seen, quiet, move, over), tuple(events)


def outcome(position: Position) -> Outcome | None:
    """How it ended: a side that cannot move has lost; None while somebody is to move."""
    if next(iter(_legal(position)), None) is not None:
        reason = _drawn_by(position)
        return Outcome(two_ranks(None), reason) if reason else None
    is_bare = not any(_owner(column) == position.turn for column in position.cells)
    return Outcome(two_ranks(1 - position.turn), "bare" if is_bare else "blocked")


def _owner(column: str) -> Seat | None:
    """Whose column it is: that of the piece on top."""
    return None if column == EMPTY else _PIECES[column[-1]].seat


def _drawn_by(position: Position) -> Reason | None:
    """Why it is a draw: too long nothing has happened, or the position is here for the third time."""
    is_repeated = times_before(position.seen, position.cells) > 1
    return "exhausted" if position.quiet >= QUIET_PLIES else "repeated" if is_repeated else None


def _ways(position: Position, mark: str) -> Ways:
    return ways_of(position.board, (UP, DOWN)[SOLDIERS.index(mark)] if mark in SOLDIERS else DIAGONAL)


def _own(position: Position) -> Iterator[tuple[int, Ways]]:
    """The columns of the seat on turn, and how each may go."""
    own = (SOLDIERS[position.turn], OFFICERS[position.turn])
    for source, column in enumerate(position.cells):
        if column[-1] in own:
            yield source, _ways(position, column[-1])


def _legal(position: Position) -> Iterable[Move]:
    """The legal moves, whether it is a draw or not."""
    return list(_jumps(position)) or _steps(position)


def _steps(position: Position) -> Iterator[Move]:
    for source, ways in _own(position):
        yield from ((source, ray[0]) for ray in ways[source] if position.cells[ray[0]] == EMPTY)


def _jumps(position: Position) -> Iterator[Move]:
    theirs = (SOLDIERS[1 - position.turn], OFFICERS[1 - position.turn])
    for source, ways in _own(position):
        yield from jumps(position.cells, ways, theirs, (source,))


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    source = int(steps[0])
    if _owner(position.cells[source]) != position.turn:
        return OWN_COLUMN
    if jumped(position.board, steps):
        return CAPTURING
    if next(_jumps(position), None):
        return MUST_CAPTURE
    return SOLDIERS_MOVE if position.cells[source][-1] in SOLDIERS else OFFICERS_MOVE


def scene(position: Position) -> Scene:
    """What to draw and say of the position."""
    columns = [tuple([_PIECES[mark] for mark in column if mark != EMPTY]) for column in position.cells]
    return scene_of(position, tuple(columns))


to_move, read = defaults.mover(moves), defaults.reader(info, moves, _why, ENDING)
