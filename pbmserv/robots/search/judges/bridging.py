"""Bridges: how many pegs each side lacks at least to join its edges, where no link of the other side is across."""

from collections import deque
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games.board import Board
from pbmserv.games.bridges import Link, crossing, goals, links_of
from pbmserv.games.game import Game, Move, Seat
from pbmserv.games.stones import EMPTY
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.judge import Judge, Looked, likelihood

_FAR: Final = 99
_TEMPO: Final = 0.5
"""What being to move is worth, of a peg."""
_TRIED: Final = 16
_MIDDLE: Final = 0.02
"""Of two holes that are as good, the one nearer to the middle."""


def _look(_: Game, position: Any, __: Dice) -> Looked:
    """Who lacks fewer pegs."""
    lacks = [min(_lacking(position, seat, 0)[cell] for cell in goals(position.board)[seat][1]) for seat in (0, 1)]
    tempo = _TEMPO if position.turn == 0 else -_TEMPO
    return likelihood(lacks[1] - lacks[0] + tempo), ()


def _likely(position: Any) -> tuple[list[Move], bool]:
    """The holes on the shortest ways of both sides."""
    board, turn = position.board, position.turn
    closed = goals(board)[1 - turn]
    through = [
        [a + b for a, b in zip(*(_lacking(position, seat, way) for way in (0, 1)), strict=True)] for seat in (0, 1)
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
    return [(cell,) for _, cell in sorted(ranked)[-_TRIED:]], len(ranked) <= _TRIED


def _lacking(position: Any, seat: Seat, way: int) -> list[int]:
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


judges: Final = MappingProxyType({"bridges": Judge(_look, curiosity=0.3, likely=_likely)})
