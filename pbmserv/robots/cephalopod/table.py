"""The learned table: what a side that has just moved may expect, from what is seen through the windows of a board.

A table is a file beside this module, `table-5x5.xz` or `table-3x5.xz`, made by `train`. It holds a weight for each
folded number of each kind of window, once for each phase of the game and for an even and an odd number of empty
squares, and for two counts: empty squares and dice ahead, pips and dice ahead. Weights are bytes; their sum less
what 128 each would come to, times `UNIT`, is the logarithm of the odds of winning. Boards of other sizes have
windows of the same kinds, so they make do with the table that was trained on a like board.

A board is seen through *windows*: each square with its neighbours, and each 2x2 block. A window's *kind* says how
far it lies from the sides of the board, so windows that see the same share what is learned, and boards of any size
have the same kinds. What a window sees is a number in base 13, a digit a cell: 0 for an empty square, 1 to 6 for a
die of one's own, 7 to 12 for one of the other side. Windows that differ only by a symmetry have the same *folded*
number, of which the table keeps a weight.
"""

import hashlib
import lzma
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import accumulate, product
from types import MappingProxyType
from typing import Final

from pbmserv.games.cephalopod import MOST_PIPS

CONTENTS: Final = 13
"""What a square may show: nothing, six dice of one's own, six of the other side."""

Shape = tuple[str, int, int]
"""A kind: "plus" or "block", and its distances from the two nearest sides, the smaller first, if counted."""

SHAPES: Final[tuple[Shape, ...]] = (
    *(("plus", near, far) for near, far in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))),
    *(("block", near, far) for near, far in ((0, 0), (0, 1), (1, 1))),
)
"""All kinds, in the order in which the table has them."""

_FARTHEST: Final = {"plus": 2, "block": 1}


@dataclass(frozen=True, slots=True)
class Window:
    """One window of a board: its kind (an index of `SHAPES`), and its cells in the order of their digits."""

    kind: int
    cells: tuple[int, ...]


def cells_in(kind: int) -> int:
    """How many cells windows of a kind have."""
    name, near, far = SHAPES[kind]
    return 4 if name == "block" else 5 - (near == 0) - (far == 0)


@lru_cache(maxsize=16)
def windows(columns: int, rows: int) -> tuple[Window, ...]:
    """All windows of a board whose squares are numbered as the game does: A1, A2, ... B1, B2, ..."""
    return (
        *(_plus(columns, rows, column, row) for column, row in product(range(columns), range(rows))),
        *(_block(columns, rows, column, row) for column, row in product(range(columns - 1), range(rows - 1))),
    )


def _plus(columns: int, rows: int, column: int, row: int) -> Window:
    beside = [(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)]
    cells = [(column, row), *((c, r) for c, r in beside if 0 <= c < columns and 0 <= r < rows)]
    distances = (min(column, columns - 1 - column), min(row, rows - 1 - row))
    return Window(_kind("plus", distances), tuple(c * rows + r for c, r in cells))


def _block(columns: int, rows: int, column: int, row: int) -> Window:
    """Its cells begin with the one nearest to a corner; the second lies along the nearest side."""
    across, along = min(column, columns - 2 - column), min(row, rows - 2 - row)
    near_column, far_column = (column, column + 1) if column == across else (column + 1, column)
    near_row, far_row = (row, row + 1) if row == along else (row + 1, row)
    second, third = (near_column, far_row), (far_column, near_row)
    if along < across:
        second, third = third, second
    cells = ((near_column, near_row), second, third, (far_column, far_row))
    return Window(_kind("block", (across, along)), tuple(c * rows + r for c, r in cells))


def _kind(name: str, distances: tuple[int, int]) -> int:
    near, far = sorted(min(each, _FARTHEST[name]) for each in distances)
    return SHAPES.index((name, near, far))


@cache
def folded(kind: int) -> tuple[tuple[int, ...], int]:
    """For each number that a window of a kind may show, its folded number; and how many of those there are."""
    name, near, far = SHAPES[kind]
    ranks: dict[tuple[int, ...], int] = {}
    fold: list[int] = []
    for digits in product(range(CONTENTS), repeat=cells_in(kind) - 1):
        others = digits[::-1]
        if name == "plus":
            others = tuple(sorted(others))
        elif near == far:
            others = (*sorted(others[:2]), others[2])
        rank = ranks.setdefault(others, len(ranks))
        fold.extend(range(rank * CONTENTS, (rank + 1) * CONTENTS))
    return tuple(fold), len(ranks) * CONTENTS


@cache
def swapped(cells: int) -> tuple[int, ...]:
    """For each number that a window with `cells` cells may show, the same as the other side sees it."""
    other = (0, *range(7, 13), *range(1, 7))
    numbers = [0]
    for place in range(cells):
        numbers = [other[digit] * CONTENTS**place + number for digit in range(CONTENTS) for number in numbers]
    return tuple(numbers)


ZERO: Final = 128
"""The byte of a weight of nothing."""

UNIT: Final = 0.02
"""What one step of a weight adds to the logarithm of the odds."""

PHASES: Final = (14, 23)
"""Pips for ten squares at which each phase of the game ends; pips never become fewer."""

PIPS_A_STEP: Final = 4
"""Pips on the board are counted in steps of this size."""

CHECKSUMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "3x5": "ab36c06914cad19998af50f618bdb032e06514b97ac2e08244a09a413d2ddc7e",
        "5x5": "4f025963ec5cf6b764d91e62f677d78493352f09cc9294096ceccd8ee62cafee",
    }
)
"""SHA-256 of the unpacked tables, by board. `train` prints them."""

FOLDED: Final = sum(folded(kind)[1] for kind in range(len(SHAPES)))
"""Folded numbers of all kinds together."""

STARTS: Final = (0, *accumulate(CONTENTS ** cells_in(kind) for kind in range(len(SHAPES))))
"""Where the numbers of each kind begin when those of all kinds stand in one row."""


class DamagedTable(Exception):
    """A table is not the one that was trained."""


@dataclass(frozen=True, slots=True)
class LearnedTable:
    """Weights laid out for reading: as seat 0 and as seat 1 sees the board."""

    views: tuple[tuple[tuple[bytes, bytes], ...], ...]
    """By seat, phase and parity: the weight of each number, kind after kind (`STARTS`)."""
    phase_of: bytes
    """By pips on the board."""
    by_empties: bytes
    """By empty squares, then by dice ahead; `ahead` says how."""
    by_pips: bytes
    """By steps of pips, then by dice ahead."""


def sizes(squares: int) -> tuple[int, int, int]:
    """How many weights the three parts of a table have: windows in all phases, empty squares, pips."""
    ahead = 2 * squares + 1
    steps = MOST_PIPS * squares // PIPS_A_STEP + 2
    return 2 * (len(PHASES) + 1) * FOLDED, (squares + 1) * ahead, steps * ahead


def phase_of(pips: int, squares: int) -> int:
    """The phase of a game with these pips on this number of squares."""
    return sum(10 * pips >= limit * squares for limit in PHASES)


@lru_cache(maxsize=8)
def table_of(columns: int, rows: int) -> LearnedTable:
    """The table of a board. Where none was trained for its size, that of a like board, as far as it goes there.

    Raises DamagedTable.
    """
    short = min(columns, rows)
    learned = (3, 5) if short == 3 else (5, 5)
    name = f"{learned[0]}x{learned[1]}"
    weights = lzma.decompress((files("pbmserv.robots.cephalopod") / f"table-{name}.xz").read_bytes())
    if hashlib.sha256(weights).hexdigest() != CHECKSUMS[name]:
        raise DamagedTable(f"table-{name}.xz is not the table that was trained")
    learned_on, squares = learned[0] * learned[1], columns * rows
    return unpacked(weights if squares == learned_on else _stretched(weights, learned_on, squares), squares)


def _stretched(weights: bytes, learned_on: int, squares: int) -> bytes:
    """Weights for another number of squares: the windows' as they are, the counts' in proportion."""
    windowed, empties, _ = sizes(learned_on)
    parts = [weights[:windowed]]
    share = learned_on / squares
    row = 2 * learned_on + 1
    for begin, count in ((windowed, squares + 1), (windowed + empties, sizes(squares)[2] // (2 * squares + 1))):
        for step in range(count):
            at = begin + min(round(step * share), MOST_PIPS * learned_on // PIPS_A_STEP + 1) * row + learned_on
            parts.append(bytes(weights[at + round(ahead * share)] for ahead in range(-squares, squares + 1)))
    return b"".join(parts)


def unpacked(weights: bytes, squares: int) -> LearnedTable:
    """A table laid out for reading. Raises DamagedTable if it has too many or too few weights."""
    windowed, empties, pips = sizes(squares)
    if len(weights) != windowed + empties + pips:
        raise DamagedTable(f"{len(weights)} weights are not those of {squares} squares")
    views = [_laid_out(weights[begin : begin + FOLDED]) for begin in range(0, windowed, FOLDED)]
    others = [_as_other(view) for view in views]
    return LearnedTable(
        tuple(tuple(zip(seen[::2], seen[1::2], strict=True)) for seen in (views, others)),
        bytes(phase_of(count, squares) for count in range(MOST_PIPS * squares + 2)),
        weights[windowed : windowed + empties],
        weights[windowed + empties :],
    )


def _laid_out(weights: bytes) -> bytes:
    """A weight for each number instead of each folded one."""
    parts, begin = [], 0
    for kind in range(len(SHAPES)):
        fold, count = folded(kind)
        own = weights[begin : begin + count]
        parts.append(bytes([own[number] for number in fold]))
        begin += count
    return b"".join(parts)


def _as_other(view: bytes) -> bytes:
    """The same weights by the numbers that the other side would see."""
    parts = []
    for kind in range(len(SHAPES)):
        own = view[STARTS[kind] : STARTS[kind + 1]]
        parts.append(bytes([own[number] for number in swapped(cells_in(kind))]))
    return b"".join(parts)


def packed(weights: bytes) -> bytes:
    """What stands in a table's file."""
    return lzma.compress(weights, format=lzma.FORMAT_XZ, preset=9 | lzma.PRESET_EXTREME)


def first_numbers(columns: int, rows: int) -> tuple[int, ...]:
    """What each window of an empty board shows, in the row of all kinds."""
    return tuple(STARTS[window.kind] for window in windows(columns, rows))
