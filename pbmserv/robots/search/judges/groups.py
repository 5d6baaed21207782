"""Slither and Catchup: who lacks fewer stones for a chain, whose groups are larger."""

from collections import deque
from itertools import combinations
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games import slither
from pbmserv.games.game import Game, Move, Seat
from pbmserv.games.stones import EMPTY, groups_of
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.judge import Judge, Looked, likelihood

_FAR: Final = 99
_TEMPO: Final = 0.5
_TRIED: Final = 14
_CELLS: Final = 6
"""Cells of which the sets to be tried are made."""
_OTHERS: Final = 0.7
"""What cutting a group of the other side is worth, of joining one as large."""
_FILLED: Final = 3


def _lacking(position: Any, seat: Seat, way: int) -> list[int]:
    """For each point, how many stones a seat lacks for a chain from one of its edges to there, with one there."""
    stones, neighbours = position.stones, position.board.neighbours
    found = [_FAR] * len(stones)
    todo: deque[tuple[int, int]] = deque()

    def add(lacking: int, cell: int) -> None:
        if stones[cell] == seat:
            todo.appendleft((lacking, cell))
        elif stones[cell] == EMPTY:
            todo.append((lacking + 1, cell))

    for cell in slither.edges(position.board)[seat][way]:
        add(0, cell)
    while todo:
        lacking, cell = todo.popleft()
        if lacking < found[cell]:
            found[cell] = lacking
            for each in neighbours[cell]:
                if lacking < found[each]:
                    add(lacking, each)
    return found


def _chains(_: Game, position: Any, __: Dice) -> Looked:
    """Who lacks fewer stones for a chain; corners and moved stones are left out."""
    far = [slither.edges(position.board)[seat][1] for seat in (0, 1)]
    lacks = [min(_lacking(position, seat, 0)[cell] for cell in far[seat]) for seat in (0, 1)]
    return likelihood(lacks[1] - lacks[0] + (_TEMPO if position.turn == 0 else -_TEMPO)), ()


def _on_the_way(position: Any) -> tuple[list[Move], bool] | None:
    """Stones on the shortest ways of both sides, without one moved before; None if there are none."""
    turn = position.turn
    ways = [zip(_lacking(position, seat, 0), _lacking(position, seat, 1), strict=True) for seat in (0, 1)]
    through = [[one + other for one, other in way] for way in ways]
    ranked = []
    for cell, owner in enumerate(position.stones):
        if owner == EMPTY and (cell,) in slither.moves(position, (cell,)):
            ranked.append((-2 * min(through[turn][cell], _FAR) - min(through[1 - turn][cell], _FAR), cell))
    return ([(cell,) for _, cell in sorted(ranked)[-_TRIED:]], False) if ranked else None


def _filled(_: Game, position: Any, dice: Dice) -> Looked:
    """Whose largest group is larger when each empty cell is anybody's, a few times."""
    board, count = position.board, len(position.stones)
    won = 0
    for _time in range(_FILLED):
        owners, chance = bytearray(position.stones), dice.bits(count)
        for cell, owner in enumerate(owners):
            if owner == EMPTY:
                owners[cell] = chance >> cell & 1
        sizes = [sorted(map(len, groups_of(board, owners, seat)), reverse=True) for seat in (0, 1)]
        won += sizes[0] > sizes[1]
    return (won / _FILLED, 1 - won / _FILLED), ()


def _sets(position: Any) -> tuple[list[Move], bool]:
    """Sets of the cells that join or cut the largest groups, those of many cells last."""
    board, stones, turn = position.board, position.stones, position.turn
    sizes: dict[int, int] = {}
    for seat in (0, 1):
        for group in groups_of(board, stones, seat):
            sizes.update(dict.fromkeys(group, len(group)))
    worth: dict[int, float] = {}
    for cell, owner in enumerate(stones):
        if owner == EMPTY:
            beside = [each for each in board.neighbours[cell] if stones[each] != EMPTY]
            joined = [sum({sizes[each] for each in beside if stones[each] == seat}) for seat in (turn, 1 - turn)]
            worth[cell] = joined[0] + _OTHERS * joined[1] + len(board.neighbours[cell]) / 10
    best = sorted(worth, key=lambda cell: (worth[cell], cell))[-_CELLS:]
    sets = [some for count in range(1, position.most + 1) for some in combinations(sorted(best), count)]
    ranked = sorted((sum([worth[cell] for cell in some]), some) for some in sets)
    return [some for _, some in ranked], False


judges: Final = MappingProxyType(
    {
        "slither": Judge(_chains, curiosity=0.3, likely=_on_the_way),
        "catchup": Judge(_filled, curiosity=0.2, likely=_sets),
    }
)
