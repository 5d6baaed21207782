"""Fanorona, the game of Madagascar: men capture whole rows by moving up to them, or away from them."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from string import ascii_uppercase
from typing import Final

from pbmserv.games import defaults
from pbmserv.games.board import Board
from pbmserv.games.boards import drawn
from pbmserv.games.defaults import Position, drawn_by
from pbmserv.games.game import Event, Move, Outcome, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Side, chosen
from pbmserv.games.notation import joined, starting

EMPTY = "+"
APPROACH, RETREAT = "approach", "retreat"
COLUMNS, ROWS = 9, 5
QUIET_PLIES: Final = 100
"""Plies without a capture that make a draw."""
_OPPOSITE: Final = 4
_START: Final = ("xxxxxxxxx", "xxxxxxxxx", "xoxo+xoxo", "ooooooooo", "ooooooooo")
"""From the top."""

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, OWN_MAN, STEPS, CAPTURING, MUST_CAPTURE, GOING_ON, ENDING = 1, 2, 3, 4, 5, 6, 7

info = Info(
    name="fanorona",
    title="Fanorona",
    rules="fanorona/2",
    sides=(Side("White", "o"), Side("Black", "x")),
    group="draughts",
    credit=Credit("traditional", 0),
    example="e2-e3",
    words=(APPROACH, RETREAT),
)

_MARKS: Final = tuple(side.mark for side in info.sides)

Taken = tuple[int, ...]


def start(seats: int, options: Mapping[str, str]) -> Position:
    """Twenty-two men on each side, and one empty point. Raises BadOption for any option."""
    chosen(info, options)
    cells = [_START[ROWS - 1 - row][column] for column in range(COLUMNS) for row in range(ROWS)]
    return Position(drawn("fanorona", _art()), "".join(cells))


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, by the man moved: captures if there are any, each as far as it may go."""
    return () if drawn_by(position, QUIET_PLIES) else starting(_legal(position), begun)


def write(position: Position, move: Move) -> str:
    """The notation of a legal move: `E2-E3`, or `E2-E3-RETREAT-F4` for one that chooses, and goes on."""
    return joined(position.board, move).upper()


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a man moved, some were captured."""
    seat, cells, taken, path = position.turn, position.cells, list[int](), [int(move[0])]
    for step, following in zip(move[1:], (*move[2:], ""), strict=True):
        if isinstance(step, int):
            ways = _ways(position.board, cells, seat, path[-1], step)
            gone = ways[following] if isinstance(following, str) and following else next(iter(ways.values()), ())
            cells = _after(cells, path[-1], step, gone)
            taken += gone
            path.append(step)
    events = [Event("moved", seat, tuple(path)), *(Event("captured", 1 - seat, (cell,)) for cell in taken)]
    seen = () if taken else (*position.seen, position.cells)
    return Position(position.board, cells, 1 - seat, move, tuple(taken), seen), tuple(events)


def outcome(position: Position) -> Outcome | None:
    """How it ended: a side without men, or that cannot move, has lost; None while somebody is to move."""
    if _MARKS[position.turn] not in position.cells:
        return Outcome(two_ranks(1 - position.turn), "bare")
    if next(_legal(position), None) is None:
        return Outcome(two_ranks(1 - position.turn), "blocked")
    reason = drawn_by(position, QUIET_PLIES)
    return Outcome(two_ranks(None), reason) if reason else None


@lru_cache(maxsize=1)
def _art() -> str:
    """The board: lines to all sides of every second point, without diagonals at the others."""
    lines: list[str] = []
    for row in range(ROWS, 0, -1):
        lines.append(f"{row}  {'---'.join('+' * COLUMNS)}")
        for down in range(3 if row > 1 else 0):
            squares = []
            for column in range(COLUMNS - 1):
                is_falling = (column + row) % 2 == 1
                squares.append(("\\" if is_falling else "/").rjust(down + 1 if is_falling else 3 - down).ljust(3))
            lines.append(f"   |{'|'.join(squares)}|")
    return "\n".join([*lines, "   " + "   ".join(ascii_uppercase[:COLUMNS])])


def _legal(position: Position) -> Iterator[Move]:
    """The legal moves, whether it is a draw or not."""
    return _captures(position) if next(_captures(position), None) else _steps(position)


def _steps(position: Position) -> Iterator[Move]:
    """Where each man could go, if nothing could be captured."""
    cells, own = position.cells, _MARKS[position.turn]
    for source, mark in enumerate(cells):
        if mark == own:
            yield from ((source, target) for target in position.board.neighbours[source] if cells[target] == EMPTY)


def _captures(position: Position) -> Iterator[Move]:
    own = _MARKS[position.turn]
    for source, mark in enumerate(position.cells):
        if mark == own:
            yield from _goings_on(position.board, position.cells, position.turn, (source,), {source}, None)


def _goings_on(
    board: Board, cells: str, seat: Seat, path: Move, visited: set[int], last: int | None
) -> Iterator[Move]:
    """The captures that go on from a path: not the same way as `last` time, nor to a point visited before."""
    here = next(step for step in reversed(path) if isinstance(step, int))
    for way, ray in enumerate(board.rays[here]):
        if not ray or way == last or ray[0] in visited or cells[ray[0]] != EMPTY:
            continue
        there = ray[0]
        ways = _ways(board, cells, seat, here, there)
        for word, gone in ways.items():
            further = (*path, there, word) if len(ways) > 1 else (*path, there)
            yield further
            yield from _goings_on(board, _after(cells, here, there, gone), seat, further, {*visited, there}, way)


def _ways(board: Board, cells: str, seat: Seat, here: int, there: int) -> dict[str, Taken]:
    """What a step captures, by approach and by withdrawing; only the ways that capture something."""
    way = next(way for way, ray in enumerate(board.rays[here]) if ray[:1] == (there,))
    theirs = _MARKS[1 - seat]
    rows = {APPROACH: board.rays[there][way], RETREAT: board.rays[here][(way + _OPPOSITE) % 8]}
    found = {word: _unbroken(cells, ray, theirs) for word, ray in rows.items()}
    return {word: gone for word, gone in found.items() if gone}


def _unbroken(cells: str, ray: tuple[int, ...], mark: str) -> Taken:
    """The men with this mark at the beginning of a ray, one behind the other."""
    count = next((count for count, cell in enumerate(ray) if cells[cell] != mark), len(ray))
    return ray[:count]


def _after(cells: str, here: int, there: int, gone: Taken) -> str:
    after = list(cells)
    after[here], after[there] = EMPTY, cells[here]
    for cell in gone:
        after[cell] = EMPTY
    return "".join(after)


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    source, target = steps[0], (*steps, steps[0])[1]
    if not isinstance(source, int) or position.cells[source] != _MARKS[position.turn]:
        return OWN_MAN
    if target not in position.board.neighbours[source] or position.cells[int(target)] != EMPTY:
        return STEPS
    if next(iter(moves(position, steps[:2])), None):
        return CAPTURING if len(steps) == 3 and isinstance(steps[2], str) else GOING_ON
    return MUST_CAPTURE


to_move, read = defaults.mover(moves), defaults.reader(info, moves, _why, ENDING)
scene = defaults.drawer(info, more={EMPTY: ()})
