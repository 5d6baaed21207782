"""Games of joining edges with stones: Hex, Havannah, Y.

Hex is by Piet Hein (1942) and, independently of him, John Nash (1948). Havannah is by Christian Freeling (1979). Y
is by Claude Shannon (about 1950) and, independently of him, Craige Schensted and Charles Titus (1953).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pbmserv.games import defaults, hexagons, stones
from pbmserv.games.board import Board
from pbmserv.games.game import Event, Move, Outcome, Scene, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import joined
from pbmserv.games.stones import (
    EMPTY,
    SWAP,
    Position,
    group_of,
    mirrored,
    no_stones,
    placements,
    swapped,
    swaps,
    with_stone,
)

# The numbers of the paragraphs in the rules texts that Illegal may quote, the same in all of them.
THE_BOARD, PLACING, SWAPPING, ENDING = 1, 3, 4, 6

_CORNER: Final = 3
"""Neighbours of a corner of a hexagon; a cell at its edge has one more."""


@dataclass(frozen=True)
class ConnectionGame:
    """A game that some shape of joined stones wins.

    `has_won` tells whether the stone placed last, on a cell, made such a shape; `swapped` where the first stone
    stands when the second side has taken it over.
    """

    info: Info
    board: Callable[[int], Board]
    has_won: Callable[[Board, bytes, int], bool]
    swapped: Callable[[Board, int], int]

    def start(self, seats: int, options: Mapping[str, str]) -> Position:
        """The empty board. Raises BadOption for anything but a `size` from `info`."""
        board = self.board(int(chosen(self.info, options)["size"]))
        return Position(board, no_stones(board))

    def to_move(self, position: Position) -> Seat | None:
        """The seat on turn; None when the game is over."""
        return position.turn

    def moves(self, position: Position, begun: Move = ()) -> Iterable[Move]:
        """The legal moves that begin so, in the board's order, and "swap" at the end."""
        yield from placements(position, begun, lambda cell: position.stones[cell] == EMPTY)
        yield from swaps(position, begun)

    def play(self, position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
        """The position after a legal move, and what happened: a stone placed, or the first one swapped."""
        seat, board = position.turn, position.board
        assert seat is not None
        if move == (SWAP,):
            stones, cells, event = swapped(position, self.swapped)
            return Position(board, stones, 1 - seat, cells), (event,)
        cell = int(move[0])
        stones = with_stone(position.stones, seat, (cell,))
        turn = None if EMPTY not in stones or self.has_won(board, stones, cell) else 1 - seat
        return Position(board, stones, turn, (cell,)), (Event("placed", seat, (cell,)),)

    def outcome(self, position: Position) -> Outcome | None:
        """How it ended; None while somebody is to move. Only the side that placed the last stone can have won."""
        if position.turn is not None:
            return None
        if self.has_won(position.board, position.stones, position.last[0]):
            return Outcome(two_ranks(position.stones[position.last[0]]), "goal")
        return Outcome(two_ranks(None), "draw")

    def write(self, position: Position, move: Move) -> str:
        """The cell, `C3`, or `swap`."""
        return joined(position.board, move)

    def read(self, position: Position, text: str) -> Move:
        """The legal move that `text` means."""
        return defaults.reader(self.info, self.moves, _why, ENDING)(position, text)

    def scene(self, position: Position) -> Scene:
        """What to draw and say of the position."""
        return stones.drawer(self.info)(position)


def _why(_: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    return SWAPPING if SWAP in steps else PLACING


def _joins_two(board: Board, stones: bytes, cell: int) -> bool:
    """Whether a chain joins both edges of its seat on a rhombus: rows for Vertical, columns for Horizontal."""
    edges = rhombus_edges(board)[stones[cell]]
    chain = group_of(board, stones, cell)
    return all(not edge.isdisjoint(chain) for edge in edges)


@lru_cache(maxsize=8)
def rhombus_edges(board: Board) -> tuple[tuple[frozenset[int], frozenset[int]], ...]:
    """For each seat the two edges that it has to join."""
    rows = [frozenset(row.cells) for row in board.layout.rows]
    columns = [frozenset(column) for column in zip(*(row.cells for row in board.layout.rows), strict=True)]
    return (rows[0], rows[-1]), (columns[0], columns[-1])


def _joins_three(board: Board, stones: bytes, cell: int) -> bool:
    """Whether a chain joins all edges of a triangle."""
    chain = group_of(board, stones, cell)
    return all(not edge.isdisjoint(chain) for edge in triangle_edges(board))


@lru_cache(maxsize=8)
def triangle_edges(board: Board) -> tuple[frozenset[int], ...]:
    """The three edges of a triangle; a corner is of two."""
    rows = [row.cells for row in board.layout.rows]
    return frozenset(rows[0]), frozenset(row[0] for row in rows), frozenset(row[-1] for row in rows)


def _is_frame(board: Board, stones: bytes, cell: int) -> bool:
    """Whether a chain joins two corners or three edges of a hexagon, or is a ring."""
    if sum([stones[each] == stones[cell] for each in board.neighbours[cell]]) == 0:
        return False
    chain = group_of(board, stones, cell)
    corners, edges = hexagon_edges(board)
    if len(corners & chain) > 1 or sum([not edge.isdisjoint(chain) for edge in edges]) > 2:
        return True
    return _has_ring(board, chain, cell)


def _has_ring(board: Board, chain: frozenset[int], cell: int) -> bool:
    """Whether a chain goes round something: a stone that is all surrounded by it, or cells without a way out.

    The chain has no ring without the stone on `cell`, so one would be near it.
    """
    near = board.neighbours[cell]
    if any(len(board.neighbours[each]) == len(chain.intersection(board.neighbours[each])) == 6 for each in near):
        return True
    outside = {each for each in range(len(board.names)) if len(board.neighbours[each]) < 6} - chain
    todo = list(outside)
    while todo:
        for each in board.neighbours[todo.pop()]:
            if each not in outside and each not in chain:
                outside.add(each)
                todo.append(each)
    return len(outside) + len(chain) < len(board.names)


@lru_cache(maxsize=8)
def hexagon_edges(board: Board) -> tuple[frozenset[int], tuple[frozenset[int], ...]]:
    """The corners of a hexagon, and its six edges without them."""
    rim = {cell for cell, beside in enumerate(board.neighbours) if len(beside) < 6}
    corners = frozenset(cell for cell in rim if len(board.neighbours[cell]) == _CORNER)
    left, edges = rim - corners, []
    while left:
        edge, todo = set[int](), [min(left)]
        while todo:
            edge.add(cell := todo.pop())
            todo += [each for each in board.neighbours[cell] if each in left and each not in edge]
        edges.append(frozenset(edge))
        left -= edge
    return corners, tuple(edges)


def _same(_: Board, cell: int) -> int:
    """Where a swapped stone stands when both sides want the same: it stays and changes its colour."""
    return cell


_BLACK_AND_WHITE = (Side("White", "o"), Side("Black", "x"))

games = (
    ConnectionGame(
        Info(
            name="hex",
            title="Hex",
            rules="hex/1",
            sides=(Side("Vertical", "V"), Side("Horizontal", "H")),
            group="connection",
            credit=Credit("Piet Hein and John Nash", 1942),
            example="c3",
            options=(Option("size", "11", ("11", "13", "14", "19"), measure="cells"),),
            words=(SWAP,),
        ),
        hexagons.rhombus,
        _joins_two,
        mirrored,
    ),
    ConnectionGame(
        Info(
            name="havannah",
            title="Havannah",
            rules="havannah/1",
            sides=_BLACK_AND_WHITE,
            group="connection",
            credit=Credit("Christian Freeling", 1979, "mindsports.nl"),
            example="e5",
            options=(Option("size", "8", ("8", "4", "5", "6", "10"), measure="cells a side"),),
            words=(SWAP,),
        ),
        hexagons.hexagon,
        _is_frame,
        _same,
    ),
    ConnectionGame(
        Info(
            name="game-of-y",
            title="Y",
            rules="game-of-y/1",
            sides=_BLACK_AND_WHITE,
            group="connection",
            credit=Credit("Claude Shannon, Craige Schensted and Charles Titus", 1953),
            example="c3",
            options=(Option("size", "13", ("13", "9", "11", "15", "19"), measure="cells a side"),),
            words=(SWAP,),
        ),
        hexagons.triangle,
        _joins_three,
        _same,
    ),
)
HEX, HAVANNAH, GAME_OF_Y = games
