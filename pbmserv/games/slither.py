"""Slither, by Corey Clark (2010): a stone may be moved before one is placed; none touch by corners alone."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

from pbmserv.games import boards
from pbmserv.games.board import Board
from pbmserv.games.boards import DIAGONAL
from pbmserv.games.game import Event, Move, Outcome, Piece, Scene, Seat, two_ranks
from pbmserv.games.groups import EMPTY, group_of, with_stone
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import joined, read_move

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, PLACING, MOVING, CORNERS, SWAPPING, ENDING = 1, 2, 3, 4, 5, 7

SWAP: Final = "swap"

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

_STONES = tuple((Piece(seat, side.mark),) for seat, side in enumerate(info.sides))


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: `stones` has the seat of each point's stone, 2 where there is none.

    `turn` is None when the game is over, `winner` too if nobody has won. `last` is where the last ply placed its
    stone, then where it moved one to, and from where.
    """

    board: Board
    stones: bytes
    turn: Seat | None = 0
    winner: Seat | None = None
    last: tuple[int, ...] = ()


def start(seats: int, options: Mapping[str, str]) -> Position:
    """The empty board. Raises BadOption for anything but a `size` from `info`."""
    size = int(chosen(info, options)["size"])
    return Position(boards.points(size), bytes([EMPTY]) * size**2)


def to_move(position: Position) -> Seat | None:
    """The seat on turn; None when the game is over."""
    return position.turn


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
    if begun in ((), (SWAP,)) and _may_swap(position):
        yield (SWAP,)


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened."""
    seat, board = position.turn, position.board
    assert seat is not None
    if move == (SWAP,):
        (old,) = (cell for cell, owner in enumerate(position.stones) if owner != EMPTY)
        new = _mirrored(board, old)
        stones = with_stone(position.stones, seat, (new,), (old,))
        cells = (old, new) if old != new else (old,)
        return Position(board, stones, 1 - seat, None, (new, new, old)), (Event("swapped", seat, cells),)
    *moved, place = map(int, move)
    stones = with_stone(position.stones, seat, (*moved[1:], place), moved[:1])
    last = (place, *reversed(moved))
    events = [Event("moved", seat, tuple(moved))] if moved else []
    events.append(Event("placed", seat, (place,)))
    if any(_has_won(board, stones, cell) for cell in last[:2] if stones[cell] == seat):
        return Position(board, stones, None, seat, last), tuple(events)
    after = Position(board, stones, 1 - seat, None, last)
    if any(moves(after)):
        return after, tuple(events)
    after = Position(board, stones, seat, None, last)
    if any(moves(after)):
        return after, (*events, Event("passed", 1 - seat))
    return Position(board, stones, None, None, last), tuple(events)


def outcome(position: Position) -> Outcome | None:
    """How it ended; None while somebody is to move."""
    if position.turn is not None:
        return None
    return Outcome(two_ranks(position.winner), "draw" if position.winner is None else "goal")


def write(position: Position, move: Move) -> str:
    """The point, `C3`, or before it what was moved: `C3-C4/D5`; or `swap`."""
    moved, place = joined(position.board, move[:-1]), joined(position.board, move[-1:])
    return f"{moved}/{place}" if moved else place


def read(position: Position, text: str) -> Move:
    """The legal move that `text` means."""
    found, why = partial(moves, position), partial(_why, position)
    return read_move(text, position.board, found, why, info.words, THE_BOARD)


def scene(position: Position) -> Scene:
    """What to draw and say of the position."""
    stones = position.stones
    return Scene(
        position.board,
        tuple([() if seat == EMPTY else _STONES[seat] for seat in stones]),
        marked=tuple(dict.fromkeys(position.last[:2])),
        vacated=tuple(cell for cell in position.last[2:] if stones[cell] == EMPTY),
    )


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


def _mirrored(board: Board, cell: int) -> int:
    """The point with column and row exchanged, where it is to one side what it was to the other."""
    column, row = divmod(cell, len(board.layout.rows))
    return row * len(board.layout.rows) + column


def _may_swap(position: Position) -> bool:
    """Whether the stone on the board is the first player's only one."""
    return position.turn == 1 and position.stones.count(EMPTY) == len(position.stones) - 1


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    if position.turn is None:
        return ENDING
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
