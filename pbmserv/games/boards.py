"""What makes boards: of squares and points, of pits, of what something divides, and of ASCII art.

`pbmserv.games.hexagons` makes those of hexagons.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
    """A square board of `size` crossing lines each way; its columns leave out the letters that it `skips`."""
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


_PALACE = (3, 5)
"""The outer columns of a palace, counted from 0."""


@lru_cache(maxsize=8)
def blocks(columns: int, rows: int, each: int = 3) -> Board:
    """The board of squares, with heavier lines around blocks of `each` columns and rows.

    >>> blocks(4, 4, 2).sheet.lines[:4]
    ('       A B   C D', '    4  . .   . .  4', '    3  . .   . .  3', '')
    """
    board = squares(columns, rows)
    left = board.sheet.slots[0][1]
    breaks = range(each, columns, each)
    lines: list[str] = []
    for number, line in enumerate(board.sheet.lines):
        if 1 < number <= rows and (number - 1) % each == 0:
            lines.append("")
        parts = [line[begin:end] for begin, end in _parts(left, [left + 2 * at for at in breaks], len(line))]
        lines.append("  ".join(parts))
    slots = tuple((line + (line - 1) // each, at + (at - left) // 2 // each * 2) for line, at in board.sheet.slots)
    across = tuple(((0, 2 * at), (2 * columns, 2 * at)) for at in range(each, rows, each))
    down = tuple(((2 * at, 0), (2 * at, 2 * rows)) for at in breaks)
    return replace(
        board,
        key=f"{board.key} by {each}",
        sheet=Sheet(tuple(lines), slots, 1),
        layout=replace(board.layout, heavy=(*across, *down)),
    )


def _parts(left: int, breaks: list[int], end: int) -> list[tuple[int, int]]:
    """Where the parts of a line begin and end."""
    ends = [*breaks, end]
    return list(zip([0, *breaks], ends, strict=True))


@lru_cache(maxsize=1)
def river() -> Board:
    """Nine columns and ten rows of points, with a river between rows 5 and 6 and a palace on either side.

    Neighbours and rays are those of a board without the river and the palaces.

    >>> [line[8:21] for line in river().sheet.lines[9:12]]
    ['+---+---+---+', '|            ', '+---+---+---+']
    """
    columns, rows, bank = 9, 10, 5
    board = grid("point", columns, rows, empty="+")
    letters = ascii_uppercase[:columns]
    ends = [
        *((f"{letters[0]}{row}", f"{letters[-1]}{row}") for row in range(1, rows + 1)),
        *((f"{letter}1", f"{letter}{rows}") for letter in (letters[0], letters[-1])),
        *((f"{letter}{low}", f"{letter}{low + bank - 1}") for letter in letters[1:-1] for low in (1, bank + 1)),
        *(
            (f"{letters[one]}{low}", f"{letters[other]}{low + 2}")
            for low in (1, rows - 2)
            for one, other in (_PALACE, _PALACE[::-1])
        ),
    ]
    middle = 2 * (rows - bank)
    return replace(
        board,
        key="river",
        sheet=_river_sheet(columns, rows, bank),
        layout=replace(
            board.layout,
            lines=tuple((board.numbers[one], board.numbers[other]) for one, other in ends),
            stars=(),
            heavy=(((1, middle), (2 * columns - 1, middle)),),
        ),
    )


def _river_sheet(columns: int, rows: int, bank: int) -> Sheet:
    left = MARGIN + 4
    letters = " " * left + "   ".join(ascii_uppercase[:columns])
    lines = [letters]
    for row in range(rows, 0, -1):
        lines.append(f"{row:>{MARGIN + 2}}  {'---'.join('+' * columns)}  {row}")
        if row == bank + 1:
            lines.append(" " * left + "|" + " " * (4 * columns - 5) + "|")
        elif row > 1:
            between = [" "] * (4 * columns - 3)
            between[::4] = "|" * columns
            if row in (3, rows):
                between[4 * _PALACE[0] + 2], between[4 * _PALACE[1] - 2] = "\\", "/"
            elif row in (2, rows - 1):
                between[4 * _PALACE[0] + 2], between[4 * _PALACE[1] - 2] = "/", "\\"
            lines.append(" " * left + "".join(between))
    slots = tuple(
        (2 * (rows - row) + 1, left + 4 * column) for column in range(columns) for row in range(1, rows + 1)
    )
    return Sheet((*lines, letters), slots, 1)


@lru_cache(maxsize=8)
def pegs(size: int, empty: str = ".") -> Board:
    """`size` holes each way without those in the corners. Behind a border stands each outer row and column.

    The upper and the lower border are the first seat's, the others the second's. In text there is room for links:
    a line between two rows, a character between two columns.

    >>> pegs(4).sheet.lines[:4]
    ('       A  B C  D', '    4   | . . |   4', '       -+-----+-', '    3  .| . . |.  3')
    """
    letters = ascii_uppercase[:size]
    outer = (0, size - 1)
    places = [
        (column, row) for column in range(size) for row in range(size) if column not in outer or row not in outer
    ]
    numbers = {place: cell for cell, place in enumerate(places)}
    rays = [rays_of(place, STEPS, numbers) for place in places]
    before = len(str(size))
    left = MARGIN + before + 2

    def at(column: int) -> int:
        """Where a column stands in a line."""
        return left + 2 * column + (column > 0) + (column == size - 1)

    head = [" "] * (at(size - 1) + 1)
    for column, letter in enumerate(letters):
        head[at(column)] = letter
    borders = [" "] * (at(size - 1) - 1) + ["|"]
    borders[at(0) + 1] = "|"
    lines, slots = ["".join(head)], {}
    for row in range(size - 1, -1, -1):
        drawn = list(f"{' ' * MARGIN}{row + 1:>{before}}  ".ljust(at(size - 1) + 1))
        drawn[at(0) + 1] = drawn[at(size - 1) - 1] = "|"
        for column in range(size):
            if (column, row) in numbers:
                slots[column, row] = (len(lines), at(column))
                drawn[at(column)] = empty
        lines.append(f"{''.join(drawn)}  {row + 1}")
        if row in (1, size - 1):
            lines.append(" " * at(0) + "-+" + "-" * (at(size - 1) - at(0) - 3) + "+-")
        elif row > 0:
            lines.append("".join(borders))
    lines.append(lines[0])
    plain = grid("point", size, size, letters).layout
    top = size - 1
    return made(
        key=f"pegs {size} {empty}",
        names=[f"{letters[column]}{row + 1}" for column, row in places],
        neighbours=[sorted(each[way][0] for way in (0, 2, 4, 6) if each[way]) for each in rays],
        rays=rays,
        sheet=Sheet(tuple(lines), tuple(slots[place] for place in places), 1),
        layout=Layout(
            "point",
            (2 * size, 2 * size),
            places=tuple((2 * column + 1, 2 * (size - row) - 1) for column, row in places),
            labels=plain.labels,
            rows=tuple(
                Row(
                    str(row + 1), tuple(numbers[column, row] for column in range(size) if (column, row) in numbers)
                )
                for row in range(size - 1, -1, -1)
            ),
            stars=tuple(range(len(places))),
            edges=(
                (0, numbers[1, top], numbers[top - 1, top]),
                (0, numbers[1, 0], numbers[top - 1, 0]),
                (1, numbers[0, 1], numbers[0, top - 1]),
                (1, numbers[top, 1], numbers[top, top - 1]),
            ),
        ),
    )


POINT: Final = "+"

# How a line goes on from a point: its direction, the step to the right and downwards, and its character.
_WAYS: Final = ((E, 1, 0, "-"), (S, 0, 1, "|"), (SE, 1, 1, "\\"), (SW, -1, 1, "/"))
_BACK: Final = {E: W, S: N, SE: NW, SW: NE}


@lru_cache(maxsize=8)
def drawn(key: str, art: str) -> Board:
    """The board of a drawing: `+` are its cells, `- | / \\` the lines between them.

    Rows are named by the number at their left end, columns by the letters of the last line; a cell is in the
    column whose letter stands below it. Raises ValueError where a name is missing. Rays go along lines only, in
    the directions `N` to `NW` of `pbmserv.games.boards`.

    >>> board = drawn("cross", "2  +-+\\n   | |\\n1  +-+\\n   A B")
    >>> board.names, [board.names[cell] for cell in board.neighbours[0]]
    (('A1', 'A2', 'B1', 'B2'), ['A2', 'B1'])
    """
    *body, foot = art.strip("\n").split("\n")
    letters = {place: letter for place, letter in enumerate(foot) if letter != " "}
    labels = {line: text.split()[0] for line, text in enumerate(body) if text[:1].strip()}
    found = sorted(
        (letters.get(place, "?"), labels.get(line, "?"), line, place)
        for line, text in enumerate(body)
        for place, character in enumerate(text)
        if character == POINT
    )
    names = [letter + label for letter, label, _, _ in found]
    if any("?" in name for name in names):
        raise ValueError(f"a cell without a name: {names}")
    at = {(line, place): cell for cell, (_, _, line, place) in enumerate(found)}
    beside = _beside(body, at)
    columns, rows = sorted(letters), sorted(labels)
    places = tuple((2 * columns.index(place) + 1, 2 * rows.index(line) + 1) for _, _, line, place in found)
    margin = " " * MARGIN
    return made(
        key=key,
        names=names,
        neighbours=[sorted(each.values()) for each in beside],
        rays=[[_along(cell, way, beside) for way in range(8)] for cell in range(len(found))],
        sheet=Sheet(
            tuple((margin + line).rstrip() for line in (*body, foot)),
            tuple((line, MARGIN + place) for _, _, line, place in found),
            1,
        ),
        layout=Layout(
            "point",
            (2 * len(columns), 2 * len(rows)),
            places=places,
            labels=(
                *((letters[place], 2 * column + 1, 2 * len(rows) + 1) for column, place in enumerate(columns)),
                *((labels[line], -1, 2 * row + 1) for row, line in enumerate(rows)),
            ),
            rows=tuple(
                Row(
                    labels[line],
                    tuple(cell for _, cell in sorted((p, c) for (at_line, p), c in at.items() if at_line == line)),
                )
                for line in rows
            ),
            lines=tuple((cell, each[way]) for cell, each in enumerate(beside) for way in _BACK if way in each),
        ),
    )


def _beside(body: list[str], at: dict[tuple[int, int], int]) -> list[dict[int, int]]:
    """For each cell the next one along each line that begins there, by direction."""
    beside: list[dict[int, int]] = [{} for _ in at]
    for (line, place), cell in at.items():
        for way, aside, down, stroke in _WAYS:
            y, x = line + down, place + aside
            while 0 <= y < len(body) and 0 <= x < len(body[y]) and body[y][x] == stroke:
                y, x = y + down, x + aside
            other = at.get((y, x))
            if other is not None:
                beside[cell][way] = other
                beside[other][_BACK[way]] = cell
    return beside


def _along(cell: int, way: int, beside: list[dict[int, int]]) -> list[int]:
    found: list[int] = []
    while way in beside[cell]:
        cell = beside[cell][way]
        found.append(cell)
    return found
