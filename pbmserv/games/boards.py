"""What makes boards of squares, points and pits.

`pbmserv.games.hexagons` makes those of hexagons, `pbmserv.games.divided` those that something divides, and
`pbmserv.games.drawn` reads one from ASCII art.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from string import ascii_uppercase
from types import MappingProxyType
from typing import Final

from pbmserv.games.board import Board, Layout, Row, Shape, Sheet

MOST_ROWS: Final = 99

MARGIN: Final = 4
"""Blanks left of a sheet."""

N, NE, E, SE, S, SW, W, NW = range(8)
"""The directions of `Board.rays` on squares and points."""

ORTHOGONAL: Final = (N, E, S, W)
DIAGONAL: Final = (NE, SE, SW, NW)
STEPS: Final = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""The same as steps in columns and rows."""


def made(
    key: str,
    names: Sequence[str],
    neighbours: Sequence[Sequence[int]],
    rays: Sequence[Sequence[Sequence[int]]],
    sheet: Sheet,
    layout: Layout,
) -> Board:
    """A board from its parts."""
    return Board(
        key,
        tuple(names),
        tuple(tuple(beside) for beside in neighbours),
        tuple(tuple(tuple(ray) for ray in each) for each in rays),
        sheet,
        layout,
        MappingProxyType({name: number for number, name in enumerate(names)}),
    )


@lru_cache(maxsize=64)
def squares(
    columns: int,
    rows: int,
    width: int = 1,
    empty: str = ".",
    is_spread: bool = False,
    is_chequered: bool = False,
) -> Board:
    """The board of that many columns (1 to 26) and rows (1 to 99), row 1 at the bottom. Raises ValueError else.

    Neighbours are horizontal and vertical. In text a cell is `width` characters wide, and shows `empty`; rows have
    a blank line between them where it `is_spread`. Of a board that `is_chequered` A1 is a dark cell.

    >>> squares(5, 5).names[:6]
    ('A1', 'A2', 'A3', 'A4', 'A5', 'B1')
    >>> [squares(5, 5).names[cell] for cell in squares(5, 5).rays[0][NE]]
    ['B2', 'C3', 'D4', 'E5']
    """
    return grid("square", columns, rows, ascii_uppercase, width, empty, is_spread, is_chequered)


@lru_cache(maxsize=16)
def points(size: int, skips: str = "I", empty: str = "+") -> Board:
    """A square board of so many crossing lines each way; its columns leave out the letters that it `skips`."""
    letters = "".join(letter for letter in ascii_uppercase if letter not in skips)
    return grid("point", size, size, letters, empty=empty)


def grid(
    shape: Shape,
    columns: int,
    rows: int,
    alphabet: str = ascii_uppercase,
    width: int = 1,
    empty: str = ".",
    is_spread: bool = False,
    is_chequered: bool = False,
) -> Board:
    """A board of squares or points in columns and rows, as `squares` makes it. Raises ValueError likewise."""
    if not (1 <= columns <= len(alphabet) and 1 <= rows <= MOST_ROWS):
        raise ValueError(f"no board of {columns} columns and {rows} rows")
    letters = alphabet[:columns]
    places = [(column, row) for column in range(columns) for row in range(rows)]
    cells = {place: cell for cell, place in enumerate(places)}
    rays = [rays_of(place, STEPS, cells) for place in places]
    labels = [str(row + 1) for row in range(rows)]
    return made(
        key=f"{shape} {columns}x{rows} {letters[-1]} {width} {empty}"
        f"{' spread' * is_spread}{' chequered' * is_chequered}",
        names=[f"{letters[column]}{labels[row]}" for column, row in places],
        neighbours=[sorted(each[way][0] for way in ORTHOGONAL if each[way]) for each in rays],
        rays=rays,
        sheet=_grid_sheet(letters, rows, width, empty.center(width), is_spread),
        layout=Layout(
            shape,
            (2 * columns, 2 * rows),
            places=tuple((2 * column + 1, 2 * (rows - row) - 1) for column, row in places),
            labels=(
                *(
                    (letter, 2 * column + 1, y)
                    for y in (-1, 2 * rows + 1)
                    for column, letter in enumerate(letters)
                ),
                *((labels[row], x, 2 * (rows - row) - 1) for x in (-1, 2 * columns + 1) for row in range(rows)),
            ),
            rows=tuple(
                Row(labels[row], tuple(column * rows + row for column in range(columns)))
                for row in range(rows - 1, -1, -1)
            ),
            lines=() if shape == "square" else tuple(_lines(rays)),
            stars=() if shape == "square" else _stars(columns),
            shaded=tuple(cell for cell, place in enumerate(places) if sum(place) % 2 == 0) if is_chequered else (),
        ),
    )


def rays_of(
    place: tuple[int, int], steps: Sequence[tuple[int, int]], cells: Mapping[tuple[int, int], int]
) -> list[list[int]]:
    """For each step the cells on from a place, up to the edge."""
    return [_ray(place, step, cells) for step in steps]


def _ray(place: tuple[int, int], step: tuple[int, int], cells: Mapping[tuple[int, int], int]) -> list[int]:
    (column, row), (aside, along) = place, step
    found: list[int] = []
    while (cell := cells.get((column := column + aside, row := row + along))) is not None:
        found.append(cell)
    return found


def _lines(rays: Sequence[Sequence[Sequence[int]]]) -> list[tuple[int, int]]:
    """The whole lines of a board of points: from each cell at the lower or the left edge to the other one."""
    return [
        (cell, each[way][-1])
        for cell, each in enumerate(rays)
        for way, back in ((N, S), (E, W))
        if each[way] and not each[back]
    ]


def _stars(size: int) -> tuple[int, ...]:
    if size < 9 or size % 2 == 0:
        return ()
    edge = 2 if size < 12 else 3
    inner = sorted({edge, size // 2, size - 1 - edge})
    middle = [(inner[1], inner[1])] if size < 13 else []
    crossed = [(x, y) for x in inner for y in inner] if size > 13 else []
    corners = [(x, y) for x in (edge, size - 1 - edge) for y in (edge, size - 1 - edge)]
    return tuple(sorted({x * size + y for x, y in (*corners, *middle, *crossed, (size // 2, size // 2))}))


def _grid_sheet(letters: str, rows: int, width: int, empty: str, is_spread: bool) -> Sheet:
    before = len(str(rows))
    left = MARGIN + before + 2
    head = " " * left + " ".join(" " * (width // 2) + letter.ljust(width - width // 2) for letter in letters)
    lines, at = [head.rstrip()], {}
    if is_spread:
        lines.append("")
    for row in range(rows - 1, -1, -1):
        at[row] = len(lines)
        label = str(row + 1)
        cells = " ".join([empty] * len(letters))
        lines.append(f"{' ' * MARGIN}{label.rjust(before)}  {cells}  {label}")
        if is_spread:
            lines.append("")
    lines.append(lines[0])
    slots = [(at[row], left + (width + 1) * column) for column in range(len(letters)) for row in range(rows)]
    return Sheet(tuple(lines), tuple(slots), width)


@lru_cache(maxsize=8)
def pits(count: int, names: tuple[str, str] = ("South", "North")) -> Board:
    """Two rows of pits for sowing: A1, B1, ... below from left to right, and on above from right to left.

    A cell's one neighbour is the next pit; its one ray is the way round the board.

    >>> pits(6).names
    ('A1', 'B1', 'C1', 'D1', 'E1', 'F1', 'G1', 'H1', 'I1', 'J1', 'K1', 'L1')
    """
    letters = ascii_uppercase[: 2 * count]
    every = range(2 * count)
    rays = [[[*every[cell + 1 :], *every[:cell]]] for cell in every]
    left = MARGIN + max(map(len, names)) + 2
    rule = " " * left + "+----" * count + "+"

    def named(row: str) -> str:
        return (" " * left + "".join(f"  {letter}  " for letter in row)).rstrip()

    def line(name: str) -> str:
        return " " * MARGIN + name.ljust(left - MARGIN) + "|    " * count + "|"

    below, above = letters[:count], letters[: count - 1 : -1]
    lines = (named(above), rule, line(names[1]), rule, line(names[0]), rule, named(below))
    column = [*range(count), *range(count - 1, -1, -1)]
    return made(
        key=f"pits {count} {names[0]} {names[1]}",
        names=[f"{letter}1" for letter in letters],
        neighbours=[[each[0][0]] for each in rays],
        rays=rays,
        sheet=Sheet(lines, tuple((4 if cell < count else 2, left + 2 + 5 * column[cell]) for cell in every), 2),
        layout=Layout(
            "pit",
            (2 * count, 4),
            places=tuple((2 * column[cell] + 1, 3 if cell < count else 1) for cell in every),
            labels=tuple((letters[cell], 2 * column[cell] + 1, 5 if cell < count else -1) for cell in every),
            rows=(Row(names[1], tuple(every[: count - 1 : -1])), Row(names[0], tuple(every[:count]))),
        ),
    )
