"""Games of rows: what fours and threes there are; in ultimate tic-tac-toe rows of small boards and within them."""

from collections.abc import Callable
from functools import lru_cache, partial
from itertools import combinations
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games.board import Board
from pbmserv.games.game import Game, Move
from pbmserv.games.ultimate import CELLS, EMPTY, FULL, ROWS
from pbmserv.robots.search.judges import Judge, Looked, bits_of, cells_of, likelihood, lines_of
from pbmserv.robots.thought import Dice

_EMPTY: Final = 2
_BORDER: Final = 3
_WINS: Final = 100_000
_WORTH: Final = MappingProxyType({5: (1, 5, 25, 150, _WINS), 6: (1, 4, 15, 60, 2_000, _WINS)})
"""By the length of a row and the stones that it has already: what one more adds, if the other side has none."""

_FOUR: Final = 2 * 150
"""Two ways of making four at once, or one of them open."""
_PAIR: Final = 120
_MOST_TRIED: Final = 14
_MOST_PAIRED: Final = 9
_MOST_TAKING: Final = 6
"""Other moves against a row, since a capture may break it."""
_LAST_PAIR: Final = 4

Cells = tuple[tuple[int, int, int], ...]
"""Cells near the stones, with what a stone there is worth to each seat."""


@lru_cache(maxsize=2**11)
def _scan(board: Board, stones: bytes, length: int, pairs: tuple[int, int] | None) -> Cells:
    """What a stone on each empty cell near another one is worth; `pairs` are those captured, if any can be."""
    around = _around(board, length)
    marks = stones + bytes([_BORDER])
    found = []
    for cell in _near(board, stones):
        own = other = 0
        for line in around[cell]:
            first, second = _worth(line(marks), length, pairs)
            own += first
            other += second
        found.append((cell, own, other))
    return tuple(found)


def _near(board: Board, stones: bytes) -> list[int]:
    """The empty cells at most two steps from a stone."""
    empty = bits_of(stones, _EMPTY)
    near = (1 << len(stones)) - 1 & ~empty
    for _ in range(2):
        grown = near
        for cells, step in lines_of(board).ways:
            grown |= (near & cells) << step if step > 0 else (near & cells) >> -step
        near = grown
    return cells_of(near & empty)


@lru_cache(maxsize=16)
def _around(board: Board, length: int) -> tuple[tuple[Callable[[bytes], tuple[int, ...]], ...], ...]:
    """Of each cell, for four directions, what picks the cells on both sides; those off the board are the last."""

    def side(ray: tuple[int, ...]) -> list[int]:
        return [*ray, *[-1] * length][: length - 1]

    return tuple(
        tuple(itemgetter(*reversed(side(rays[way + 4])), *side(rays[way])) for way in range(4))
        for rays in board.rays
    )


@lru_cache(maxsize=2**15)
def _worth(line: tuple[int, ...], length: int, pairs: tuple[int, int] | None) -> tuple[int, int]:
    """What a stone in the middle of a line, that is left out, is worth to each seat."""
    found = []
    for seat in (0, 1):
        worth = 0
        for begin in range(length):
            window = line[begin : begin + length - 1]
            if 1 - seat not in window and _BORDER not in window:
                worth += _WORTH[length][window.count(seat)]
        if pairs is not None:
            prey = (1 - seat, 1 - seat, seat)
            count = (line[length - 1 : length + 2] == prey) + (line[length - 2 : length - 5 : -1] == prey)
            worth += count * (_WINS if pairs[seat] == _LAST_PAIR else _PAIR * (1 + pairs[seat]))
        found.append(worth)
    return found[0], found[1]


def _look(length: int, has_pairs: bool, _: Game, position: Any, __: Dice) -> Looked:
    """The mover wins with a row that can be finished, loses to two of the other side, and is ahead by rows."""
    turn, pairs = position.turn, position.pairs if has_pairs else None
    scan = _scan(position.board, position.stones, length, pairs)
    own = sorted([each[1 + turn] for each in scan], reverse=True)
    other = sorted([each[2 - turn] for each in scan], reverse=True)
    enough = _WINS if length == 5 else _WORTH[6][4]  # of six, two stones finish a row of four
    if not own:
        ahead = 0.0
    elif own[0] >= enough:
        ahead = 50.0
    elif other[0] >= enough:
        ahead = -9.0 if length == 5 and other[1:2] >= [enough] else -0.7
    elif length == 5 and own[0] >= _FOUR:
        ahead = 6.0
    else:
        mine, theirs = 1.3 * sum(own[:8]), sum(other[:8])
        ahead = 2 * (mine - theirs) / (mine + theirs)
    if has_pairs:
        ahead += (position.pairs[turn] - position.pairs[1 - turn]) / 2
    first, second = likelihood(ahead)
    return ((first, second) if turn == 0 else (second, first)), ()


def _likely(length: int, has_pairs: bool, position: Any) -> tuple[list[Move], bool] | None:
    """Moves that finish a row, or prevent one, or else those that are worth most to both sides together."""
    turn = position.turn
    scan = _scan(position.board, position.stones, length, position.pairs if has_pairs else None)
    if not position.last:
        return [(len(position.stones) // 2,)], has_pairs
    if len(scan) < (2 if length == 6 else 1):
        return None
    if length == 6:
        best = sorted(scan, key=lambda each: 10 * each[1 + turn] + 9 * each[2 - turn])[-_MOST_PAIRED:]
        both = combinations([(each[0], 10 * each[1 + turn] + 9 * each[2 - turn]) for each in best], 2)
        ranked = sorted((one[1] + two[1], tuple(sorted((one[0], two[0])))) for one, two in both)
        return [move for _, move in ranked], False
    if winning := [each[0] for each in scan if each[1 + turn] >= _WINS]:
        return [(winning[0],)], True
    if forced := [each[0] for each in scan if each[2 - turn] >= _WINS]:
        if not has_pairs:
            return [(cell,) for cell in forced], True
        taking = sorted([each for each in scan if each[0] not in forced], key=itemgetter(1 + turn))[-_MOST_TAKING:]
        return [(cell,) for cell in (*(each[0] for each in taking), *forced)], False
    best = sorted(scan, key=lambda each: 10 * each[1 + turn] + 9 * each[2 - turn])[-_MOST_TRIED:]
    return [(each[0],) for each in best], False


def _judge(length: int, has_pairs: bool = False) -> Judge:
    return Judge(partial(_look, length, has_pairs), 0.3, partial(_likely, length, has_pairs))


_SMALL, _ROW, _FREE_CHOICE = 0.5, 1.6, 0.3


def _small_boards(_: Game, position: Any, __: Dice) -> Looked:
    """How near each side is to a row of small boards; to be free to play anywhere is an advantage."""
    marks, smalls = position.marks, position.smalls
    worth = [
        _worth_of_board(bytes([marks[cell] for cell in CELLS[small]]))
        if owner == EMPTY
        else (1.0, -1.0, 0.0, 0.0)[owner]
        for small, owner in enumerate(smalls)
    ]
    ahead = _SMALL * sum(worth)
    for row in ROWS:
        owners = {smalls[small] for small in row}
        if FULL in owners or owners >= {0, 1}:
            continue
        total = sum([worth[small] for small in row])
        ahead += _ROW * total * abs(total) / 4
    if position.last is not None and smalls[position.last // 9 % 3 * 3 + position.last % 3] != EMPTY:
        ahead += _FREE_CHOICE if position.turn == 0 else -_FREE_CHOICE
    return likelihood(ahead), ()


@lru_cache(maxsize=20_000)
def _worth_of_board(marks: bytes) -> float:
    """How likely a small board becomes the first seat's, from 1 to -1 for the other's."""
    ahead = 0.0
    for row in ROWS:
        own, theirs = [sum([marks[place] == seat for place in row]) for seat in (0, 1)]
        if not theirs:
            ahead += (0.04, 0.12, 0.35, 1.0)[own]
        elif not own:
            ahead -= (0.04, 0.12, 0.35, 1.0)[theirs]
    return max(-0.9, min(0.9, ahead))


judges: Final = MappingProxyType(
    {
        "gomoku": _judge(5),
        "connect6": _judge(6),
        "five-or-pairs": _judge(5, True),
        "ultimate-tic-tac-toe": Judge(_small_boards, curiosity=0.3),
    }
)
