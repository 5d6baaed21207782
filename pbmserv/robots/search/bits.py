"""Sets of cells as the bits of a number, cell 0 the lowest: many cells at a time, in plain Python."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pbmserv.games.board import Board

Shifts = tuple[tuple[int, int], ...]
"""Steps in some directions: from which cells there is one, and how many numbers on, or back, it leads."""


def bits_of(marks: bytes | str, mark: int | str) -> int:
    """The cells that have this mark.

    >>> bin(bits_of("xo.x", "x")), bin(bits_of(bytes([2, 1, 2]), 1))
    ('0b1001', '0b10')
    """
    text = marks.decode("latin-1") if isinstance(marks, bytes) else marks
    sign = chr(mark) if isinstance(mark, int) else mark
    return int(text.translate(_Only(sign))[::-1], 2)


class _Only(dict[int, str]):
    """A table for `str.translate`: 1 for one sign, 0 for every other one."""

    def __init__(self, sign: str) -> None:
        super().__init__({ord(sign): "1"})

    def __missing__(self, key: int) -> str:
        return "0"


def cells_of(bits: int) -> list[int]:
    """The cells of a set, in order.

    >>> cells_of(0b1001)
    [0, 3]
    """
    return [cell for cell, bit in enumerate(reversed(f"{bits:b}")) if bit == "1"]


@dataclass(frozen=True, slots=True)
class Lines:
    """How the cells of a board lie beside each other."""

    beside: Shifts
    """To all neighbours."""
    ways: tuple[tuple[int, int], ...]
    """One step for each direction of the rays."""


@lru_cache(maxsize=32)
def lines_of(board: Board) -> Lines:
    """The steps on a board of which all cells are numbered evenly: squares, points, a rhombus."""
    ways = tuple(_shifts([ray[:1] for ray in rays]) for rays in zip(*board.rays, strict=True))
    return Lines(_shifts(board.neighbours), tuple(way[0] for way in ways if way))


def _shifts(to: Sequence[Sequence[int]]) -> Shifts:
    found: dict[int, int] = {}
    for cell, targets in enumerate(to):
        for target in targets:
            found[target - cell] = found.get(target - cell, 0) | 1 << cell
    return tuple((cells, step) for step, cells in sorted(found.items()))


def beside(bits: int, shifts: Shifts) -> int:
    """The cells one step from a set."""
    found = 0
    for cells, step in shifts:
        found |= (bits & cells) << step if step > 0 else (bits & cells) >> -step
    return found


def joined_with(bits: int, within: int, shifts: Shifts) -> int:
    """The cells of `within` that hang together with those of a set that are in it."""
    found = news = bits & within
    while news:
        news = beside(news, shifts) & within & ~found
        found |= news
    return found


_FIELD: Final = 4
"""Bytes for each cell in packed numbers."""


def packed(cells: int, count: int) -> int:
    """A number with a field of four bytes for each of `count` cells: 1 where the cell's bit is set.

    >>> unpacked(packed(0b101, 3), 3)
    (1, 0, 1)
    """
    spread = map(_spread().__getitem__, cells.to_bytes(-(-count // 8), "little"))
    return int.from_bytes(b"".join(spread), "little")


def unpacked(number: int, count: int) -> tuple[int, ...]:
    """The first fields of a packed number."""
    whole = number.to_bytes(max(_FIELD * count, -(-number.bit_length() // 8)), "little")
    return struct.unpack_from(f"<{count}I", whole)


@lru_cache(maxsize=1)
def _spread() -> tuple[bytes, ...]:
    """For each byte its bits, a field each."""
    return tuple(struct.pack("<8I", *(byte >> bit & 1 for bit in range(8))) for byte in range(256))
