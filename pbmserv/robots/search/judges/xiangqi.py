"""Xiangqi: what each side has, what can be captured at once, and how near the generals are to it."""

from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games import xiangqi
from pbmserv.games.board import Board
from pbmserv.games.defaults import EMPTY
from pbmserv.games.game import Game, Move
from pbmserv.games.xiangqi import MARKS, ROWS, is_attacked, moved, targets, ways_of
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.judge import Judge, Looked, likelihood

_WORTH: Final = MappingProxyType({"G": 40.0, "A": 2.0, "E": 2.0, "H": 4.0, "R": 9.0, "C": 4.5, "S": 1.0})
_ACROSS: Final = 0.8
"""What a soldier gains by crossing the river; at the far edge it is worth less again."""
_FREEDOM: Final = 0.03
_NEAR: Final = 0.12
"""A point beside the other general that is covered."""
_SHARE: Final = 2.0
"""So much ahead wins three games of four."""
_CHECK: Final = 1.5
_COST: Final = 0.1

Covered = dict[int, float]
"""The points that a side covers, each with the least piece that does."""


@lru_cache(maxsize=2)
def _worths(board: Board) -> dict[str, tuple[float, ...]]:
    """What each piece is worth on each point."""
    rows = [cell % ROWS for cell in range(len(board.names))]
    found = {mark: (worth,) * len(rows) for mark, worth in _WORTH.items()}
    found["S"] = tuple(1.0 + (_ACROSS if 5 <= row < 9 else 0.0) for row in rows)
    small = {mark.lower(): worth for mark, worth in found.items()}
    small["s"] = tuple(1.0 + (_ACROSS if 0 < row < 5 else 0.0) for row in rows)
    return found | small


def _covered(position: Any, seat: int) -> tuple[Covered, int]:
    """What a side covers, and in how many ways it can go on."""
    ways, cells, worths = ways_of(position.board), position.cells, _worths(position.board)
    found: Covered = {}
    count = 0
    for source, mark in enumerate(cells):
        if mark != EMPTY and mark in MARKS[seat]:
            worth = worths[mark][source]
            for target in targets(ways, cells, seat, source, guards=True):
                count += 1
                if worth < found.get(target, 99.0):
                    found[target] = worth
    return found, count


def _gain(position: Any, seat: int, own: Covered, theirs: Covered) -> tuple[float, float]:
    """The two captures that gain most, counting what is taken back; nothing where there are none."""
    cells, worths, most, second = position.cells, _worths(position.board), 0.0, 0.0
    for cell, worth in own.items():
        mark = cells[cell]
        if mark != EMPTY and mark in MARKS[1 - seat]:
            gain = worths[mark][cell] - (worth if cell in theirs else 0.0)
            if gain > most:
                most, second = gain, most
            elif gain > second:
                second = gain
    return most, second


def _look(_: Game, position: Any, __: Dice) -> Looked:
    """Pieces; what the mover can win now, and what the other side can win next if there are two such."""
    turn, board, cells = position.turn, position.board, position.cells
    worths = _worths(board)
    ahead = sum(
        [worths[mark][cell] * (1 if mark in MARKS[0] else -1) for cell, mark in enumerate(cells) if mark != EMPTY]
    )
    own, theirs = _covered(position, turn), _covered(position, 1 - turn)
    better = _FREEDOM * (own[1] - theirs[1])
    for (covered, _count), seat, sign in ((own, turn, 1), (theirs, 1 - turn, -1)):
        home = cells.find(MARKS[1 - seat][0])
        better += sign * _NEAR * sum([cell in covered for cell in board.neighbours[home]])
    most = _gain(position, turn, own[0], theirs[0])[0]
    threats = _gain(position, 1 - turn, theirs[0], own[0])
    better += 0.8 * most - (0.8 if threats[0] > 20 else 0.5) * min(threats[1], 9.0)
    first, second = likelihood((ahead + (better if turn == 0 else -better)) / _SHARE)
    return (first, second), ()


def _likely(position: Any) -> tuple[list[Move], bool]:
    """Mate alone, or all moves, captures that gain and checks last."""
    cells, turn, board = position.cells, position.turn, position.board
    worths = _worths(board)
    theirs, _ = _covered(position, 1 - turn)
    ranked = []
    for move in xiangqi.moves(position):
        source, target = int(move[0]), int(move[1])
        mark, taken = cells[source], cells[target]
        worth = worths[mark]
        gain = worths[taken][target] if taken != EMPTY else 0.0
        gain += worth[target] - worth[source]
        gain -= worth[target] if target in theirs else 0.0
        gain += 0.8 * worth[source] if source in theirs and mark not in "Gg" else 0.0
        if is_attacked(board, moved(cells, source, target), 1 - turn):
            ended = xiangqi.outcome(xiangqi.play(position, move)[0])
            if ended is not None and ended.ranks[turn] < ended.ranks[1 - turn]:
                return [move], True
            gain += _CHECK
        ranked.append((gain, source * 7919 % 90, move))
    ranked.sort()
    return [move for _, _, move in ranked], True


judges: Final = MappingProxyType({"xiangqi": Judge(_look, 0.3, _likely)})
