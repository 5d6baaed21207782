"""The boards that the builders make, and cells in a text."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.games import board as board_module
from pbmserv.games import boards as boards_module
from pbmserv.games import hexagons as hexagons_module
from pbmserv.games.board import Board, is_cell_like, split_cells
from pbmserv.games.boards import (
    DIAGONAL,
    NE,
    ORTHOGONAL,
    E,
    N,
    S,
    W,
    blocks,
    drawn,
    pegs,
    pits,
    points,
    river,
    squares,
)
from pbmserv.games.hexagons import (
    EAST,
    NORTHEAST,
    SOUTHEAST,
    SOUTHWEST,
    WEST,
    hexagon,
    rhombus,
    star,
    tips_of_star,
    triangle,
)
from pbmserv.services.laws.boards import check_board
from tests.every import for_each

SIZES = st.tuples(st.integers(1, 26), st.integers(1, 99))

# Squares.


def test_names_stand_by_column_then_row() -> None:
    assert squares(3, 2).names == ("A1", "A2", "B1", "B2", "C1", "C2")
    assert squares(26, 99).names[-1] == "Z99"


@given(SIZES)
def test_every_cell_is_found_by_its_name(size: tuple[int, int]) -> None:
    columns, rows = size
    board = squares(columns, rows)
    every = list(range(columns * rows))
    assert [board.find(name) for name in board.names] == every
    assert len(set(board.names)) == len(every)


@for_each("name", ["F1", "A6", "E10", "Z99", "F6", "c3", ""])
def test_a_cell_off_the_board_is_not_found(name: str) -> None:
    assert squares(5, 5).find(name) is None


def beside(board: Board, name: str) -> list[str]:
    """The names of the neighbours of a cell."""
    return [board.names[cell] for cell in board.neighbours[board.numbers[name]]]


def ray(board: Board, name: str, way: int) -> list[str]:
    """The names of the cells on from a cell."""
    return [board.names[cell] for cell in board.rays[board.numbers[name]][way]]


@for_each(
    ("name", "names"),
    [
        ("C3", ["B3", "C2", "C4", "D3"]),
        ("A1", ["A2", "B1"]),
        ("E5", ["D5", "E4"]),
        ("A3", ["A2", "A4", "B3"]),
        ("C5", ["B5", "C4", "D5"]),
    ],
)
def test_neighbours_stand_beside_horizontally_and_vertically(name: str, names: list[str]) -> None:
    assert beside(squares(5, 5), name) == beside(points(5), name) == names


@for_each(
    ("way", "names"),
    list(enumerate(["B3 B4 B5", "C3 D4 E5", "C2 D2 E2", "C1", "B1", "A1", "A2", "A3"])),
)
def test_rays_of_squares(way: int, names: str) -> None:
    assert ray(squares(5, 5), "B2", way) == names.split()


@given(SIZES)
def test_there_are_as_many_neighbours_as_edges(size: tuple[int, int]) -> None:
    columns, rows = size
    board = squares(columns, rows)
    assert sum(map(len, board.neighbours)) == 2 * (columns * (rows - 1) + rows * (columns - 1))


@for_each("size", [(0, 5), (5, 0), (27, 5), (5, 100), (-1, -1)])
def test_other_sizes_do_not_exist(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="no board"):
        squares(*size)


def test_a_letter_that_is_left_out_makes_the_board_smaller() -> None:
    assert points(25).names[-1] == "Z25"
    with pytest.raises(ValueError, match="no board"):
        points(26)


# Every board.

MILL = """
3  +---+---+
   |   |   |
2  +---+---+
   |   |   |
1  +---+---+
   A   B   C
"""
SLANTED = r"""
3  +--+--+
   |\ | /|
   | \|/ |
2  +--+--+
   | /|\ |
   |/ | \|
1  +--+--+
   A  B  C
"""

EVERY = [
    *(squares(columns, rows) for columns, rows in ((1, 1), (1, 9), (8, 8), (10, 10), (26, 2), (3, 99))),
    *(squares(5, 5, width, "...", is_spread) for width in (3, 5) for is_spread in (False, True)),
    squares(8, 8, empty="-"),
    *map(points, (2, 5, 9, 13, 15, 19)),
    points(9, ""),
    points(9, empty="."),
    *map(rhombus, (2, 3, 11, 19)),
    rhombus(3, "+"),
    *map(triangle, (2, 3, 11, 19)),
    *map(hexagon, (2, 3, 8, 10, 13)),
    *map(star, (2, 3, 5)),
    blocks(9, 9),
    blocks(6, 4, 2),
    blocks(10, 10, 3),
    river(),
    *map(pegs, (4, 6, 12, 24)),
    points(24),
    *map(pits, (1, 2, 6, 7)),
    pits(6, ("Below", "Above")),
    drawn("nine", MILL),
    drawn("slanted", SLANTED),
]


@for_each("board", EVERY, ids=lambda board: board.key)
def test_laws_of_boards(board: Board) -> None:
    check_board(board)


@given(st.integers(1, 15), st.integers(1, 30), st.integers(1, 3), st.booleans())
def test_laws_of_squares(columns: int, rows: int, width: int, is_spread: bool) -> None:
    check_board(squares(columns, rows, width, "." * width, is_spread))


def test_boards_that_differ_in_anything_have_another_key() -> None:
    assert len({board.key for board in EVERY}) == len(set(EVERY)) == len(EVERY)
    assert squares(5, 3) is squares(5, 3)
    assert repr(points(9)).startswith("Board(key='point 9x9")


# Sheets.


def shown(board: Board, *marks: tuple[str, str]) -> list[str]:
    """The sheet with pieces on it."""
    lines = [list(line) for line in board.sheet.lines]
    for name, text in marks:
        line, at = board.sheet.slots[board.numbers[name]]
        lines[line][at : at + len(text)] = text
    return ["".join(line) for line in lines]


def test_a_sheet_of_squares() -> None:
    assert shown(squares(3, 2), ("A2", "x"), ("C1", "o")) == [
        "       A B C",
        "    2  x . .  2",
        "    1  . . o  1",
        "       A B C",
    ]


def test_a_sheet_of_wide_squares_far_apart() -> None:
    assert shown(squares(2, 1, 3, ".", is_spread=True), ("B1", "(1)")) == [
        "        A   B",
        "",
        "    1   .  (1)  1",
        "",
        "        A   B",
    ]


def test_labels_of_ten_rows_and_more_are_flush_right() -> None:
    assert shown(squares(1, 10))[:3] == ["        A", "    10  .  10", "     9  .  9"]


def test_a_sheet_of_points() -> None:
    assert shown(points(9), ("J1", "x"))[-2:] == ["    1  + + + + + + + + x  1", "       A B C D E F G H J"]


def test_a_sheet_of_hexagons() -> None:
    assert shown(rhombus(3), ("A1", "x"), ("C1", "o"), ("A3", "v")) == [
        "     A B C",
        "      x . o  1",
        "       . . .  2",
        "        v . .  3",
    ]


def test_a_sheet_of_a_triangle() -> None:
    assert shown(triangle(3), ("A1", "x"), ("C1", "o"), ("A3", "v")) == [
        "     A B C",
        "      x . o  1",
        "       . .  2",
        "        v  3",
    ]


def test_a_sheet_of_a_hexagon() -> None:
    assert shown(hexagon(3), ("A1", "x"), ("E5", "o"), ("A3", "v")) == [
        "          A B C",
        "      1  x . . D",
        "     2  . . . . E",
        "    3  v . . . .",
        "     4  . . . .",
        "      5  . . o",
    ]


def test_a_sheet_of_a_star() -> None:
    assert shown(star(3), ("C1", "x"), ("C7", "o")) == [
        "              C",
        "    1        x D",
        "    2   A B . . E F G",
        "    3  . . . . . . .",
        "    4   . . . . . .",
        "    5    . . . . . H",
        "    6   . . . . . . I",
        "    7  o . . . . . .",
        "    8       . .",
        "    9        .",
    ]


def test_a_sheet_of_pits() -> None:
    assert shown(pits(2), ("A1", " 4"), ("B1", "12"), ("D1", " 1")) == [
        "             D    C",
        "           +----+----+",
        "    North  |  1 |    |",
        "           +----+----+",
        "    South  |  4 | 12 |",
        "           +----+----+",
        "             A    B",
    ]


def test_a_sheet_of_points_and_lines() -> None:
    assert shown(drawn("nine", MILL), ("A3", "x"), ("C1", "o")) == [
        "    3  x---+---+",
        "       |   |   |",
        "    2  +---+---+",
        "       |   |   |",
        "    1  +---+---o",
        "       A   B   C",
    ]


# Other neighbours.


def test_neighbours_of_hexagons() -> None:
    assert beside(rhombus(3), "A1") == ["A2", "B1"]
    assert beside(rhombus(3), "C1") == ["B1", "B2", "C2"]
    assert beside(rhombus(3), "B2") == ["A2", "A3", "B1", "B3", "C1", "C2"]
    assert [ray(rhombus(3), "A3", way) for way in range(6)] == [
        ["A2", "A1"],
        ["B2", "C1"],
        ["B3", "C3"],
        [],
        [],
        [],
    ]


def test_neighbours_on_a_hexagon() -> None:
    assert beside(hexagon(3), "C3") == ["B2", "B3", "C2", "C4", "D3", "D4"]
    assert beside(hexagon(3), "A1") == ["A2", "B1", "B2"]
    assert [ray(hexagon(3), "A3", way) for way in (NORTHEAST, EAST, SOUTHEAST)] == [
        ["A2", "A1"],
        ["B3", "C3", "D3", "E3"],
        ["B4", "C5"],
    ]
    assert [len(hexagon(size).names) for size in (4, 8, 10)] == [37, 169, 271]


def test_neighbours_on_a_triangle() -> None:
    assert beside(triangle(3), "B2") == ["A2", "A3", "B1", "C1"]
    assert ray(triangle(4), "A4", NORTHEAST) == ["B3", "C2", "D1"]


def test_lines_on_a_star_cross_it_from_tip_to_tip() -> None:
    board = star()
    assert ray(board, "E1", SOUTHWEST)[-1] == "E13"
    assert ray(board, "E1", SOUTHEAST)[-1] == "Q13"
    assert ray(board, "M5", WEST)[-1] == "A5"
    tips = tips_of_star()
    assert len(board.names) == 121
    assert [board.names[tip[0]] for tip in tips] == ["E1", "J5", "N10", "J14", "E10", "A5"]
    assert {len(tip) for tip in tips} == {10}
    assert sorted(cell for tip in tips for cell in tip) == list(board.layout.shaded)


def test_pits_go_round() -> None:
    assert [beside(pits(2), name) for name in pits(2).names] == [["B1"], ["C1"], ["D1"], ["A1"]]
    assert ray(pits(2), "C1", 0) == ["D1", "A1", "B1"]


def test_lines_that_are_drawn_join_neighbours() -> None:
    assert beside(drawn("nine", MILL), "B2") == ["A2", "B1", "B3", "C2"]
    assert len(beside(drawn("slanted", SLANTED), "B2")) == 8
    assert beside(drawn("slanted", SLANTED), "A1") == ["A2", "B1", "B2"]
    assert beside(drawn("slanted", SLANTED), "B1") == ["A1", "B2", "C1"]
    assert ray(drawn("slanted", SLANTED), "A1", NE) == ["B2", "C3"]
    assert [ray(drawn("nine", MILL), "A1", way) for way in ORTHOGONAL] == [["A2", "A3"], ["B1", "C1"], [], []]
    assert not any(ray(drawn("nine", MILL), "B2", way) for way in DIAGONAL)


def test_a_gap_in_a_line_joins_nothing() -> None:
    gap = drawn("gap", "2  +- +\n   |  |\n1  +--+\n   A  B")
    assert beside(gap, "A2") == ["A1"]
    assert [ray(gap, "A2", way) for way in (N, E, S, W)] == [[], [], ["A1"], []]


@for_each("art", ["2  +-+\n     +\n1  +-+\n   A B", "1  +-+\n   A", "1 +-+\n  A C\n"])
def test_a_cell_without_a_name_is_refused(art: str) -> None:
    if "C" in art:
        assert drawn(art, art).names == ("A1", "C1")
    else:
        with pytest.raises(ValueError, match="without a name"):
            drawn(art, art)


# Pictures.


def test_the_lines_of_points_are_drawn_whole() -> None:
    board = points(3)
    lines = [(board.names[a], board.names[b]) for a, b in board.layout.lines]
    assert sorted(lines) == [("A1", "A3"), ("A1", "C1"), ("A2", "C2"), ("A3", "C3"), ("B1", "B3"), ("C1", "C3")]
    assert squares(3, 3).layout.lines == ()


def test_lines_that_are_drawn_are_those_of_the_picture() -> None:
    board = drawn("nine", MILL)
    assert len(board.layout.lines) == 12
    assert all(b in board.neighbours[a] for a, b in board.layout.lines)


@for_each(
    ("size", "stars"),
    [
        (9, "C3 C7 E5 G3 G7"),
        (13, "D4 D10 G7 K4 K10"),
        (19, "D4 D10 D16 K4 K10 K16 Q4 Q10 Q16"),
        (8, ""),
        (5, ""),
    ],
)
def test_stars(size: int, stars: str) -> None:
    assert [points(size).names[cell] for cell in points(size).layout.stars] == stars.split()


def test_the_first_row_of_squares_is_the_lowest_and_of_hexagons_the_highest() -> None:
    assert [squares(2, 2).layout.places[squares(2, 2).numbers[name]] for name in ("A1", "B2")] == [(1, 3), (3, 1)]
    assert [rhombus(2).layout.places[rhombus(2).numbers[name]] for name in ("A1", "B1", "A2")] == [
        (1, 1),
        (3, 1),
        (2, 3),
    ]
    assert [row.label for row in squares(2, 2).layout.rows] == ["2", "1"]
    assert [row.label for row in pits(6).layout.rows] == ["North", "South"]


# Cells in a text.


@for_each(
    ("text", "found"),
    [
        ("c3", ["C3"]),
        ("C3", ["C3"]),
        ("z99", ["Z99"]),
        ("c3xb3,d3", ["C3", "B3", "D3"]),
        ("C3XB3", ["C3", "B3"]),
        ("c3=d3+b3", ["C3", "D3", "B3"]),
        ("C3:B3-D3", ["C3", "B3", "D3"]),
        ("c3/b3", ["C3", "B3"]),
        ("c3b3d3", ["C3", "B3", "D3"]),
        ("c3 x b3, d3", ["C3", "B3", "D3"]),
        ("c3  x  b3", ["C3", "B3"]),
        ("a10b2", ["A10", "B2"]),
        ("x3xx4", ["X3", "X4"]),
        ("c3x4", ["C3", "X4"]),
    ],
)
def test_cells_with_separators_or_nothing_between_them(text: str, found: list[str]) -> None:
    assert list(split_cells(text)) == found


@for_each(
    "text",
    [
        *("", " ", "c", "3", "3c", "c0", "c03", "c100", "cc3", "c3x", "xc3", ",c3", "c3,,b3", "c3--b3"),
        *("c3 b3", "c 3"),
        *("c3#7", "c3.", "c3!", "c3xb3,", "c3;b3", "c3\n", "c3\nb3", "c3\tx b3", " c3", "c3 "),
        *("\uff433", "c\u0663", "\u01313", "\u017f3", "\u212a3", "c3\u00d7b3", "c\u00b3", "\ud835\udfd9"),
    ],
)
def test_anything_else_names_no_cells(text: str) -> None:
    assert split_cells(text) == ()


@for_each(
    "word", ["d4", "D4", "z99", "c3xb3,d3", "C3XB3", "c3b3", "c3x", "c3#7", "c3=b3", "d4.", "d4!", "a1-b2", "c3,"]
)
def test_a_word_that_begins_like_a_cell(word: str) -> None:
    assert is_cell_like(word)


@for_each(
    "word",
    [
        *("", "d", "4", "4d", "d0", "d04", "d444", "dd4", "d4n", "b2b", "k9dog", "a1ice", "a1_", "hello", "101"),
        *("-d4", "\u01314", "\uff444", "\u212a4"),
    ],
)
def test_a_word_that_does_not(word: str) -> None:
    assert not is_cell_like(word)


@given(st.text(alphabet="abcdxyz0123456789=:-/+, #.", max_size=12))
def test_whatever_names_cells_begins_like_one(text: str) -> None:
    found = split_cells(text)
    assert not found or is_cell_like(text)
    assert split_cells(text.swapcase()) == found
    assert split_cells("".join(found)) == found


def test_long_texts_take_no_long_time() -> None:
    assert len(split_cells("c3 x " * 20000 + "c3")) == 20001
    assert split_cells("c3 " * 20000 + "!") == ()


@for_each("module", [board_module, boards_module, hexagons_module])
def test_examples_in_the_docstrings(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]
