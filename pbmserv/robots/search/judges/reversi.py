"""Reversi: corners, and how many moves each side has; discs only near the end."""

from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games.board import Board
from pbmserv.games.boards import DIAGONAL
from pbmserv.games.game import Game
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.bits import Lines, bits_of, lines_of
from pbmserv.robots.search.judge import Judge, Looked, likelihood

_CORNER: Final = 0.8
_BESIDE_CORNER: Final = 0.35
_MOVES: Final = 2.0
_LATE: Final = 14
"""Empty squares from which on discs count."""


def _look(_: Game, position: Any, __: Dice) -> Looked:
    first, second = bits_of(position.stones, 0), bits_of(position.stones, 1)
    lines = lines_of(position.board)
    empty = ((1 << len(position.stones)) - 1) & ~(first | second)
    mine, theirs = _moves(lines, first, second, empty).bit_count(), _moves(lines, second, first, empty).bit_count()
    ahead = _MOVES * (mine - theirs) / (mine + theirs + 2)
    for corner, beside in _corners(position.board):
        if empty & corner:
            ahead -= _BESIDE_CORNER * (bool(first & beside) - bool(second & beside))
        else:
            ahead += _CORNER if first & corner else -_CORNER
    left = empty.bit_count()
    if left < _LATE:
        ahead += (first.bit_count() - second.bit_count()) * (_LATE - left) / 60
    return likelihood(ahead), ()


def _moves(lines: Lines, own: int, other: int, empty: int) -> int:
    """The squares where a side may play."""
    found = 0
    for cells, step in lines.ways:
        run = own
        while run := ((run & cells) << step if step > 0 else (run & cells) >> -step) & other:
            found |= (run & cells) << step if step > 0 else (run & cells) >> -step
    return found & empty


@lru_cache(maxsize=8)
def _corners(board: Board) -> tuple[tuple[int, int], ...]:
    """Each corner, and the square diagonally beside it."""
    return tuple(
        (1 << cell, 1 << rays[ways[0]][0])
        for cell, rays in enumerate(board.rays)
        if len(ways := [way for way in DIAGONAL if rays[way]]) == 1
    )


judges: Final = MappingProxyType({"reversi": Judge(_look, curiosity=0.3)})
