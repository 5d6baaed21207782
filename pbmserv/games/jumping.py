"""Capturing by jumps over what stands diagonally beside, once for draughts, lasca and their kin."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from pbmserv.games.board import Board
from pbmserv.games.boards import DIAGONAL, NE, NW, SE, SW
from pbmserv.games.defaults import EMPTY
from pbmserv.games.game import Move

UP: Final = (NW, NE)
DOWN: Final = (SW, SE)

Ways = tuple[tuple[tuple[int, ...], ...], ...]
"""Of each cell, for each direction in which a piece may go, the next cell and the one after that."""


@lru_cache(maxsize=32)
def ways_of(board: Board, directions: tuple[int, ...] = DIAGONAL) -> Ways:
    """The ways of a piece that goes in these directions."""
    return tuple(tuple(rays[way][:2] for way in directions if rays[way]) for rays in board.rays)


def jumps(
    cells: Sequence[str], ways: Ways, theirs: tuple[str, ...], path: tuple[int, ...], over: tuple[int, ...] = ()
) -> Iterator[Move]:
    """The whole captures that begin with this path, which has gone over these cells.

    A cell has the marks of what stands there, from bottom to top, or a dot. Nothing is jumped twice, and the piece
    that jumps is out of its own way.
    """
    is_done = True
    for ray in ways[path[-1]]:
        if len(ray) < 2 or cells[ray[0]][-1] not in theirs or ray[0] in over:
            continue
        if cells[ray[1]] == EMPTY or ray[1] == path[0]:
            is_done = False
            yield from jumps(cells, ways, theirs, (*path, ray[1]), (*over, ray[0]))
    if is_done and over:
        yield path


def jumped(board: Board, move: Move) -> tuple[int, ...]:
    """The cells that a move jumps over; empty for any other one."""
    ways = ways_of(board)
    return tuple(
        ray[0]
        for source, target in pairwise(move)
        for ray in ways[int(source)]
        if len(ray) == 2 and ray[1] == target
    )
