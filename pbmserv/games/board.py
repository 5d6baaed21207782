"""A rectangular board of named squares: `C3` is column C, row 3, and row 1 is at the bottom.

For every game that is played on squares. It knows names and places; what stands on a square is the game's.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from string import ascii_uppercase

MOST_COLUMNS = 26
MOST_ROWS = 99

# With IGNORECASE alone, [a-z] would also match the dotless i, the long s and the Kelvin sign.
_FLAGS = re.ASCII | re.IGNORECASE
_SQUARE = r"[a-z][1-9][0-9]?"
_EACH_SQUARE = re.compile(_SQUARE, _FLAGS)
_SQUARES = re.compile(rf"{_SQUARE}(?:(?:[ ]*[x=:\-/+,][ ]*)?{_SQUARE})*", _FLAGS)
_SQUARE_LIKE = re.compile(rf"{_SQUARE}(?:\Z|[^a-z0-9_]|x|{_SQUARE})", _FLAGS)


@dataclass(frozen=True, slots=True)
class Board:
    """A rectangle of squares, made by `board`.

    Squares are counted from 0 in the order A1, A2, ... B1, B2, ...: by column, then by row. `names` has the name
    and `neighbours` the squares beside, horizontally and vertically, of each; the latter in that same order.
    """

    columns: int
    rows: int
    names: tuple[str, ...] = field(repr=False, compare=False)
    neighbours: tuple[tuple[int, ...], ...] = field(repr=False, compare=False)

    @property
    def letters(self) -> tuple[str, ...]:
        """The names of the columns, from left to right."""
        return tuple(ascii_uppercase[: self.columns])

    def at(self, column: int, row: int) -> int:
        """The square in a column and a row, both counted from 0 at the lower left."""
        return column * self.rows + row

    def find(self, name: str) -> int | None:
        """The square that a name of `split_squares` stands for; None when it is off the board."""
        column, row = ord(name[0]) - ord("A"), int(name[1:]) - 1
        return self.at(column, row) if column < self.columns and row < self.rows else None


@lru_cache(maxsize=64)
def board(columns: int, rows: int) -> Board:
    """The board of that many columns (1 to 26) and rows (1 to 99). Raises ValueError for any other.

    >>> board(5, 5).names[:6]
    ('A1', 'A2', 'A3', 'A4', 'A5', 'B1')
    """
    if not (1 <= columns <= MOST_COLUMNS and 1 <= rows <= MOST_ROWS):
        raise ValueError(f"no board of {columns} columns and {rows} rows")
    places = [(column, row) for column in range(columns) for row in range(rows)]
    return Board(
        columns,
        rows,
        names=tuple(f"{ascii_uppercase[column]}{row + 1}" for column, row in places),
        neighbours=tuple(
            tuple(
                beside_column * rows + beside_row
                for beside_column, beside_row in (
                    (column - 1, row),
                    (column, row - 1),
                    (column, row + 1),
                    (column + 1, row),
                )
                if 0 <= beside_column < columns and 0 <= beside_row < rows
            )
            for column, row in places
        ),
    )


def split_squares(text: str) -> tuple[str, ...]:
    """The squares that a text names one after the other, as on a board of any size, in capitals.

    Between two squares may stand one of `x = : - / + ,` with blanks around it, or nothing. Empty when the text is
    anything else.

    >>> split_squares("c3 x b3,d3"), split_squares("c3b3d3"), split_squares("c3?")
    (('C3', 'B3', 'D3'), ('C3', 'B3', 'D3'), ())
    """
    return tuple(_EACH_SQUARE.findall(text.upper())) if _SQUARES.fullmatch(text) else ()


def is_square_like(word: str) -> bool:
    """Whether a word begins like a square, whatever comes after it, so that it is more likely a move than a name.

    >>> [is_square_like(word) for word in ("d4", "C3xB3,D3", "c3#7", "d4!", "k9dog", "a1ice", "hello", "4d")]
    [True, True, True, True, False, False, False, False]
    """
    return _SQUARE_LIKE.match(word) is not None
