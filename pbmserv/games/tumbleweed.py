"""Tumbleweed, by Mike Zapawa (2020): stacks grow where they are seen by many."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pbmserv.games import defaults
from pbmserv.games.board import Board
from pbmserv.games.defaults import by_points, scene_of
from pbmserv.games.game import Event, Move, Outcome, Piece, Scene, Seat
from pbmserv.games.hexagons import hexagon
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import joined
from pbmserv.games.stones import EMPTY

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, BEGINNING, SETTLING, HEIGHT, PASSING, ENDING = 1, 2, 4, 5, 6, 7

SWAP: Final = "swap"
PASSES: Final = "pass"
NEUTRAL: Final = 3
_NEUTRAL_HEIGHT: Final = 2

info = Info(
    name="tumbleweed",
    title="Tumbleweed",
    rules="tumbleweed/1",
    sides=(Side("White", "Wn"), Side("Red", "Rn")),
    group="territory",
    credit=Credit("Mike Zapawa", 2020),
    example="c2,g8",
    options=(Option("size", "8", ("8", "5", "6"), measure="cells a side"),),
    words=(SWAP, PASSES),
)


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: for each cell whose stack it is, 2 for nobody's and 3 for a neutral one, and
    how high it is.

    `begun` counts the plies up to two. `passes` tells whether the last ply was a pass. `turn` is None when the
    game is over. `last` are the cells of the last ply, `taken` is where it replaced a stack of the other side.
    """

    board: Board
    owners: bytes
    heights: bytes
    turn: Seat | None = 0
    begun: int = 0
    passes: bool = False
    last: tuple[int, ...] = ()
    taken: tuple[int, ...] = ()


def start(seats: int, options: Mapping[str, str]) -> Position:
    """A neutral stack in the middle. Raises BadOption for anything but a `size` from `info`."""
    board = hexagon(int(chosen(info, options)["size"]), " .", 2)
    owners, heights = bytearray([EMPTY]) * len(board.names), bytearray(len(board.names))
    middle = len(board.names) // 2
    owners[middle], heights[middle] = NEUTRAL, _NEUTRAL_HEIGHT
    return Position(board, bytes(owners), bytes(heights))


def moves(position: Position, begun: Move = ()) -> Iterator[Move]:
    """The legal moves that begin so: two cells at first, then a cell in the board's order, "swap" and "pass"."""
    if position.turn is None:
        return
    every = range(len(position.owners))
    if not position.begun:
        if len(begun) <= 2:
            free = [cell for cell in every if position.owners[cell] == EMPTY]
            for one in free:
                if begun[:1] in ((), (one,)):
                    yield from ((one, two) for two in free if two != one and begun[1:] in ((), (two,)))
        return
    if len(begun) > 1:
        return
    for cell in begun or every:
        if isinstance(cell, int) and sight(position, position.turn, cell) > position.heights[cell]:
            yield (cell,)
    if position.begun == 1 and begun in ((), (SWAP,)):
        yield (SWAP,)
    if begun in ((), (PASSES,)):
        yield (PASSES,)


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a stack placed, perhaps another one captured."""
    seat, board = position.turn, position.board
    assert seat is not None
    owners, heights = bytearray(position.owners), bytearray(position.heights)
    if not position.begun:
        cells = tuple(map(int, move))
        for owner, cell in enumerate(cells):
            owners[cell], heights[cell] = owner, 1
        events = tuple(Event("placed", owner, (cell,), "1") for owner, cell in enumerate(cells))
        return Position(board, bytes(owners), bytes(heights), 1, 1, last=cells), events
    if move == (SWAP,):
        cells = (owners.index(1), owners.index(0))
        owners[cells[0]], owners[cells[1]] = 0, 1
        return Position(board, bytes(owners), bytes(heights), 0, 2, last=cells), (Event("swapped", 1, cells),)
    if move == (PASSES,):
        after = Position(board, position.owners, position.heights, 1 - seat, 2, passes=True)
        return _with_turn(after, seat, (Event("passed", seat),), position.passes)
    cell = int(move[0])
    taken = (cell,) if owners[cell] == 1 - seat else ()
    heights[cell] = sight(position, seat, cell)
    owners[cell] = seat
    done = [Event("captured", 1 - seat, taken)] if taken else []
    done.append(Event("placed", seat, (cell,), str(heights[cell])))
    after = Position(board, bytes(owners), bytes(heights), 1 - seat, 2, False, (cell,), taken)
    return _with_turn(after, seat, tuple(done), is_over=False)


def outcome(position: Position) -> Outcome | None:
    """How it ended, by the cells that each side has and controls; None while somebody is to move."""
    return by_points(scores(position)) if position.turn is None else None


def scores(position: Position) -> tuple[int, ...]:
    """The stacks of each seat, and the empty cells that more of them see than of the other one's."""
    points = [position.owners.count(0), position.owners.count(1)]
    for cell, owner in enumerate(position.owners):
        if owner == EMPTY:
            white, red = sight(position, 0, cell), sight(position, 1, cell)
            if white != red:
                points[white < red] += 1
    return tuple(points)


def write(position: Position, move: Move) -> str:
    """The cell, `D4`; two of them at first, `C2,G8`; `swap` or `pass`."""
    return joined(position.board, move, ",")


def sight(position: Position, seat: Seat, cell: int) -> int:
    """How many stacks of a seat see a cell: in each direction only the first stack does."""
    owners, found = position.owners, 0
    for ray in position.board.rays[cell]:
        for each in ray:
            if owners[each] != EMPTY:
                found += owners[each] == seat
                break
    return found


def can_settle(position: Position, seat: Seat) -> bool:
    """Whether there is a cell for a stack of a seat."""
    return any(sight(position, seat, cell) > height for cell, height in enumerate(position.heights))


def _with_turn(
    after: Position, seat: Seat, events: tuple[Event, ...], is_over: bool
) -> tuple[Position, tuple[Event, ...]]:
    """The position with the seat on turn then: a side that can do nothing but pass is passed over."""
    if not is_over and can_settle(after, 1 - seat):
        return after, events
    if not is_over and not after.passes and can_settle(after, seat):
        again = Position(after.board, after.owners, after.heights, seat, 2, False, after.last, after.taken)
        return again, (*events, Event("passed", 1 - seat))
    return Position(
        after.board, after.owners, after.heights, None, 2, after.passes, after.last, after.taken
    ), events


def _pieces(owner: int, height: int) -> tuple[Piece, ...]:
    if owner == EMPTY:
        return ()
    return (Piece(None if owner == NEUTRAL else owner, f"{'WR?N'[owner]}{height}", value=height),)


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    if not position.begun or SWAP in steps:
        return BEGINNING
    if PASSES in steps:
        return PASSING
    return HEIGHT if len(steps) == 1 and position.heights[int(steps[0])] else SETTLING


def scene(position: Position) -> Scene:
    """What to draw and say of the position."""
    return scene_of(position, tuple(map(_pieces, position.owners, position.heights)), scores(position))


to_move, read = defaults.turn_of, defaults.reader(info, moves, _why, ENDING)
