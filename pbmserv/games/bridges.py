"""Bridges: the paper form of a game by Alex Randolph (1962), in which pegs a knight's move apart are linked.

As on paper, links come by themselves, stay for good, and may cross those of their own side.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Final

from pbmserv.games import defaults, stones
from pbmserv.games.board import Board
from pbmserv.games.boards import pegs
from pbmserv.games.defaults import next_turn
from pbmserv.games.game import Event, Move, Outcome, Scene, Seat, Stroke, two_ranks
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import joined
from pbmserv.games.stones import EMPTY, SWAP, no_stones, placements, swapped, swaps, with_stone

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, PLACING, BORDERS, SWAPPING, ENDING = 1, 2, 3, 6, 8

_JUMPS: Final = ((1, 2), (2, 1), (2, -1), (1, -2))
"""From a peg to those on its right with which it can be linked."""

Place = tuple[int, int]

Link = tuple[int, int]
"""Two pegs, by their holes, the lower number first."""

info = Info(
    name="bridges",
    title="Bridges",
    rules="bridges/1",
    sides=(Side("Vertical", "V"), Side("Horizontal", "H")),
    group="connection",
    credit=Credit("Alex Randolph", 1962),
    example="h8",
    options=(Option("size", "24", ("24", "18", "12"), measure="holes"),),
    words=(SWAP,),
)

_draw = stones.drawer(info)


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: `stones` has the seat of each hole's peg, 2 where there is none.

    `links` are those of both sides, the oldest first. `turn` is None when the game is over, `winner` too when
    nobody has won. `last` is the hole of the last peg, and where it came from if it was swapped.
    """

    board: Board
    stones: bytes
    links: tuple[Link, ...] = ()
    turn: Seat | None = 0
    winner: Seat | None = None
    last: tuple[int, ...] = ()


def start(seats: int, options: Mapping[str, str]) -> Position:
    """The empty board. Raises BadOption for anything but a `size` from `info`."""
    board = pegs(int(chosen(info, options)["size"]))
    return Position(board, no_stones(board))


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, in the board's order, and "swap" at the end."""
    if position.turn is not None:
        barred = frozenset().union(*goals(position.board)[1 - position.turn])
        yield from placements(position, begun, lambda cell: position.stones[cell] == EMPTY and cell not in barred)
    yield from swaps(position, begun)


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a peg placed and linked, or the first one swapped."""
    seat, board = position.turn, position.board
    assert seat is not None
    if move == (SWAP,):
        stones, cells, event = swapped(position, _mirrored)
        return Position(board, stones, (), 1 - seat, None, cells), (event,)
    cell = int(move[0])
    stones = with_stone(position.stones, seat, (cell,))
    new_links = _linked(position, seat, cell)
    links = position.links + new_links
    events = [Event("placed", seat, (cell,)), *(Event("linked", seat, link) for link in new_links)]
    if _has_won(board, stones, links, cell):
        return Position(board, stones, links, None, seat, (cell,)), tuple(events)
    # Nobody sends a mail for a pass that the rules force.
    turn, passed = next_turn(seat, lambda each: any(moves(Position(board, stones, links, each))))
    return Position(board, stones, links, turn, None, (cell,)), (*events, *passed)


def outcome(position: Position) -> Outcome | None:
    """How it ended; None while somebody is to move."""
    if position.turn is not None:
        return None
    return Outcome(two_ranks(position.winner), "draw" if position.winner is None else "goal")


def scene(position: Position) -> Scene:
    """What to draw and say of the position."""
    return replace(_draw(position), strokes=tuple(_stroke(position, link) for link in position.links))


@lru_cache(maxsize=8)
def goals(board: Board) -> tuple[tuple[frozenset[int], frozenset[int]], ...]:
    """For each seat the two rows or columns that it has to join, and nobody else may use."""
    size = len(board.layout.rows)
    places = [_place(board, cell) for cell in range(len(board.names))]

    def line(way: int, at: int) -> frozenset[int]:
        return frozenset(cell for cell, place in enumerate(places) if place[way] == at)

    return (line(1, 0), line(1, size - 1)), (line(0, 0), line(0, size - 1))


@lru_cache(maxsize=8)
def links_of(board: Board) -> tuple[tuple[Link, ...], ...]:
    """Of each hole the links that a peg there can have."""
    cells = _cells(board)
    found: list[list[Link]] = [[] for _ in cells]
    for (x, y), cell in cells.items():
        for aside, up in _JUMPS:
            if (other := cells.get((x + aside, y + up))) is not None:
                found[cell].append((cell, other))
                found[other].append((cell, other))
    return tuple(map(tuple, found))


@lru_cache(maxsize=2**12)
def crossing(board: Board, link: Link) -> tuple[Link, ...]:
    """The links that would cross one."""
    cells = _cells(board)
    (x, y), (to_x, to_y) = (_place(board, cell) for cell in link)
    ends = (
        (cells.get((x + left, y + low)), cells.get((x + right, y + high)))
        for (left, low), (right, high) in _crossed(to_x - x, to_y - y)
    )
    return tuple((one, other) for one, other in ends if one is not None and other is not None)


@lru_cache(maxsize=4)
def _crossed(aside: int, up: int) -> tuple[tuple[Place, Place], ...]:
    """The links that cross the one from 0, 0 to this place, from left to right."""
    one, other = (0, 0), (aside, up)
    found = []
    for begin in product(range(-2, 3), range(-3, 4)):
        for step in _JUMPS:
            end = begin[0] + step[0], begin[1] + step[1]
            # Each has its ends on both sides of the other one.
            is_parted = _side(one, other, begin) * _side(one, other, end) < 0
            if is_parted and _side(begin, end, one) * _side(begin, end, other) < 0:
                found.append((begin, end))
    return tuple(found)


def _side(a: Place, b: Place, c: Place) -> int:
    """On which side of the line from `a` to `b` there is `c`; 0 on it."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _place(board: Board, cell: int) -> Place:
    """Column and row of a hole, counted from 0."""
    x, y = board.layout.places[cell]
    return x // 2, len(board.layout.rows) - 1 - y // 2


@lru_cache(maxsize=8)
def _cells(board: Board) -> Mapping[Place, int]:
    """The holes by column and row."""
    return {_place(board, cell): cell for cell in range(len(board.names))}


def _mirrored(board: Board, cell: int) -> int:
    """The hole with column and row exchanged, where it is to one side what it was to the other: D8 for H4."""
    column, row = _place(board, cell)
    return _cells(board)[row, column]


def _linked(position: Position, seat: Seat, cell: int) -> tuple[Link, ...]:
    """The links of a new peg: to each of its own side that no link of the other side is between."""
    stones, board = position.stones, position.board
    others = {link for link in position.links if stones[link[0]] != seat}
    return tuple(
        link
        for link in links_of(board)[cell]
        if seat in (stones[link[0]], stones[link[1]]) and others.isdisjoint(crossing(board, link))
    )


def _has_won(board: Board, stones: bytes, links: tuple[Link, ...], cell: int) -> bool:
    """Whether pegs linked with the one on a hole stand on both lines of its seat."""
    linked, found, todo = set(links), {cell}, [cell]
    while todo:
        for link in links_of(board)[todo.pop()]:
            if link in linked:
                fresh = [each for each in link if each not in found]
                found.update(fresh)
                todo += fresh
    return all(not edge.isdisjoint(found) for edge in goals(board)[stones[cell]])


def _stroke(position: Position, link: Link) -> Stroke:
    """How a link is drawn: in text by one character in its middle, a cross where two links meet there."""
    board, (one, other) = position.board, link
    (x, y), (to_x, to_y) = _place(board, one), _place(board, other)
    (line, at), (last_line, last_at) = board.sheet.slots[one], board.sheet.slots[other]
    if to_x - x > 1:
        at = board.sheet.slots[_cells(board)[x + 1, y]][1]
    elif x > 0:
        at += 1
    else:  # where the border stands between the columns, too
        at = last_at - 1
    across = (_cells(board).get((x, to_y)), _cells(board).get((to_x, y)))
    mark = "X" if across in position.links else "/" if to_y > y else "\\"
    return Stroke(
        position.stones[one],
        joined(board, link),
        (board.layout.places[one], board.layout.places[other]),
        (((line + last_line) // 2, at, mark),),
    )


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    if SWAP in steps:
        return SWAPPING
    is_free = len(steps) == 1 and position.stones[int(steps[0])] == EMPTY
    return BORDERS if is_free else PLACING


to_move = defaults.turn_of
read, write = defaults.reader(info, moves, _why, ENDING), defaults.hyphenated
