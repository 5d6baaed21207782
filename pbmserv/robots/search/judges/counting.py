"""Infection, konane, oust, tanbo, reversi, and cephalopod between many: who has more stones, and more room."""

from functools import lru_cache
from math import exp
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games import tanbo
from pbmserv.games.board import Board
from pbmserv.games.boards import DIAGONAL
from pbmserv.games.defaults import EMPTY
from pbmserv.games.game import Game, Move
from pbmserv.games.stones import groups_of
from pbmserv.robots.cephalopod.thinker import judge_for
from pbmserv.robots.search.judges import Judge, Lines, Looked, bits_of, cells_of, likelihood, lines_of
from pbmserv.robots.thought import Dice

_LEAD: Final = 4.0
"""The lead in stones, as a part of all stones, times this: at 1, three games of four are won."""
_GAIN: Final = 0.6
"""What the best next move would gain counts so much."""
_MOST_TRIED: Final = 14
_JUMPS: Final = 1.5
_MARKS: Final = "xo"


def _stones_and_gain(_: Any, position: Any, __: Dice) -> Looked:
    """Stones, and what the seat to move can gain at once."""
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


def _gaining_most(position: Any) -> tuple[list[Move], bool] | None:
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
    return likelihood(ahead / _JUMPS), ()


def _moved(bits: int, step: int) -> int:
    return bits << step if step > 0 else bits >> -step


_STONES: Final = 6
"""The lead in stones with which three games of four are won."""
_LARGEST: Final = 2.0
"""What a stone more in the largest group is worth, of one anywhere."""
_POINTS: Final = 8
"""The lead in points to grow to with which three games of four are won."""
_ROOT: Final = 2.0


def _stones_and_groups(_: Game, position: Any, __: Dice) -> Looked:
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


_CORNER: Final = 0.8
_BESIDE_CORNER: Final = 0.35
_MOBILITY: Final = 2.0
_LATE: Final = 14
"""Empty squares from which on discs count."""


def _corners_and_moves(_: Game, position: Any, __: Dice) -> Looked:
    first, second = bits_of(position.stones, 0), bits_of(position.stones, 1)
    lines = lines_of(position.board)
    empty = ((1 << len(position.stones)) - 1) & ~(first | second)
    mine, theirs = _moves(lines, first, second, empty).bit_count(), _moves(lines, second, first, empty).bit_count()
    ahead = _MOBILITY * (mine - theirs) / (mine + theirs + 2)
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


def _dice(_: Game, position: Any, __: Dice) -> Looked:
    """Each seat's chance to be ahead of each other one, by how they stand; those that have gone are behind."""
    judge, playing = judge_for(position), position.playing
    seats = len(playing) + sum(map(len, position.gone))
    # Rounded, so that it is the same on every machine.
    stands = {seat: round(exp(_SPREAD * judge.standing(position, seat)), 6) for seat in playing}
    rewards = [0.0] * seats
    for seat, own in stands.items():
        ahead = sum([own / (own + other) for rival, other in stands.items() if rival != seat])
        rewards[seat] = (ahead + seats - len(playing)) / (seats - 1)
    return tuple(rewards), ()


_SPREAD: Final = 0.7
"""How sure the judgement is taken to be: it was learned for two seats."""


judges: Final = MappingProxyType(
    {
        "infection": Judge(_stones_and_gain, 0.3, _gaining_most),
        "konane": Judge(_jumps, curiosity=0.3),
        "oust": Judge(_stones_and_groups, curiosity=0.3),
        "tanbo": Judge(_roots, curiosity=0.3),
        "reversi": Judge(_corners_and_moves, curiosity=0.3),
        "cephalopod": Judge(_dice, curiosity=0.3),
    }
)
