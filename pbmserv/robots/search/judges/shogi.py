"""Shogi: what each side has on the board and in hand, what can be captured at once, how near the kings it is."""

from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games import shogi
from pbmserv.games.board import Board
from pbmserv.games.defaults import EMPTY
from pbmserv.games.game import Game, Move
from pbmserv.games.shogi import MARKS, PLAIN, PROMOTE, WORDS, after, is_attacked, paths_of, targets
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.judge import Judge, Looked, likelihood

_WORTH: Final = MappingProxyType(
    {"K": 40.0, "R": 10.0, "B": 8.0, "G": 6.0, "S": 5.0, "N": 3.5, "L": 3.0, "P": 1.0}
    | {"D": 13.0, "H": 11.0, "W": 6.0, "V": 6.0, "U": 6.0, "T": 5.0}
)
_IN_HAND: Final = 1.1
_NEAR: Final = 0.5
"""A cell beside the other king that is covered."""
_SHARE: Final = 3.0
"""So much ahead wins three games of four."""
_CHECK: Final = 1.0
_DROP: Final = 0.4

Covered = dict[int, float]
"""The cells that a side covers, each with the least piece that does."""


@lru_cache(maxsize=4)
def _around(board: Board) -> tuple[tuple[int, ...], ...]:
    """The cells beside each cell."""
    return tuple(tuple(ray[0] for ray in rays if ray) for rays in board.rays)


def _covered(position: Any, seat: int) -> Covered:
    paths, cells, found = paths_of(position.board), position.cells, dict[int, float]()
    for source, mark in enumerate(cells):
        if mark != EMPTY and mark in MARKS[seat]:
            worth = _WORTH[mark.upper()]
            for target in targets(paths, cells, seat, source, guards=True):
                if worth < found.get(target, 99.0):
                    found[target] = worth
    return found


def _gains(cells: str, seat: int, own: Covered, theirs: Covered) -> tuple[float, float]:
    """The two captures that gain most, counting what is taken back; nothing where there are none.

    A captured piece counts for both what the one side loses and what the other has in hand.
    """
    most = second = 0.0
    for cell, worth in own.items():
        mark = cells[cell]
        if mark != EMPTY and mark in MARKS[1 - seat]:
            gain = _taken(mark) - (2 * worth if cell in theirs else 0.0)
            if gain > most:
                most, second = gain, most
            elif gain > second:
                second = gain
    return most, second


def _taken(mark: str) -> float:
    """What it is worth to capture a piece."""
    kind = mark.upper()
    return _WORTH[kind] + _IN_HAND * _WORTH[PLAIN.get(kind, kind)]


def _look(_: Game, position: Any, __: Dice) -> Looked:
    """Pieces; what the mover can win now, and what the other side can win next if there are two such."""
    turn, cells = position.turn, position.cells
    ahead = sum([_WORTH[mark.upper()] * (1 if mark in MARKS[0] else -1) for mark in cells if mark != EMPTY])
    ahead += _IN_HAND * (
        sum(map(_WORTH.__getitem__, position.hands[0])) - sum(map(_WORTH.__getitem__, position.hands[1]))
    )
    own, theirs = _covered(position, turn), _covered(position, 1 - turn)
    better, around = 0.0, _around(position.board)
    for covered, seat, sign in ((own, turn, 1), (theirs, 1 - turn, -1)):
        home = around[cells.find(MARKS[1 - seat][0])]
        near = len([cell for cell in home if cell in covered])
        better += sign * _NEAR * near * (1 + 0.2 * len(position.hands[seat]))
    most = _gains(cells, turn, own, theirs)[0]
    threats = _gains(cells, 1 - turn, theirs, own)
    better += 0.8 * most - (0.8 if threats[0] > 40 else 0.5) * min(threats[1], 20.0)
    first, second = likelihood((ahead + (better if turn == 0 else -better)) / _SHARE)
    return (first, second), ()


def _likely(game: shogi.Shogi, position: Any) -> tuple[list[Move], bool]:
    """Mate alone, or all moves, captures that gain, promotions and checks last."""
    cells, turn, board = position.cells, position.turn, position.board
    theirs, own = _covered(position, 1 - turn), _covered(position, turn)
    near = set(_around(board)[cells.find(MARKS[1 - turn][0])])
    ranked: list[tuple[float, int, Move]] = []
    for move in game.moves(position):
        first, target = move[0], int(move[1])
        if isinstance(first, str):
            gain = -_WORTH[WORDS[first]] * (1.5 if target in theirs and target not in own else 0.05)
            gain += _DROP if target in near else -_DROP
        else:
            worth = _WORTH[cells[first].upper()]
            gain = _taken(cells[target]) if cells[target] != EMPTY else 0.0
            gain -= 2 * worth if target in theirs else 0.0
            gain += worth if first in theirs and worth < 40 else 0.0
            gain += 2.0 if move[-1] == PROMOTE else 0.0
        if is_attacked(board, after(position, move)[0], 1 - turn):
            ended = game.outcome(game.play(position, move)[0])
            if ended is not None and ended.ranks[turn] < ended.ranks[1 - turn]:
                return [move], True
            gain += _CHECK
        ranked.append((gain, (target * 7919 + len(ranked)) % 81, move))
    ranked.sort(key=lambda each: each[:2])
    return [move for _, _, move in ranked], True


judges: Final = MappingProxyType(
    {game.info.name: Judge(_look, 0.3, partial(_likely, game)) for game in shogi.games}
)
