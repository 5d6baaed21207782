"""Dots and boxes: played on without looking ahead, but with an eye for what a line gives away."""

from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games.board import Board
from pbmserv.games.dots import DRAWN, EMPTY, boxes_of, lines_of
from pbmserv.games.game import Game, Move
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.judge import Judge, Looked, likelihood

_BOXES: Final = 1.5
"""By so many boxes ahead, three games of four are won."""

_CLOSING, _GIVING = 3, 2
"""So many lines around a box: one more closes it; one more gives it away."""


def _look(_: Game, position: Any, dice: Dice) -> Looked:
    """Boxes when both take what they can, give nothing away while they can, and then as little as they see."""
    board, cells, turn = position.board, bytearray(position.cells), position.turn
    own = [position.cells.count(0), position.cells.count(1)]
    around, beside = boxes_of(board), board.neighbours
    drawn = _counts(board, position.cells)
    free = [line for line in lines_of(board) if cells[line] == EMPTY]
    dice.shuffle(free)
    while free:
        line = _taking(free, beside, drawn)
        if line is None:
            line = _safe(free, beside, drawn)
        if line is None:
            line = min(free[:5], key=lambda each: _given(each, board, cells))
        free.remove(line)
        cells[line] = DRAWN
        closed = 0
        for box in beside[line]:
            drawn[box] += 1
            closed += drawn[box] > _CLOSING
        own[turn] += closed
        if not closed:
            turn = 1 - turn
    ahead = (own[0] - own[1]) / _BOXES
    return likelihood(ahead + (own[0] * 2 > len(around)) - (own[1] * 2 > len(around))), ()


def _likely(position: Any) -> tuple[list[Move], bool] | None:
    """Lines that close a box, or else the safe ones; where there are none, one of each chain."""
    board, cells, beside = position.board, bytearray(position.cells), position.board.neighbours
    drawn = _counts(board, position.cells)
    free = [line for line in lines_of(board) if cells[line] == EMPTY]
    closing = [line for line in free if any(drawn[box] == _CLOSING for box in beside[line])]
    if closing:
        near = {box for line in closing for box in beside[line]}
        keeping = [line for line in free if line not in closing and near.intersection(beside[line])]
        return [(line,) for line in (*keeping, *closing)], True
    safe = [line for line in free if all(drawn[box] < _GIVING for box in beside[line])]
    if safe:
        return [(line,) for line in safe], True
    given = sorted(free, key=lambda line: -_given(line, board, cells))
    return [(line,) for line in given], False


@lru_cache(maxsize=8)
def _none(board: Board) -> tuple[int, ...]:
    return (0,) * len(board.names)


def _counts(board: Board, cells: bytes) -> list[int]:
    """How many lines are around each box."""
    drawn = list(_none(board))
    for line in lines_of(board):
        if cells[line] == DRAWN:
            for box in board.neighbours[line]:
                drawn[box] += 1
    return drawn


def _taking(free: list[int], beside: tuple[tuple[int, ...], ...], drawn: list[int]) -> int | None:
    """A line that closes a box."""
    for line in free:
        for box in beside[line]:
            if drawn[box] == _CLOSING:
                return line
    return None


def _safe(free: list[int], beside: tuple[tuple[int, ...], ...], drawn: list[int]) -> int | None:
    """A line that gives nothing away."""
    for line in free:
        for box in beside[line]:
            if drawn[box] >= _GIVING:
                break
        else:
            return line
    return None


def _given(line: int, board: Board, cells: bytearray) -> int:
    """How many boxes whoever is next can close one by one after this line."""
    gone = {line}
    found: set[int] = set()
    queue = list(board.neighbours[line])
    while queue:
        box = queue.pop()
        rest = [each for each in board.neighbours[box] if cells[each] == EMPTY and each not in gone]
        if box in found or len(rest) > 1:
            continue
        found.add(box)
        for each in rest:
            gone.add(each)
            queue += board.neighbours[each]
    return len(found)


judges: Final = MappingProxyType({"dots-and-boxes": Judge(_look, curiosity=0.4, likely=_likely)})
