"""Infection, konane and clobber: who has more stones, or more moves left."""

from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games.board import Board
from pbmserv.games.defaults import EMPTY
from pbmserv.games.game import Game, Move
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.bits import bits_of, cells_of, lines_of
from pbmserv.robots.search.judge import Judge, Looked, likelihood

_LEAD: Final = 4.0
"""So many times the lead in stones, as a part of all stones, is what three games of four are won by."""
_GAIN: Final = 0.6
"""What the best next move would gain counts so much."""
_MOST_TRIED: Final = 14
_MOVES: Final = 1.5
_MARKS: Final = "xo"


def _stones(_: Any, position: Any, __: Dice) -> Looked:
    """Stones, and what whoever is to move can gain at once."""
    own = [bits_of(position.cells, mark) for mark in _MARKS]
    ahead: float = own[0].bit_count() - own[1].bit_count()
    gain = max(_gains(position, own).values(), default=0)
    total = own[0].bit_count() + own[1].bit_count()
    ahead += _GAIN * (gain if position.turn == 0 else -gain)
    return likelihood(_LEAD * ahead / total), ()


def _gains(position: Any, own: list[int]) -> dict[Move, int]:
    """By how much each move would change the lead; of jumps to one square only the first."""
    near, further = _bits(position.board)
    empty = cells_of(bits_of(position.cells, EMPTY))
    mine, theirs = own[position.turn], own[1 - position.turn]
    found: dict[Move, int] = {}
    for cell in empty:
        turned = 2 * (near[cell] & theirs).bit_count()
        if near[cell] & mine:
            found[(cell,)] = turned + 1
        elif sources := further[cell] & mine:
            found[((sources & -sources).bit_length() - 1, cell)] = turned
    return found


def _best(position: Any) -> tuple[list[Move], bool] | None:
    """The moves that gain most: to grow is always better than to jump to the same square, or nearly so."""
    found = _gains(position, [bits_of(position.cells, mark) for mark in _MARKS])
    return sorted(found, key=lambda move: (found[move], move))[-_MOST_TRIED:], True


@lru_cache(maxsize=8)
def _bits(board: Board) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Of each cell those around it, and those two squares away."""
    size = len(board.layout.rows)
    places = [divmod(cell, size) for cell in range(size**2)]

    def at(distance: int) -> tuple[int, ...]:
        return tuple(
            sum(1 << cell for cell, (a, b) in enumerate(places) if max(abs(a - x), abs(b - y)) == distance)
            for x, y in places
        )

    return at(1), at(2)


def _jumps(game: Game, position: Any, _: Dice) -> Looked:
    """Jumps that each side could make now, one square at a time."""
    count = len(position.board.layout.rows)
    every = (1 << len(position.cells)) - 1
    empty = bits_of(position.cells, EMPTY)
    own = [bits_of(position.cells, side.mark) for side in game.info.sides]
    found = [0, 0]
    for cells, step in lines_of(position.board).ways:
        if abs(step) not in (1, count):
            continue
        for seat in (0, 1):
            over = _moved(own[seat] & cells, step) & own[1 - seat] & cells
            found[seat] += (_moved(over, step) & empty & every).bit_count()
    ahead = found[0] - found[1] + (0.5 if position.turn == 0 else -0.5)
    return likelihood(ahead / _MOVES), ()


def _moved(bits: int, step: int) -> int:
    return bits << step if step > 0 else bits >> -step


judges: Final = MappingProxyType({"infection": Judge(_stones, 0.3, _best), "konane": Judge(_jumps, curiosity=0.3)})
