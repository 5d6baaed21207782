"""Amazons and Hex: who reaches what.

Amazons: who is first where, counted in amazons' moves (J. Lieberum, "An evaluation function for the game of
Amazons", 2005: his territory, without what it is mixed with). Hex: the empty cells are filled by chance, which is
as good as playing on, since a full board has one winner.
"""

from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games.board import Board
from pbmserv.games.defaults import EMPTY
from pbmserv.games.game import Game
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.bits import Lines, bits_of, joined_with, lines_of
from pbmserv.robots.search.judge import Judge, Looked, likelihood
from pbmserv.robots.search.node import packed

_CELLS: Final = 5
"""By so many cells ahead, three games of four are won."""
_TEMPO: Final = 0.2
"""What being to move is worth, of a cell that both reach equally soon."""
_FREEDOM: Final = 0.15


def _look(game: Game, position: Any, _: Dice) -> Looked:
    """Cells that one side reaches in fewer moves; of those that both reach as soon, a part goes to the mover."""
    lines, empty = lines_of(position.board), bits_of(position.cells, EMPTY)
    white, black = (bits_of(position.cells, side.mark) for side in game.info.sides)
    ahead = 0.0
    seen = [white, black]
    news = [white, black]
    taken = 0
    is_first = True
    while news[0] or news[1]:
        news = [_reached(lines, news[seat], empty) & ~seen[seat] for seat in (0, 1)]
        seen = [seen[0] | news[0], seen[1] | news[1]]
        first, second = news[0] & ~seen[1] & ~taken, news[1] & ~seen[0] & ~taken
        both = news[0] & news[1] & ~taken
        ahead += first.bit_count() - second.bit_count()
        ahead += both.bit_count() * (_TEMPO if position.turn == 0 else -_TEMPO)
        taken |= first | second | both
        if is_first:
            ahead += _FREEDOM * (news[0].bit_count() - news[1].bit_count())
            is_first = False
    return likelihood(ahead / _CELLS), ()


def _reached(lines: Lines, sources: int, empty: int) -> int:
    """The empty cells one queen's move from any of these."""
    found = 0
    for cells, step in lines.ways:
        run = sources
        while run := ((run & cells) << step if step > 0 else (run & cells) >> -step) & empty:
            found |= run
    return found


def _filled(_: Game, position: Any, dice: Dice) -> Looked:
    """Who wins when each empty cell is anybody's; and whose they were."""
    count = len(position.stones)
    vertical, horizontal = bits_of(position.stones, 0), bits_of(position.stones, 1)
    chance = dice.bits(count) & ~horizontal
    first = vertical | chance
    top, bottom = _edges(position.board)
    is_joined = joined_with(top, first, lines_of(position.board).beside) & bottom
    rewards = (1.0, 0.0) if is_joined else (0.0, 1.0)
    return rewards, (packed(first, count), packed(((1 << count) - 1) & ~first, count))


@lru_cache(maxsize=8)
def _edges(board: Board) -> tuple[int, int]:
    """The edges that Vertical joins."""
    rows = board.layout.rows
    return sum(1 << cell for cell in rows[0].cells), sum(1 << cell for cell in rows[-1].cells)


judges: Final = MappingProxyType({"amazons": Judge(_look, curiosity=0.25), "hex": Judge(_filled, curiosity=0.2)})
