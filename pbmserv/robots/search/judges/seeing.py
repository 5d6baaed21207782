"""Tumbleweed: cells that each side has or controls, and stacks that the other side can take."""

from types import MappingProxyType
from typing import Any, Final

from pbmserv.games import tumbleweed
from pbmserv.games.game import Game, Move
from pbmserv.games.stones import EMPTY
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.judge import Judge, Looked, likelihood

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


judges: Final = MappingProxyType({"tumbleweed": Judge(_cells, curiosity=0.25, likely=_likely)})
