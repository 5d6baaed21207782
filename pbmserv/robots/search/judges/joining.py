"""Games in which stones are joined: havannah and Y, bridges, slither and catchup, lines of action."""

from collections import deque
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import combinations
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games import slither
from pbmserv.games.board import Board
from pbmserv.games.bridges import Link, crossing, goals, links_of
from pbmserv.games.connection import hexagon_edges, triangle_edges
from pbmserv.games.game import Game, Move, Seat
from pbmserv.games.stones import EMPTY, groups_of
from pbmserv.robots.search.judges import Judge, Looked, beside, bits_of, likelihood, lines_of, packed
from pbmserv.robots.thought import Dice

_TWO_CORNERS: Final = 2
_THREE_EDGES: Final = 3


def _filled_by_chance(
    has_joined: Callable[[Board, frozenset[int]], bool], _: Game, position: Any, dice: Dice
) -> Looked:
    """Who has won when each empty cell is anybody's; where both have, or nobody has, it is even."""
    board, count = position.board, len(position.stones)
    owners, chance = bytearray(position.stones), dice.bits(count)
    for cell, owner in enumerate(owners):
        if owner == EMPTY:
            owners[cell] = chance >> cell & 1
    least = min(map(len, _targets(board)))
    first, second = (
        any(len(group) >= least and has_joined(board, group) for group in groups_of(board, owners, seat))
        for seat in (0, 1)
    )
    rewards = (0.5, 0.5) if first == second else (1.0, 0.0) if first else (0.0, 1.0)
    own = bits_of(bytes(owners), 0)
    return rewards, (packed(own, count), packed(((1 << count) - 1) & ~own, count))


def _targets(board: Board) -> tuple[frozenset[int], ...]:
    """The edges of a triangle, or those of a hexagon: the shortest chains are about as long."""
    return triangle_edges(board) if len(board.layout.rows[-1].cells) == 1 else hexagon_edges(board)[1]


def _joins_three(board: Board, group: frozenset[int]) -> bool:
    return all(not edge.isdisjoint(group) for edge in triangle_edges(board))


def _is_fork_or_bridge(board: Board, group: frozenset[int]) -> bool:
    """Rings are left out: they are seldom, and found by the search itself."""
    corners, edges = hexagon_edges(board)
    if len(corners & group) >= _TWO_CORNERS:
        return True
    return sum([not edge.isdisjoint(group) for edge in edges]) >= _THREE_EDGES


_FAR: Final = 99
_TEMPO: Final = 0.5
"""What being to move is worth, of a peg."""
_HOLES_TRIED: Final = 16
_MIDDLE: Final = 0.02
"""Of two holes that are as good, the one nearer to the middle."""


def _pegs(_: Game, position: Any, __: Dice) -> Looked:
    """Who lacks fewer pegs."""
    lacks = [
        min(_pegs_lacking(position, seat, 0)[cell] for cell in goals(position.board)[seat][1]) for seat in (0, 1)
    ]
    tempo = _TEMPO if position.turn == 0 else -_TEMPO
    return likelihood(lacks[1] - lacks[0] + tempo), ()


def _holes_between(position: Any) -> tuple[list[Move], bool]:
    """The holes on the shortest ways of both sides."""
    board, turn = position.board, position.turn
    closed = goals(board)[1 - turn]
    through = [
        [a + b for a, b in zip(*(_pegs_lacking(position, seat, way) for way in (0, 1)), strict=True)]
        for seat in (0, 1)
    ]
    wide, high = (half / 2 for half in board.layout.size)
    ranked = []
    for cell, owner in enumerate(position.stones):
        if owner == EMPTY and not any(cell in edge for edge in closed):
            x, y = board.layout.places[cell]
            off = abs(x - wide) + abs(y - high)
            ranked.append(
                (-2 * min(through[turn][cell], _FAR) - min(through[1 - turn][cell], _FAR) - _MIDDLE * off, cell)
            )
    return [(cell,) for _, cell in sorted(ranked)[-_HOLES_TRIED:]], len(ranked) <= _HOLES_TRIED


def _pegs_lacking(position: Any, seat: Seat, way: int) -> list[int]:
    """For each hole, how many pegs a seat lacks for a chain from one of its edges to there, with one there."""
    board, stones = position.board, position.stones
    blocked = {each for link in position.links if stones[link[0]] != seat for each in crossing(board, link)}
    closed = goals(board)[1 - seat]
    found = [_FAR] * len(stones)
    todo: deque[tuple[int, int]] = deque()
    for cell in goals(board)[seat][way]:
        if stones[cell] == seat:
            todo.appendleft((0, cell))
        elif stones[cell] == EMPTY:
            todo.append((1, cell))
    steps = _steps(board)
    while todo:
        lacking, cell = todo.popleft()
        if lacking >= found[cell]:
            continue
        found[cell] = lacking
        for other, link in steps[cell]:
            owner = stones[other]
            if owner == 1 - seat or lacking >= found[other] or link in blocked:
                continue
            if owner == seat:
                todo.appendleft((lacking, other))
            elif other not in closed[0] and other not in closed[1]:
                todo.append((lacking + 1, other))
    return found


@lru_cache(maxsize=4)
def _steps(board: Board) -> tuple[tuple[tuple[int, Link], ...], ...]:
    """Of each hole those that a link leads to, and the link."""
    return tuple(
        tuple((link[0] + link[1] - cell, link) for link in links) for cell, links in enumerate(links_of(board))
    )


_TRIED: Final = 14
_CELLS: Final = 6
"""Cells of which the sets to be tried are made."""
_OTHERS: Final = 0.7
"""What cutting a group of the other side is worth, of joining one as large."""
_FILLED: Final = 3


def _stones_lacking(position: Any, seat: Seat, way: int) -> list[int]:
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
    lacks = [min(_stones_lacking(position, seat, 0)[cell] for cell in far[seat]) for seat in (0, 1)]
    return likelihood(lacks[1] - lacks[0] + (_TEMPO if position.turn == 0 else -_TEMPO)), ()


def _on_the_way(position: Any) -> tuple[list[Move], bool] | None:
    """Stones on the shortest ways of both sides, without one moved before; None if there are none."""
    turn = position.turn
    ways = [
        zip(_stones_lacking(position, seat, 0), _stones_lacking(position, seat, 1), strict=True) for seat in (0, 1)
    ]
    through = [[one + other for one, other in way] for way in ways]
    ranked = []
    for cell, owner in enumerate(position.stones):
        if owner == EMPTY and (cell,) in slither.moves(position, (cell,)):
            ranked.append((-2 * min(through[turn][cell], _FAR) - min(through[1 - turn][cell], _FAR), cell))
    return ([(cell,) for _, cell in sorted(ranked)[-_TRIED:]], False) if ranked else None


def _largest_filled(_: Game, position: Any, dice: Dice) -> Looked:
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


_DISTANCE: Final = 1.2
"""What it is worth that the pieces are one square nearer to their middle, on average."""
_GROUP: Final = 0.35
_TO_MOVE: Final = 0.15


def _gathered(game: Game, position: Any, _: Dice) -> Looked:
    """Squares to the middle of one's own pieces, and groups: few of both are good."""
    cells, size = position.cells, len(position.board.layout.rows)
    ahead = _TO_MOVE if position.turn == 0 else -_TO_MOVE
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


judges: Final = MappingProxyType(
    {
        "game-of-y": Judge(partial(_filled_by_chance, _joins_three), curiosity=0.2),
        "havannah": Judge(partial(_filled_by_chance, _is_fork_or_bridge), curiosity=0.2),
        "bridges": Judge(_pegs, curiosity=0.3, likely=_holes_between),
        "slither": Judge(_chains, curiosity=0.3, likely=_on_the_way),
        "catchup": Judge(_largest_filled, curiosity=0.2, likely=_sets),
        "lines-of-action": Judge(_gathered, curiosity=0.3),
    }
)
