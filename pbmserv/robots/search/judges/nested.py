"""Ultimate tic-tac-toe: rows of small boards, and the rows on each of them, that one side alone can still fill."""

from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games.game import Game
from pbmserv.games.ultimate import CELLS, EMPTY, FULL, ROWS
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.judge import Judge, Looked, likelihood

_SMALL, _ROW, _FREE_CHOICE = 0.5, 1.6, 0.3


def _look(_: Game, position: Any, __: Dice) -> Looked:
    """How near each side is to a row of small boards; whoever may play anywhere has an advantage."""
    marks, smalls = position.marks, position.smalls
    worth = [
        _worth(bytes([marks[cell] for cell in CELLS[small]])) if owner == EMPTY else (1.0, -1.0, 0.0, 0.0)[owner]
        for small, owner in enumerate(smalls)
    ]
    ahead = _SMALL * sum(worth)
    for row in ROWS:
        owners = {smalls[small] for small in row}
        if FULL in owners or owners >= {0, 1}:
            continue
        total = sum([worth[small] for small in row])
        ahead += _ROW * total * abs(total) / 4
    if position.last is not None and smalls[position.last // 9 % 3 * 3 + position.last % 3] != EMPTY:
        ahead += _FREE_CHOICE if position.turn == 0 else -_FREE_CHOICE
    return likelihood(ahead), ()


@lru_cache(maxsize=20_000)
def _worth(marks: bytes) -> float:
    """How likely a small board becomes the first seat's, from 1 to -1 for the other's."""
    ahead = 0.0
    for row in ROWS:
        own, theirs = [sum([marks[place] == seat for place in row]) for seat in (0, 1)]
        if not theirs:
            ahead += (0.04, 0.12, 0.35, 1.0)[own]
        elif not own:
            ahead -= (0.04, 0.12, 0.35, 1.0)[theirs]
    return max(-0.9, min(0.9, ahead))


judges: Final = MappingProxyType({"ultimate-tic-tac-toe": Judge(_look, curiosity=0.3)})
