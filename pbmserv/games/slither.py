"""Slither, by Corey Clark (2010): a stone may be moved before one is placed; none touch by corners alone."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from pbmserv.games import boards, defaults, stones
from pbmserv.games.board import Board
from pbmserv.games.boards import DIAGONAL
from pbmserv.games.defaults import next_turn
from pbmserv.games.game import Event, Move, Outcome, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import joined
from pbmserv.games.stones import EMPTY, SWAP, Position, group_of, mirrored, no_stones, swapped, swaps, with_stone

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, PLACING, MOVING, CORNERS, SWAPPING, ENDING = 1, 2, 3, 4, 5, 7

info = Info(
    name="slither",
    title="Slither",
    rules="slither/1",
    sides=(Side("Vertical", "V"), Side("Horizontal", "H")),
    group="connection",
    credit=Credit("Corey Clark", 2010),
    example="c3",
    options=(Option("size", "9", ("9", "13", "15"), measure="lines"),),
    words=(SWAP,),
)


def start(seats: int, options: Mapping[str, str]) -> Position:
    """The empty board. Raises BadOption for anything but a `size` from `info`."""
    size = int(chosen(info, options)["size"])
    return Position(board := boards.points(size), no_stones(board))


def moves(position: Position, begun: Move = ()) -> Iterator[Move]:
    """The legal moves that begin so: a stone placed, or one moved and then one placed, and "swap" at the end."""
    board, stones, seat = position.board, position.stones, position.turn
    if seat is None or len(begun) > 3:
        return
    every = range(len(stones))
    if len(begun) < 2:
        for cell in begun or every:
            if isinstance(cell, int) and stones[cell] == EMPTY and _fits(board, stones, seat, cell):
                yield (cell,)
    for source in begun[:1] or every:
        if isinstance(source, int) and stones[source] == seat:
            yield from _after_moving(board, stones, seat, source, begun[1:])
    yield from swaps(position, begun)


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened."""
    seat, board = position.turn, position.board
    assert seat is not None
    if move == (SWAP,):
        stones, cells, event = swapped(position, mirrored)
        return Position(board, stones, 1 - seat, cells), (event,)
    *moved, place = map(int, move)
    stones = with_stone(position.stones, seat, (*moved[1:], place), moved[:1])
    last = (place, *reversed(moved))
    events = [Event("moved", seat, tuple(moved))] if moved else []
    events.append(Event("placed", seat, (place,)))
    if any(_has_won(board, stones, cell) for cell in last[:2] if stones[cell] == seat):
        return Position(board, stones, None, last, winner=seat), tuple(events)
    turn, passed = next_turn(seat, lambda each: any(moves(Position(board, stones, each))))
    return Position(board, stones, turn, last), (*events, *passed)


def outcome(position: Position) -> Outcome | None:
    """How it ended; None while somebody is to move."""
    if position.turn is not None:
        return None
    return Outcome(two_ranks(position.winner), "draw" if position.winner is None else "goal")


def write(position: Position, move: Move) -> str:
    """The point, `C3`, or before it what was moved: `C3-C4/D5`; or `swap`."""
    moved, place = joined(position.board, move[:-1]), joined(position.board, move[-1:])
    return f"{moved}/{place}" if moved else place


@lru_cache(maxsize=8)
def edges(board: Board) -> tuple[tuple[frozenset[int], frozenset[int]], ...]:
    """For each seat the two edges that it has to join: rows for Vertical, columns for Horizontal."""
    rows = [row.cells for row in board.layout.rows]
    columns = list(zip(*rows, strict=True))
    return (frozenset(rows[0]), frozenset(rows[-1])), (frozenset(columns[0]), frozenset(columns[-1]))


@lru_cache(maxsize=8)
def _corners(board: Board) -> tuple[tuple[tuple[int, int, int], ...], ...]:
    """Of each point those diagonally beside it, each with the two points that are beside both."""
    return tuple(
        tuple((rays[way][0], rays[way - 1][0], rays[(way + 1) % 8][0]) for way in DIAGONAL if rays[way])
        for rays in board.rays
    )


def _fits(board: Board, stones: bytes, seat: Seat, cell: int) -> bool:
    """Whether no own stone would touch one on a point by the corner alone."""
    # A loop: `all` would have a generator go on for each corner, and this is asked for every point.
    for other, one, two in _corners(board)[cell]:
        if stones[other] == seat and seat not in (stones[one], stones[two]):
            return False
    return True


def _after_moving(board: Board, stones: bytes, seat: Seat, source: int, rest: Move) -> Iterator[Move]:
    """The moves that begin with moving the stone on `source`."""
    gone = with_stone(stones, seat, gone=(source,))
    targets = [ray[0] for ray in board.rays[source] if ray and stones[ray[0]] == EMPTY]
    for target in targets:
        if rest and rest[0] != target:
            continue
        moved = with_stone(gone, seat, (target,))
        # What the stone that is placed has to mend; it can only do so from where it is beside both.
        broken = [
            {one, two}
            for cell in (target, *board.neighbours[source])
            if moved[cell] == seat
            for other, one, two in _corners(board)[cell]
            if moved[other] == seat and seat not in (moved[one], moved[two])
        ]
        wanted = sorted(set.intersection(*broken)) if broken else range(len(moved))
        for place in wanted:
            if moved[place] == EMPTY and rest[1:2] in ((), (place,)) and _fits(board, moved, seat, place):
                yield (source, target, place)


def _has_won(board: Board, stones: bytes, cell: int) -> bool:
    """Whether the chain of the stone on a point joins both edges of its seat."""
    chain = group_of(board, stones, cell)
    return all(not edge.isdisjoint(chain) for edge in edges(board)[stones[cell]])


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    if SWAP in steps:
        return SWAPPING
    cells: Iterable[int] = [int(step) for step in steps]
    first, *others = cells
    if position.stones[first] == EMPTY:
        return CORNERS if not others else MOVING
    if position.stones[first] != position.turn:
        return MOVING if others else PLACING
    is_step = not others or (
        position.stones[others[0]] == EMPTY and any(ray[:1] == (others[0],) for ray in position.board.rays[first])
    )
    return CORNERS if is_step and len(others) < 3 else MOVING


to_move = defaults.turn_of
read, scene = defaults.reader(info, moves, _why, ENDING), stones.drawer(info)
