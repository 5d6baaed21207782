"""Y and Havannah: the empty cells are filled by chance, and who has joined what it needs then is ahead."""

from collections.abc import Callable
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games.board import Board
from pbmserv.games.connection import hexagon_edges, triangle_edges
from pbmserv.games.game import Game
from pbmserv.games.stones import EMPTY, groups_of
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.bits import bits_of
from pbmserv.robots.search.judge import Judge, Looked
from pbmserv.robots.search.node import packed

_TWO_CORNERS: Final = 2
_THREE_EDGES: Final = 3


def _filled(has_joined: Callable[[Board, frozenset[int]], bool], _: Game, position: Any, dice: Dice) -> Looked:
    """Who has won when each empty cell is anybody's; where both have, or nobody has, it is even."""
    board, count = position.board, len(position.stones)
    owners, chance = bytearray(position.stones), dice.bits(count)
    for cell, owner in enumerate(owners):
        if owner == EMPTY:
            owners[cell] = chance >> cell & 1
    least = min(map(len, _targets(board)))
    first, second = (
        any(len(group) >= least and has_joined(board, group) for group in groups_of(board, owners, seat))
        for seat in (0, 1)
    )
    rewards = (0.5, 0.5) if first == second else (1.0, 0.0) if first else (0.0, 1.0)
    own = bits_of(bytes(owners), 0)
    return rewards, (packed(own, count), packed(((1 << count) - 1) & ~own, count))


def _targets(board: Board) -> tuple[frozenset[int], ...]:
    """The edges of a triangle, or those of a hexagon: the shortest chains are about as long."""
    return triangle_edges(board) if len(board.layout.rows[-1].cells) == 1 else hexagon_edges(board)[1]


def _joins_three(board: Board, group: frozenset[int]) -> bool:
    return all(not edge.isdisjoint(group) for edge in triangle_edges(board))


def _is_fork_or_bridge(board: Board, group: frozenset[int]) -> bool:
    """Rings are left out: they are seldom, and found by the search itself."""
    corners, edges = hexagon_edges(board)
    if len(corners & group) >= _TWO_CORNERS:
        return True
    return sum([not edge.isdisjoint(group) for edge in edges]) >= _THREE_EDGES


judges: Final = MappingProxyType(
    {
        "game-of-y": Judge(partial(_filled, _joins_three), curiosity=0.2),
        "havannah": Judge(partial(_filled, _is_fork_or_bridge), curiosity=0.2),
    }
)
