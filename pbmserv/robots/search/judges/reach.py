"""Amazons, Hex and Tumbleweed: who reaches or sees what.

Amazons: who is first where, counted in amazons' moves (J. Lieberum, "An evaluation function for the game of
Amazons", 2005: his territory, without what it is mixed with). Hex: the empty cells are filled by chance, which is
as good as playing on, since a full board has one winner.
"""

from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games import defaults, tumbleweed
from pbmserv.games.board import Board
from pbmserv.games.game import Game, Move
from pbmserv.games.stones import EMPTY
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.bits import Lines, bits_of, joined_with, lines_of, packed
from pbmserv.robots.search.judge import Judge, Looked, likelihood

_CELLS: Final = 5
"""By so many cells ahead, three games of four are won."""
_TEMPO: Final = 0.2
"""What being to move is worth, of a cell that both reach equally soon."""
_FREEDOM: Final = 0.15


def _reached_first(game: Game, position: Any, _: Dice) -> Looked:
    """Cells that one side reaches in fewer moves; of those that both reach as soon, a part goes to the mover."""
    lines, empty = lines_of(position.board), bits_of(position.cells, defaults.EMPTY)
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


_POINTS: Final = 5
"""By so many cells ahead, three games of four are won."""
_LOOSE: Final = (0.5, 0.9)
"""What a stack is worth less that can be taken: by the other side, when it is to move later, and now."""
_CAPTURE: Final = 3.0
_CONTESTED: Final = 0.6
_SAFE: Final = 1.5
_TRIED: Final = 30
_APART: Final = 7

Seen = tuple[list[int], list[int]]
"""For each seat, how many of its stacks see each cell."""


def _seen(position: Any) -> Seen:
    owners, rays = position.owners, position.board.rays
    found = [0] * len(owners), [0] * len(owners)
    for cell, owner in enumerate(owners):
        if owner < EMPTY:
            seen = found[owner]
            for ray in rays[cell]:
                for each in ray:
                    seen[each] += 1
                    if owners[each] != EMPTY:
                        break
    return found


def _cells(_: Game, position: Any, __: Dice) -> Looked:
    """What the count at the end would be, less for stacks that can be taken."""
    white, red = _seen(position)
    ahead = 0.0
    for owner, height, by_white, by_red in zip(position.owners, position.heights, white, red, strict=True):
        if owner == EMPTY:
            ahead += (by_white > by_red) - (by_white < by_red)
        elif owner == 0:
            ahead += 1 - (_LOOSE[position.turn == 1] if by_red > height else 0)
        elif owner == 1:
            ahead -= 1 - (_LOOSE[position.turn == 0] if by_white > height else 0)
    return likelihood(ahead / _POINTS), ()


def _likely(position: Any) -> tuple[list[Move], bool] | None:
    """At first a few pairs of cells opposite each other; later what takes, or is seen by many; a pass if ahead."""
    count, turn = len(position.owners), position.turn
    if not position.begun:
        return [(cell, count - 1 - cell) for cell in range(0, count // 2, _APART)], False
    seen = _seen(position)
    own, other = seen[turn], seen[1 - turn]
    ranked = []
    for cell, (owner, height) in enumerate(zip(position.owners, position.heights, strict=True)):
        if own[cell] > height:
            worth = own[cell] - height + _CONTESTED * other[cell] + (_SAFE if own[cell] >= other[cell] else 0)
            worth += _CAPTURE * (owner in (1 - turn, tumbleweed.NEUTRAL))
            worth += _CAPTURE * (owner == turn and other[cell] > height)
            ranked.append((worth, cell))
    found: list[Move] = [(cell,) for _, cell in sorted(ranked)[-_TRIED:]]
    points = tumbleweed.scores(position)
    if points[turn] > points[1 - turn] and (position.passes or len(found) < _TRIED):
        found.append((tumbleweed.PASSES,))
    if position.begun == 1:
        found.insert(0, (tumbleweed.SWAP,))
    return (found, False) if found else None


judges: Final = MappingProxyType(
    {
        "amazons": Judge(_reached_first, curiosity=0.25),
        "hex": Judge(_filled, curiosity=0.2),
        "tumbleweed": Judge(_cells, curiosity=0.25, likely=_likely),
    }
)
