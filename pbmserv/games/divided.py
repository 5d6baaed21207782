"""What makes boards that something divides: `blocks` of squares, points at a `river`, `pegs` within borders."""

from dataclasses import replace
from functools import lru_cache
from string import ascii_uppercase

from pbmserv.games.board import Board, Layout, Row, Sheet
from pbmserv.games.boards import MARGIN, STEPS, grid, made, rays_of, squares

_PALACE = (3, 5)
"""The outer columns of a palace, counted from 0."""


@lru_cache(maxsize=8)
def blocks(columns: int, rows: int, each: int = 3) -> Board:
    """The board of squares, with heavier lines around blocks of so many columns and rows each.

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
    """So many holes each way without those in the corners. Behind a border stands each outer row and column.

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
