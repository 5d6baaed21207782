"""The learned table: what a side that has just moved may expect, from what is seen through the windows of a board.

A table is a file beside this module, `table-5x5.xz` or `table-3x5.xz`, made by `train`. It holds a weight for each
folded number of each kind of window, once for each phase of the game and for an even and an odd number of empty
squares, and for two counts: empty squares and dice ahead, pips and dice ahead. Weights are bytes; their sum less
what 128 each would come to, times `UNIT`, is the logarithm of the odds of winning. Boards of other sizes have
windows of the same kinds, so they make do with the table that was trained on a like board.
"""

import hashlib
import lzma
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import accumulate
from types import MappingProxyType
from typing import Final

from pbmserv.games.cephalopod import MOST_PIPS
from pbmserv.robots.cephalopod.windows import CONTENTS, SHAPES, cells_in, folded, swapped, windows

ZERO: Final = 128
"""The byte of a weight of nothing."""

UNIT: Final = 0.02
"""What one step of a weight adds to the logarithm of the odds."""

PHASES: Final = (14, 23)
"""A phase of the game ends when there are so many pips for ten squares; pips never become fewer."""

PIPS_A_STEP: Final = 4
"""Pips on the board are counted in steps of so many."""

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
    """The phase of a game with so many pips on so many squares."""
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
