"""The windows through which a Cephalopod board is seen: each square with its neighbours, and each 2x2 block.

A window's *kind* says how far it lies from the sides of the board, so windows that see the same share what is
learned, and boards of any size have the same kinds. What a window sees is a number in base 13, a digit a cell: 0
for an empty square, 1 to 6 for a die of one's own, 7 to 12 for one of the other side. Windows that differ only by
a symmetry have the same *folded* number, of which the learned table keeps a weight.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import Final

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
    """For each number that a window with so many cells may show, the same as the other side sees it."""
    other = (0, *range(7, 13), *range(1, 7))
    numbers = [0]
    for place in range(cells):
        numbers = [other[digit] * CONTENTS**place + number for digit in range(CONTENTS) for number in numbers]
    return tuple(numbers)
