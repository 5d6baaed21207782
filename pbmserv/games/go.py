"""Go, traditional, with rules that a server can apply to the letter: area scoring of the board as it stands, no
suicide, and no board that was there before.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from pbmserv.games import boards, defaults, stones
from pbmserv.games.board import Board
from pbmserv.games.game import Event, Move, Outcome, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.stones import EMPTY, groups_of, placements, with_stone

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, PLACING, SUICIDE, REPEATING, ENDING = 1, 3, 6, 7, 8

PASSES: Final = "pass"
KOMI: Final = 7
"""Points that White has for moving second; White wins ties besides, so that it is the usual seven and a half."""

_LONGEST: Final = 3
"""The most plies of a game, for each point of the board."""

info = Info(
    name="go",
    title="Go",
    rules="go/1",
    sides=(Side("Black", "x"), Side("White", "o")),
    group="territory",
    credit=Credit("traditional", 0),
    example="e5",
    options=(Option("size", "19", ("9", "13", "19"), measure="lines"),),
    words=(PASSES,),
)


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: `stones` has the seat of each point's stone, 2 where there is none.

    `seen` are all boards up to this one. `passes` counts those in a row up to now. `turn` is None when the game is
    over. `last` is the point played last, `taken` those where stones were captured.
    """

    board: Board
    stones: bytes
    seen: frozenset[bytes] = field(repr=False)
    turn: Seat | None = 0
    passes: int = 0
    plies: int = 0
    last: tuple[int, ...] = ()
    taken: tuple[int, ...] = ()


def start(seats: int, options: Mapping[str, str]) -> Position:
    """The empty board. Raises BadOption for anything but a `size` from `info`."""
    size = int(chosen(info, options)["size"])
    stones = bytes([EMPTY]) * size**2
    return Position(boards.points(size), stones, frozenset([stones]))


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, in the board's order, and "pass" at the end."""
    yield from placements(position, begun, lambda cell: _refusal(position, position.turn or 0, cell) is None)
    if position.turn is not None and begun in ((), (PASSES,)):
        yield (PASSES,)


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a stone placed, others captured, or a pass."""
    seat, board, plies = position.turn, position.board, position.plies + 1
    assert seat is not None
    turn = None if plies == _LONGEST * len(position.stones) else 1 - seat
    if move == (PASSES,):
        passes = position.passes + 1
        after = None if passes == 2 else turn
        return Position(board, position.stones, position.seen, after, passes, plies), (Event("passed", seat),)
    cell = int(move[0])
    taken = _taken(board, position.stones, seat, cell)
    stones = with_stone(position.stones, seat, (cell,), taken)
    events = [Event("placed", seat, (cell,))]
    if taken:
        events.append(Event("captured", 1 - seat, taken))
    return Position(board, stones, position.seen | {stones}, turn, 0, plies, (cell,), taken), tuple(events)


def outcome(position: Position) -> Outcome | None:
    """How it ended; None while somebody is to move."""
    if position.turn is not None:
        return None
    black, white = points = scores(position)
    return Outcome(two_ranks(0 if black > white else 1), "score", points)


def scores(position: Position) -> tuple[int, ...]:
    """Stones, and empty points that only they reach, of each seat as the board stands; White's with komi."""
    stones, board = position.stones, position.board
    points = [stones.count(0), KOMI + stones.count(1)]
    for region in groups_of(board, stones, EMPTY):
        borders = {stones[each] for cell in region for each in board.neighbours[cell]} - {EMPTY}
        if len(borders) == 1:
            points[borders.pop()] += len(region)
    return tuple(points)


def _chain(board: Board, stones: bytes, cell: int, but: int) -> list[int]:
    """The chain of the stone on a cell; empty when it has a liberty other than `but`."""
    owner, found, todo = stones[cell], {cell}, [cell]
    while todo:
        for each in board.neighbours[todo.pop()]:
            if stones[each] == owner:
                if each not in found:
                    found.add(each)
                    todo.append(each)
            elif stones[each] == EMPTY and each != but:
                return []
    return list(found)


def _taken(board: Board, stones: bytes, seat: Seat, cell: int) -> tuple[int, ...]:
    """What a stone of `seat` on an empty point captures, in the board's order."""
    found: set[int] = set()
    for each in board.neighbours[cell]:
        if stones[each] == 1 - seat and each not in found:
            found.update(_chain(board, stones, each, cell))
    return tuple(sorted(found))


def _refusal(position: Position, seat: Seat, cell: int) -> int | None:
    """The rule that forbids a stone on a point; None where it may be placed."""
    stones, board = position.stones, position.board
    if stones[cell] != EMPTY:
        return PLACING
    taken = _taken(board, stones, seat, cell)
    beside = board.neighbours[cell]
    if not taken and all(
        stones[each] == 1 - seat or (stones[each] == seat and _chain(board, stones, each, cell)) for each in beside
    ):
        return SUICIDE
    return REPEATING if with_stone(stones, seat, (cell,), taken) in position.seen else None


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    if len(steps) > 1 or not isinstance(steps[0], int):
        return PLACING
    return _refusal(position, position.turn or 0, steps[0]) or PLACING


to_move = defaults.turn_of
read, write = defaults.reader(info, moves, _why, ENDING), defaults.hyphenated
scene = stones.drawer(info, scores)
