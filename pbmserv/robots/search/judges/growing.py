"""Oust and Tanbo: who has more stones, and more room to grow."""

from types import MappingProxyType
from typing import Any, Final

from pbmserv.games import tanbo
from pbmserv.games.game import Game
from pbmserv.games.stones import groups_of
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.judge import Judge, Looked, likelihood

_STONES: Final = 6
"""By so many stones ahead, three games of four are won."""
_LARGEST: Final = 2.0
"""What a stone more in the largest group is worth, of one anywhere."""
_POINTS: Final = 8
"""By so many points to grow to ahead, three games of four are won."""
_ROOT: Final = 2.0


def _stones(_: Game, position: Any, __: Dice) -> Looked:
    """Stones, and those of the largest group once more, since only a larger one can take it; and the turn."""
    worth = []
    for seat in (0, 1):
        sizes = [len(group) for group in groups_of(position.board, position.stones, seat)]
        worth.append(sum(sizes) + _LARGEST * max(sizes, default=0))
    turn = 1 if position.turn == 0 else -1
    return likelihood((worth[0] - worth[1] + turn) / _STONES), ()


def _roots(_: Game, position: Any, __: Dice) -> Looked:
    """Points where roots can grow, and roots."""
    board, stones = position.board, position.stones
    ahead = 0.0
    for seat, sign in ((0, 1), (1, -1)):
        room = sum([tanbo.is_open(board, stones, seat, cell) for cell in range(len(stones))])
        roots = sum(1 for _ in groups_of(board, stones, seat))
        ahead += sign * (room + _ROOT * roots)
    return likelihood(ahead / _POINTS), ()


judges: Final = MappingProxyType({"oust": Judge(_stones, curiosity=0.3), "tanbo": Judge(_roots, curiosity=0.3)})
