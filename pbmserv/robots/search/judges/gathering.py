"""Lines of action: how far each side's pieces are apart, and in how many groups."""

from types import MappingProxyType
from typing import Any, Final

from pbmserv.games.game import Game
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.bits import beside, bits_of, lines_of
from pbmserv.robots.search.judge import Judge, Looked, likelihood

_DISTANCE: Final = 1.2
"""What it is worth that the pieces are one square nearer to their middle, on average."""
_GROUP: Final = 0.35
_TEMPO: Final = 0.15


def _look(game: Game, position: Any, _: Dice) -> Looked:
    """Squares to the middle of one's own pieces, and groups: few of both are good."""
    cells, size = position.cells, len(position.board.layout.rows)
    ahead = _TEMPO if position.turn == 0 else -_TEMPO
    for sign, side in ((-1, game.info.sides[0]), (1, game.info.sides[1])):
        places = [divmod(cell, size) for cell, mark in enumerate(cells) if mark == side.mark]
        count = len(places)
        x, y = sum([place[0] for place in places]) / count, sum([place[1] for place in places]) / count
        apart = sum([max(abs(place[0] - x), abs(place[1] - y)) for place in places]) / count
        ahead += sign * (_DISTANCE * apart + _GROUP * _groups(position, side.mark))
    return likelihood(ahead), ()


def _groups(position: Any, mark: str) -> int:
    """How many groups a side's pieces are in."""
    left, ways = bits_of(position.cells, mark), lines_of(position.board).ways
    count = 0
    while left:
        found = news = left & -left
        while news:
            news = beside(news, ways) & left & ~found
            found |= news
        left &= ~found
        count += 1
    return count


judges: Final = MappingProxyType({"lines-of-action": Judge(_look, curiosity=0.3)})
