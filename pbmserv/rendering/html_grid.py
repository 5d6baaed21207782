"""The grid of a board in HTML for mails: all of it that stays the same while the game is played."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

from markupsafe import Markup

from pbmserv.games.board import Board
from pbmserv.games.game import Scene
from pbmserv.games.info import Side
from pbmserv.rendering.piece_style import PieceStyle, are_on_wood, looks_of
from pbmserv.rendering.templates import environment, render

MOST_CELLS: Final = 169
"""What has more, as a Go board of 19 lines, would be too large a mail."""

_PIXELS: Final = 304
"""Of the narrowest supported phone's 320, within the margins of a mail."""

_NARROWEST: Final = 17
"""Pixels of a cell on which a finger may still land."""

_TIGHT: Final = 22
"""Pixels of a cell too narrow for three bold letters."""

_LABEL: Final = 18
_LABEL_OF_PITS: Final = 48
"""Pixels of the labels beside the rows: a number, or a side of the board."""

_LOWEST: Final = 22
"""Pixels of the lowest row."""


_HEAVY: Final = "#8a7a55"
_RIVER: Final = "#5b93c9"
_NOBODYS: Final = "#8a7a55"

Border = tuple[Literal["right", "bottom"], str]
"""A border of a cell and its colour."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Sizes in pixels: the height of a row, and of letters and pips."""

    height: int
    name: int
    # Those of a name with a number behind it.
    mark: int
    # Those of a row's number with two digits, and of its name.
    number: int
    # Whether a name of three letters has just room enough if they are thin.
    is_tight: bool
    piece: int
    pip: int
    # How wide the board may become where there is more room than on a phone.
    widest: int
    # The width of the labels beside the rows.
    label: int
    # How many half cells are side by side.
    halves: int


# The height of a row with at most this many cells; cells of more are about square on the narrowest phone.
_HEIGHTS: Final = ((5, 58), (7, 44), (9, 34), (11, 27))


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row of cells; None where the board has none between two."""

    label: str
    # Half cells before the first cell.
    indent: int
    cells: tuple[int | None, ...]


# Compared by identity, since the same board has the same grid.
@dataclass(frozen=True, slots=True, eq=False)
class HtmlGrid:
    """A board without its pieces, for the sides of a game."""

    rows: tuple[GridRow, ...]
    # With a place for each row's cells: `{rows[0]}`.
    html: str
    fit: Fit
    looks: tuple[PieceStyle, ...]
    # What each side's pieces look like, before a name.
    signs: tuple[Markup, ...]
    # What an empty cell shows.
    sign: str
    # Whether the ground is one on which black and white are seen.
    is_wooden: bool
    # The lines that divide the board, as borders of cells: "right" or "bottom", and the colour.
    borders: Mapping[int, tuple[Border, ...]]


@lru_cache(maxsize=64)
def grid_of(board: Board, sides: tuple[Side, ...]) -> HtmlGrid | None:
    """The grid of a board for these sides; None where it does not fit on a phone."""
    fit, looks = _fit(board), looks_of(sides)
    if fit is None:
        return None
    rows, is_wooden = _rows(board), are_on_wood(looks)
    macros: Any = environment().get_template("mail/squares.html").module
    return HtmlGrid(
        rows=rows,
        html=render(
            "mail/grid.html",
            fit=fit,
            shape=board.layout.shape,
            columns=_column_labels(board),
            rows=rows,
            is_wooden=is_wooden,
        ),
        fit=fit,
        looks=looks,
        signs=tuple(macros.sign(looks, seat, is_wooden) for seat in range(len(looks))),
        sign="+" if board.layout.shape == "point" else Markup("&middot;"),
        is_wooden=is_wooden,
        borders=_heavy(board),
    )


def walls_of(scene: Scene, looks: Sequence[PieceStyle]) -> dict[int, tuple[Border, ...]]:
    """The walls of a scene as borders of cells."""
    found: dict[int, tuple[Border, ...]] = {}
    places = scene.board.layout.places
    for stroke in scene.strokes:
        colour = _NOBODYS if stroke.seat is None else looks[stroke.seat % len(looks)].colour
        for pair in stroke.between:
            one, other = sorted(pair, key=lambda cell: (places[cell][1], places[cell][0]))
            side: Literal["right", "bottom"] = "right" if places[one][1] == places[other][1] else "bottom"
            found[one] = (*found.get(one, ()), (side, colour))
    return found


def _heavy(board: Board) -> dict[int, tuple[Border, ...]]:
    """The heavier lines of a board, each as borders of the cells to the left of it or above it."""
    found: dict[int, tuple[Border, ...]] = {}
    colour = _RIVER if board.layout.shape == "point" else _HEAVY
    for cell, (x, y) in enumerate(board.layout.places):
        for (left, top), (right, bottom) in board.layout.heavy:
            if left == right == x + 1 and top < y < bottom:
                found[cell] = (*found.get(cell, ()), ("right", colour))
            if top == bottom == y + 1 and left <= x <= right:
                found[cell] = (*found.get(cell, ()), ("bottom", colour))
    return found


def _rows(board: Board) -> tuple[GridRow, ...]:
    layout = board.layout
    rows = []
    for row in layout.rows:
        first = layout.places[row.cells[0]][0]
        cells: list[int | None] = []
        for cell in row.cells:
            # Drawn boards have places without a cell.
            missing = (layout.places[cell][0] - first) // 2 - len(cells)
            cells += [*[None] * missing, cell]
        is_shifted = layout.shape == "hexagon"
        before = [] if is_shifted else [None] * ((first - 1) // 2)
        last, down = layout.places[row.cells[-1]]
        after = [None] * sum(y == down and x > last for x, y in layout.posts)
        rows.append(GridRow(row.label, first - 1 if is_shifted else 0, (*before, *cells, *after)))
    return tuple(rows)


def _fit(board: Board) -> Fit | None:
    """The sizes with which a board fits on a phone; None where it does not."""
    across = -(-board.layout.size[0] // 2)
    label = _LABEL_OF_PITS if board.layout.shape == "pit" else _LABEL
    width = (_PIXELS - label) // across
    if width < _NARROWEST or len(board.names) > MOST_CELLS:
        return None
    height = next((height for most, height in _HEIGHTS if across <= most), max(width, _LOWEST))
    name = max(8, min(15, height * 2 // 5))
    return Fit(
        height=height,
        name=name,
        mark=min(name, width * 3 // 10),
        number=min(name, 11),
        is_tight=width < _TIGHT,
        piece=min(height, width) * 9 // 10,
        pip=15 if height > 50 else 12 if height > 40 else 8,
        widest=max(_PIXELS, across * height + label) + 40,
        label=label,
        halves=board.layout.size[0],
    )


def _column_labels(board: Board) -> tuple[str, ...]:
    """What stands above the columns; "" above one that has no label there."""
    layout = board.layout
    across = -(-layout.size[0] // 2)
    top = {x: text for text, x, y in layout.labels if y < 0} or {
        x: text for text, x, y in layout.labels if y > 0 and x > 0
    }
    return tuple(top.get(2 * column + 1, top.get(2 * column, "")) for column in range(across))
