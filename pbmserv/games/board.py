"""A board: named cells, which of them are neighbours, and how it is drawn empty, as text and as a picture.

A board is its drawing: to draw a position, put pieces on a `Sheet` or a `Layout`; there is no need to know the
game. A cell's name is a letter and a number: `C3`. What stands on a cell is the game's.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

# With IGNORECASE alone, [a-z] would also match the dotless i, the long s and the Kelvin sign.
_FLAGS = re.ASCII | re.IGNORECASE
_CELL = r"[a-z][1-9][0-9]?"
_EACH_CELL = re.compile(_CELL, _FLAGS)
_CELLS = re.compile(rf"{_CELL}(?:(?:[ ]*[x=:\-/+,][ ]*)?{_CELL})*", _FLAGS)
_CELL_LIKE = re.compile(rf"{_CELL}(?:\Z|[^a-z0-9_]|x|{_CELL})", _FLAGS)

Shape = Literal["square", "point", "hexagon", "pit"]
"""How cells are drawn: beside each other, where lines cross, in a honeycomb, as hollows."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The empty board as text, and where its cells are."""

    lines: tuple[str, ...]
    slots: tuple[tuple[int, int], ...]
    """For each cell its line, and the first of its characters there."""
    width: int
    """How many characters a cell has."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of cells, from left to right."""

    label: str
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """The empty board as a picture. Places are in half cells, from the upper left corner, x before y."""

    shape: Shape
    size: tuple[int, int]
    places: tuple[tuple[int, int], ...]
    """The centre of each cell."""
    labels: tuple[tuple[str, int, int], ...]
    """What is written beside the cells, and where."""
    rows: tuple[Row, ...]
    """From top to bottom."""
    lines: tuple[tuple[int, int], ...] = ()
    """Pairs of cells with a line between them."""
    stars: tuple[int, ...] = ()
    """Cells with a dot, for the eye."""
    shaded: tuple[int, ...] = ()
    """Cells that are darker, as on a chequered board."""
    edges: tuple[tuple[int, int, int], ...] = ()
    """Edges in the colour of a seat: that, and the first and the last cell along it.

    On points it lies behind these cells, as seen from the rim.
    """
    heavy: tuple[tuple[tuple[int, int], tuple[int, int]], ...] = ()
    """Heavier lines between cells, from where to where; between points they are rivers."""
    posts: tuple[tuple[int, int], ...] = ()
    """Places with a dot that are no cells, as between the lines of dots and boxes."""


@dataclass(frozen=True, slots=True)
class Board:
    """Cells, counted from 0 in the order A1, A2, ... B1, B2, ... Boards of one `key` are the same."""

    key: str
    names: tuple[str, ...] = field(repr=False, compare=False)
    neighbours: tuple[tuple[int, ...], ...] = field(repr=False, compare=False)
    """Of each cell those beside it, in order."""
    rays: tuple[tuple[tuple[int, ...], ...], ...] = field(repr=False, compare=False)
    """Of each cell, for each direction, the cells on from it, the nearest first."""
    sheet: Sheet = field(repr=False, compare=False)
    layout: Layout = field(repr=False, compare=False)
    numbers: Mapping[str, int] = field(repr=False, compare=False)
    """The cells by name."""

    def find(self, name: str) -> int | None:
        """The cell of that name, in capitals; None when it is off the board."""
        return self.numbers.get(name)


def split_cells(text: str) -> tuple[str, ...]:
    """The cells that a text names one after the other, as on a board of any size, in capitals.

    Between two cells may stand one of `x = : - / + ,` with blanks around it, or nothing. Empty when the text is
    anything else.

    >>> split_cells("c3 x b3,d3"), split_cells("c3b3d3"), split_cells("c3?")
    (('C3', 'B3', 'D3'), ('C3', 'B3', 'D3'), ())
    """
    return tuple(_EACH_CELL.findall(text.upper())) if _CELLS.fullmatch(text) else ()


def is_cell_like(word: str) -> bool:
    """Whether a word begins like a cell, whatever comes after it, so that it is more likely a move than a name.

    >>> [is_cell_like(word) for word in ("d4", "C3xB3,D3", "c3#7", "d4!", "k9dog", "a1ice", "hello", "4d")]
    [True, True, True, True, False, False, False, False]
    """
    return _CELL_LIKE.match(word) is not None
