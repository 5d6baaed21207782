"""Xiangqi and shogi: what each side has, what can be captured at once, how near the generals or kings it is."""

from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games import shogi, xiangqi
from pbmserv.games.board import Board
from pbmserv.games.defaults import EMPTY
from pbmserv.games.game import Game, Move
from pbmserv.robots.search.judges import Covered, Judge, Looked, best_gains, likelihood
from pbmserv.robots.thought import Dice

_POINTS: Final = MappingProxyType({"G": 40.0, "A": 2.0, "E": 2.0, "H": 4.0, "R": 9.0, "C": 4.5, "S": 1.0})
_ACROSS: Final = 0.8
"""What a soldier gains by crossing the river; at the far edge it is worth less again."""
_FREEDOM: Final = 0.03
_NEAR_GENERAL: Final = 0.12
"""A point beside the other general that is covered."""
_PAWNS: Final = 2.0
"""The lead with which three games of four are won."""
_THREAT: Final = 1.5


@lru_cache(maxsize=2)
def _worths(board: Board) -> dict[str, tuple[float, ...]]:
    """What each piece is worth on each point."""
    rows = [cell % xiangqi.ROWS for cell in range(len(board.names))]
    found = {mark: (worth,) * len(rows) for mark, worth in _POINTS.items()}
    found["S"] = tuple(1.0 + (_ACROSS if 5 <= row < 9 else 0.0) for row in rows)
    small = {mark.lower(): worth for mark, worth in found.items()}
    small["s"] = tuple(1.0 + (_ACROSS if 0 < row < 5 else 0.0) for row in rows)
    return found | small


def _covered_points(position: Any, seat: int) -> tuple[Covered, int]:
    """What a side covers, and in how many ways it can go on."""
    ways, cells, worths = xiangqi.ways_of(position.board), position.cells, _worths(position.board)
    found: Covered = {}
    count = 0
    for source, mark in enumerate(cells):
        if mark != EMPTY and mark in xiangqi.MARKS[seat]:
            worth = worths[mark][source]
            for target in xiangqi.targets(ways, cells, seat, source, guards=True):
                count += 1
                if worth < found.get(target, 99.0):
                    found[target] = worth
    return found, count


def _gains_on_points(position: Any, seat: int, own: Covered, theirs: Covered) -> tuple[float, float]:
    """The two captures that gain most."""
    cells, worths = position.cells, _worths(position.board)
    return best_gains(
        own, theirs, lambda cell: worths[cells[cell]][cell] if cells[cell] in xiangqi.MARKS[1 - seat] else 0.0, 1
    )


def _xiangqi(_: Game, position: Any, __: Dice) -> Looked:
    """Pieces; what the mover can win now, and what the other side can win next if there are two such."""
    turn, board, cells = position.turn, position.board, position.cells
    worths = _worths(board)
    ahead = sum(
        [
            worths[mark][cell] * (1 if mark in xiangqi.MARKS[0] else -1)
            for cell, mark in enumerate(cells)
            if mark != EMPTY
        ]
    )
    own, theirs = _covered_points(position, turn), _covered_points(position, 1 - turn)
    better = _FREEDOM * (own[1] - theirs[1])
    for (covered, _count), seat, sign in ((own, turn, 1), (theirs, 1 - turn, -1)):
        home = cells.find(xiangqi.MARKS[1 - seat][0])
        better += sign * _NEAR_GENERAL * sum([cell in covered for cell in board.neighbours[home]])
    most = _gains_on_points(position, turn, own[0], theirs[0])[0]
    threats = _gains_on_points(position, 1 - turn, theirs[0], own[0])
    better += 0.8 * most - (0.8 if threats[0] > 20 else 0.5) * min(threats[1], 9.0)
    first, second = likelihood((ahead + (better if turn == 0 else -better)) / _PAWNS)
    return (first, second), ()


def _xiangqi_moves(position: Any) -> tuple[list[Move], bool]:
    """Mate alone, or all moves, captures that gain and checks last."""
    cells, turn, board = position.cells, position.turn, position.board
    worths = _worths(board)
    theirs, _ = _covered_points(position, 1 - turn)
    ranked = []
    for move in xiangqi.moves(position):
        source, target = int(move[0]), int(move[1])
        mark, taken = cells[source], cells[target]
        worth = worths[mark]
        gain = worths[taken][target] if taken != EMPTY else 0.0
        gain += worth[target] - worth[source]
        gain -= worth[target] if target in theirs else 0.0
        gain += 0.8 * worth[source] if source in theirs and mark not in "Gg" else 0.0
        if xiangqi.is_attacked(board, xiangqi.moved(cells, source, target), 1 - turn):
            ended = xiangqi.outcome(xiangqi.play(position, move)[0])
            if ended is not None and ended.ranks[turn] < ended.ranks[1 - turn]:
                return [move], True
            gain += _THREAT
        ranked.append((gain, source * 7919 % 90, move))
    ranked.sort()
    return [move for _, _, move in ranked], True


_WORTH: Final = MappingProxyType(
    {"K": 40.0, "R": 10.0, "B": 8.0, "G": 6.0, "S": 5.0, "N": 3.5, "L": 3.0, "P": 1.0}
    | {"D": 13.0, "H": 11.0, "W": 6.0, "V": 6.0, "U": 6.0, "T": 5.0}
)
_IN_HAND: Final = 1.1
_NEAR: Final = 0.5
"""A cell beside the other king that is covered."""
_SHARE: Final = 3.0
"""The lead with which three games of four are won."""
_CHECK: Final = 1.0
_DROP: Final = 0.4


@lru_cache(maxsize=4)
def _around(board: Board) -> tuple[tuple[int, ...], ...]:
    """The cells beside each cell."""
    return tuple(tuple(ray[0] for ray in rays if ray) for rays in board.rays)


def _covered(position: Any, seat: int) -> Covered:
    paths, cells, found = shogi.paths_of(position.board), position.cells, dict[int, float]()
    for source, mark in enumerate(cells):
        if mark != EMPTY and mark in shogi.MARKS[seat]:
            worth = _WORTH[mark.upper()]
            for target in shogi.targets(paths, cells, seat, source, guards=True):
                if worth < found.get(target, 99.0):
                    found[target] = worth
    return found


def _gains(cells: str, seat: int, own: Covered, theirs: Covered) -> tuple[float, float]:
    """The two captures that gain most.

    A captured piece counts for both what the one side loses and what the other has in hand.
    """
    return best_gains(
        own, theirs, lambda cell: _taken(cells[cell]) if cells[cell] in shogi.MARKS[1 - seat] else 0.0, 2
    )


def _taken(mark: str) -> float:
    """What it is worth to capture a piece."""
    kind = mark.upper()
    return _WORTH[kind] + _IN_HAND * _WORTH[shogi.PLAIN.get(kind, kind)]


def _shogi(_: Game, position: Any, __: Dice) -> Looked:
    """Pieces; what the mover can win now, and what the other side can win next if there are two such."""
    turn, cells = position.turn, position.cells
    ahead = sum([_WORTH[mark.upper()] * (1 if mark in shogi.MARKS[0] else -1) for mark in cells if mark != EMPTY])
    ahead += _IN_HAND * (
        sum(map(_WORTH.__getitem__, position.hands[0])) - sum(map(_WORTH.__getitem__, position.hands[1]))
    )
    own, theirs = _covered(position, turn), _covered(position, 1 - turn)
    better, around = 0.0, _around(position.board)
    for covered, seat, sign in ((own, turn, 1), (theirs, 1 - turn, -1)):
        home = around[cells.find(shogi.MARKS[1 - seat][0])]
        near = len([cell for cell in home if cell in covered])
        better += sign * _NEAR * near * (1 + 0.2 * len(position.hands[seat]))
    most = _gains(cells, turn, own, theirs)[0]
    threats = _gains(cells, 1 - turn, theirs, own)
    better += 0.8 * most - (0.8 if threats[0] > 40 else 0.5) * min(threats[1], 20.0)
    first, second = likelihood((ahead + (better if turn == 0 else -better)) / _SHARE)
    return (first, second), ()


def _shogi_moves(game: shogi.Shogi, position: Any) -> tuple[list[Move], bool]:
    """Mate alone, or all moves, captures that gain, promotions and checks last."""
    cells, turn, board = position.cells, position.turn, position.board
    theirs, own = _covered(position, 1 - turn), _covered(position, turn)
    near = set(_around(board)[cells.find(shogi.MARKS[1 - turn][0])])
    ranked: list[tuple[float, int, Move]] = []
    for move in game.moves(position):
        first, target = move[0], int(move[1])
        if isinstance(first, str):
            gain = -_WORTH[shogi.WORDS[first]] * (1.5 if target in theirs and target not in own else 0.05)
            gain += _DROP if target in near else -_DROP
        else:
            worth = _WORTH[cells[first].upper()]
            gain = _taken(cells[target]) if cells[target] != EMPTY else 0.0
            gain -= 2 * worth if target in theirs else 0.0
            gain += worth if first in theirs and worth < 40 else 0.0
            gain += 2.0 if move[-1] == shogi.PROMOTE else 0.0
        if shogi.is_attacked(board, shogi.after(position, move)[0], 1 - turn):
            ended = game.outcome(game.play(position, move)[0])
            if ended is not None and ended.ranks[turn] < ended.ranks[1 - turn]:
                return [move], True
            gain += _CHECK
        ranked.append((gain, (target * 7919 + len(ranked)) % 81, move))
    ranked.sort(key=lambda each: each[:2])
    return [move for _, _, move in ranked], True


judges: Final = MappingProxyType(
    {
        "xiangqi": Judge(_xiangqi, 0.3, _xiangqi_moves),
        **{game.info.name: Judge(_shogi, 0.3, partial(_shogi_moves, game)) for game in shogi.games},
    }
)
