"""What makes boards of hexagons: `rhombus`, `triangle`, `hexagon`, `star`.

Row 1 is at the top. The letters name the slanting lines across the rows: they lead down to the right on a rhombus
and a triangle, and down to the left on a hexagon and a star, where A1 would else be off the board.
"""

from collections.abc import Iterable
from functools import lru_cache
from string import ascii_uppercase
from typing import Final, Literal

from pbmserv.games.board import Board, Layout, Row, Sheet
from pbmserv.games.boards import MARGIN, made, rays_of

NORTHWEST, NORTHEAST, EAST, SOUTHEAST, SOUTHWEST, WEST = range(6)
"""The directions of `Board.rays` on hexagons."""

Lean = Literal[1, -1]
"""How far a line of one letter goes to the right from row to row, in half cells."""

_STEPS: Final[dict[Lean, tuple[tuple[int, int], ...]]] = {
    1: ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0)),
    -1: ((-1, -1), (0, -1), (1, 0), (1, 1), (0, 1), (-1, 0)),
}
"""By lean, the step in letters and numbers for each direction."""

Place = tuple[int, int]

_CLOCKWISE: Final = (-1, 3, -2, 1, -3, 2)


@lru_cache(maxsize=8)
def rhombus(size: int, empty: str = ".") -> Board:
    """`size` letters and rows, A1 at the upper left, each row further to the right.

    The upper and the lower edge are the first seat's, the others the second's.

    >>> [rhombus(3).names[cell] for cell in rhombus(3).neighbours[4]]
    ['A2', 'A3', 'B1', 'B3', 'C1', 'C2']
    """
    return _honeycomb(
        f"rhombus {size} {empty}",
        ((column, row) for column in range(size) for row in range(size)),
        1,
        empty,
        edges=(
            (0, 0, size * (size - 1)),
            (0, size - 1, size * size - 1),
            (1, 0, size - 1),
            (1, size * (size - 1), size * size - 1),
        ),
    )


@lru_cache(maxsize=8)
def triangle(size: int, empty: str = ".") -> Board:
    """`size` cells along each of three edges, the first row the longest, A1 at the upper left.

    >>> triangle(3).names
    ('A1', 'A2', 'A3', 'B1', 'B2', 'C1')
    """
    return _honeycomb(
        f"triangle {size} {empty}",
        ((column, row) for column in range(size) for row in range(size - column)),
        1,
        empty,
    )


@lru_cache(maxsize=16)
def hexagon(size: int, empty: str = ".", width: int = 1) -> Board:
    """`size` cells along each of six edges, A1 at the left end of the upper one, in text `width` characters wide.

    >>> hexagon(2).names
    ('A1', 'A2', 'B1', 'B2', 'B3', 'C2', 'C3')
    """
    across = range(2 * size - 1)
    return _honeycomb(
        f"hexagon {size} {empty}{f' {width}' if width > 1 else ''}",
        ((column, row) for column in across for row in across if abs(column - row) < size),
        -1,
        empty,
        width=width,
    )


@lru_cache(maxsize=4)
def star(size: int = 5, empty: str = ".") -> Board:
    """A hexagon of `size` cells along each edge, with a triangle on each: 121 cells with 5. The tips are shaded.

    >>> len(star(5).names), star(2).names[:6]
    (121, ('A2', 'B1', 'B2', 'B3', 'B4', 'C2'))
    """
    inside = _tips(size)
    return _honeycomb(
        f"star {size} {empty}",
        inside,
        -1,
        empty,
        shaded=[place for place, tip in inside.items() if tip is not None],
        is_aligned=True,
    )


@lru_cache(maxsize=4)
def tips_of_star(size: int = 5) -> tuple[tuple[int, ...], ...]:
    """The cells of each tip of that star, the upper one first, and on clockwise."""
    cells = sorted(_tips(size).items())
    return tuple(tuple(cell for cell, (_, each) in enumerate(cells) if each == tip) for tip in range(6))


def _tips(size: int) -> dict[Place, int | None]:
    """The places of a star, each with the number of the tip that it is in; None in the middle."""
    reach = size - 1
    found: dict[Place, int | None] = {}
    for column in range(-2 * reach, 2 * reach + 1):
        for row in range(-2 * reach, 2 * reach + 1):
            # How far it is from the three lines through the middle; their sum is nothing.
            away = (row, -column, column - row)
            beyond = [(-1 if each < 0 else 1) * (way + 1) for way, each in enumerate(away) if abs(each) > reach]
            if len(beyond) < 2:
                found[column + 2 * reach, row + 2 * reach] = _CLOCKWISE.index(beyond[0]) if beyond else None
    return found


def _honeycomb(
    key: str,
    cells: Iterable[Place],
    lean: Lean,
    empty: str,
    edges: tuple[tuple[int, int, int], ...] = (),
    shaded: Iterable[Place] = (),
    is_aligned: bool = False,
    width: int = 1,
) -> Board:
    """A board of these letters and rows, counted from 0; where it `is_aligned` numbers stand below each other."""
    places = sorted(cells)
    numbers = {place: cell for cell, place in enumerate(places)}
    rays = [rays_of(place, _STEPS[lean], numbers) for place in places]
    rows = {
        row: [numbers[place] for place in places if place[1] == row] for row in sorted({row for _, row in places})
    }
    # Above the upper end of each line.
    tops = [min(place for place in places if place[0] == column) for column in sorted({at for at, _ in places})]
    heads = [(ascii_uppercase[column], (column, row - 1)) for column, row in tops]

    least = min(2 * column + lean * row for column, row in places)

    def across(place: Place) -> int:
        """The middle of a place, in half cells from the left edge."""
        return 2 * place[0] + lean * place[1] - least + 1

    def side(row: int) -> int:
        """The middle of the number beside a row."""
        beside = rows[row]
        return across(places[beside[-1]]) + 2 if lean > 0 else -1 if is_aligned else across(places[beside[0]]) - 2

    left = MARGIN + 2 if lean > 0 else MARGIN + len(str(len(rows))) + 2
    lines: dict[int, dict[int, str]] = {row: {} for row in (-1, *rows)}
    for column, row in places:
        lines[row][left + width * (across((column, row)) - 1)] = empty.ljust(width)
    for letter, place in heads:
        lines[place[1]][left + width * (across(place) - 1)] = letter
    for row in rows:
        label = str(row + 1)
        lines[row][left + width * side(row) + (0 if lean > 0 else -len(label) - 1)] = label
    return made(
        key=key,
        names=[f"{ascii_uppercase[column]}{row + 1}" for column, row in places],
        neighbours=[sorted(ray[0] for ray in each if ray) for each in rays],
        rays=rays,
        sheet=Sheet(
            tuple(_line(lines[row]) for row in sorted(lines)),
            tuple((row + 1, left + width * (across((column, row)) - 1)) for column, row in places),
            width,
        ),
        layout=Layout(
            "hexagon",
            (max(map(across, places)) + 1, 2 * len(rows)),
            places=tuple((across(place), 2 * place[1] + 1) for place in places),
            labels=(
                *((letter, across(place), 2 * place[1] + 1) for letter, place in heads),
                *((str(row + 1), side(row), 2 * row + 1) for row in rows),
            ),
            rows=tuple(Row(str(row + 1), tuple(beside)) for row, beside in rows.items()),
            edges=edges,
            shaded=tuple(numbers[place] for place in sorted(shaded)),
        ),
    )


def _line(texts: dict[int, str]) -> str:
    drawn = ""
    for at, text in sorted(texts.items()):
        drawn = drawn.ljust(at) + text
    return drawn.rstrip()
