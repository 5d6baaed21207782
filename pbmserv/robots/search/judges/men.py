"""Oware, kalah, nine men's morris and breakthrough: what each side has, and how freely or how far on it stands."""

from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games.board import Board
from pbmserv.games.game import Game
from pbmserv.games.morris import EMPTY
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.bits import beside, bits_of, lines_of
from pbmserv.robots.search.judge import Judge, Looked, likelihood

_SEEDS: Final = 4
"""By so many seeds ahead, three games of four are won."""
_MAN, _FREEDOM = 0.8, 0.06
_PAWN, _LOOSE, _AT_THE_DOOR = 0.35, 0.4, 3.0
_ADVANCE: Final = 0.04


def _seeds(_: Game, position: Any, __: Dice) -> Looked:
    """Seeds captured; those that lie at home are worth a little."""
    south, north = position.stores
    half = len(position.pits) // 2
    home = sum(position.pits[:half]) - sum(position.pits[half:])
    return likelihood((south - north + home / 10) / _SEEDS), ()


def _merels(game: Game, position: Any, _: Dice) -> Looked:
    """Men on the board and in hand, and empty points beside them."""
    marks, hands, cells = [side.mark for side in game.info.sides], position.hands, position.cells
    ahead = _MAN * (cells.count(marks[0]) + hands[0] - cells.count(marks[1]) - hands[1])
    neighbours = position.board.neighbours
    for cell, mark in enumerate(cells):
        if mark == EMPTY:
            around = [cells[each] for each in neighbours[cell]]
            ahead += _FREEDOM * (around.count(marks[0]) - around.count(marks[1]))
    return likelihood(ahead), ()


def _pawns(_: Game, position: Any, __: Dice) -> Looked:
    """Men, how far they are, and whether the other side can take them for nothing."""
    size, turn = len(position.board.layout.rows), position.turn
    rows = _rows(position.board)
    men = bits_of(position.cells, "o"), bits_of(position.cells, "x")
    ahead = 0.0
    up, down = _aside(position.board)
    reached = beside(men[0], up), beside(men[1], down)
    for seat, sign in ((0, 1), (1, -1)):
        own = men[seat]
        ordered = rows if seat == 0 else rows[::-1]
        far = own & ordered[size - 2]
        if far and (seat == turn or far & ~reached[1 - seat]):
            ahead += sign * _AT_THE_DOOR * (3 if seat == turn else 1)
        loose = own & reached[1 - seat] & ~reached[seat]
        ahead += sign * _PAWN * own.bit_count()
        if loose and seat != turn:
            ahead -= sign * _LOOSE
        ahead += sign * _ADVANCE * sum([step * (own & row).bit_count() for step, row in enumerate(ordered)])
    return likelihood(ahead), ()


@lru_cache(maxsize=8)
def _rows(board: Board) -> tuple[int, ...]:
    """The cells of each row, from the lowest on."""
    return tuple(sum(1 << cell for cell in row.cells) for row in reversed(board.layout.rows))


@lru_cache(maxsize=8)
def _aside(board: Board) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    """The steps diagonally up, and down."""
    size = len(board.layout.rows)
    ways = lines_of(board).ways
    up, down = {size + 1, 1 - size}, {size - 1, -size - 1}
    return tuple(way for way in ways if way[1] in up), tuple(way for way in ways if way[1] in down)


judges: Final = MappingProxyType(
    {
        "kalah": Judge(_seeds, curiosity=0.3),
        "oware": Judge(_seeds, curiosity=0.3),
        "morris": Judge(_merels, curiosity=0.3),
        "six-mens-morris": Judge(_merels, curiosity=0.3),
        "twelve-mens-morris": Judge(_merels, curiosity=0.3),
        "breakthrough": Judge(_pawns, curiosity=0.3),
    }
)
