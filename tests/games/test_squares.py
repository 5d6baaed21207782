"""The rectangular board: names, places, neighbours, and squares in a text."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.games import board as board_module
from pbmserv.games.board import board, is_cell_like, split_cells

SIZES = st.tuples(st.integers(1, 26), st.integers(1, 99))


def test_names_stand_by_column_then_row() -> None:
    assert board(3, 2).names == ("A1", "A2", "B1", "B2", "C1", "C2")
    assert board(3, 2).letters == ("A", "B", "C")
    assert board(26, 99).names[-1] == "Z99"


@given(SIZES)
def test_every_square_is_found_by_its_name_and_place(size: tuple[int, int]) -> None:
    columns, rows = size
    here = board(columns, rows)
    every = list(range(columns * rows))
    assert [here.find(name) for name in here.names] == every
    assert [here.at(column, row) for column in range(columns) for row in range(rows)] == every
    assert len(set(here.names)) == len(every)


@pytest.mark.parametrize("name", ["F1", "A6", "E10", "Z99", "F6"])
def test_a_square_off_the_board_is_not_found(name: str) -> None:
    assert board(5, 5).find(name) is None


@pytest.mark.parametrize(
    ("name", "beside"),
    [
        ("C3", ["B3", "C2", "C4", "D3"]),
        ("A1", ["A2", "B1"]),
        ("E5", ["D5", "E4"]),
        ("A3", ["A2", "A4", "B3"]),
        ("C5", ["B5", "C4", "D5"]),
    ],
)
def test_neighbours_stand_beside_horizontally_and_vertically(name: str, beside: list[str]) -> None:
    here = board(5, 5)
    assert [here.names[square] for square in here.neighbours[here.names.index(name)]] == beside


@given(SIZES)
def test_neighbours_are_mutual_and_ordered(size: tuple[int, int]) -> None:
    columns, rows = size
    here = board(columns, rows)
    for square, beside in enumerate(here.neighbours):
        assert list(beside) == sorted(set(beside))
        assert all(square in here.neighbours[other] for other in beside)
    assert sum(map(len, here.neighbours)) == 2 * (columns * (rows - 1) + rows * (columns - 1))


def test_a_board_is_made_once_and_equal_by_its_size() -> None:
    assert board(5, 3) is board(5, 3)
    assert board(5, 3) != board(3, 5)
    assert repr(board(3, 5)) == "Board(columns=3, rows=5)"


@pytest.mark.parametrize("size", [(0, 5), (5, 0), (27, 5), (5, 100), (-1, -1)])
def test_other_sizes_do_not_exist(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="no board"):
        board(*size)


@pytest.mark.parametrize(
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
def test_squares_with_separators_or_nothing_between_them(text: str, found: list[str]) -> None:
    assert list(split_cells(text)) == found


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "c", "3", "3c", "c0", "c03", "c100", "cc3", "c3x", "xc3", ",c3", "c3,,b3", "c3--b3"),
        *("c3 b3", "c 3"),
        *("c3#7", "c3.", "c3!", "c3xb3,", "c3;b3", "c3\n", "c3\nb3", "c3\tx b3", " c3", "c3 "),
        *("\uff433", "c\u0663", "\u01313", "\u017f3", "\u212a3", "c3\u00d7b3", "c\u00b3", "\ud835\udfd9"),
    ],
)
def test_anything_else_names_no_squares(text: str) -> None:
    assert split_cells(text) == ()


@pytest.mark.parametrize(
    "word", ["d4", "D4", "z99", "c3xb3,d3", "C3XB3", "c3b3", "c3x", "c3#7", "c3=b3", "d4.", "d4!", "a1-b2", "c3,"]
)
def test_a_word_that_begins_like_a_square(word: str) -> None:
    assert is_cell_like(word)


@pytest.mark.parametrize(
    "word",
    [
        *("", "d", "4", "4d", "d0", "d04", "d444", "dd4", "d4n", "b2b", "k9dog", "a1ice", "a1_", "hello", "101"),
        *("-d4", "\u01314", "\uff444", "\u212a4"),
    ],
)
def test_a_word_that_does_not(word: str) -> None:
    assert not is_cell_like(word)


@given(st.text(alphabet="abcdxyz0123456789=:-/+, #.", max_size=12))
def test_whatever_names_squares_begins_like_one(text: str) -> None:
    found = split_cells(text)
    assert not found or is_cell_like(text)
    assert split_cells(text.swapcase()) == found
    assert split_cells("".join(found)) == found


def test_long_texts_take_no_long_time() -> None:
    assert len(split_cells("c3 x " * 20000 + "c3")) == 20001
    assert split_cells("c3 " * 20000 + "!") == ()


def test_examples_in_the_docstrings() -> None:
    assert doctest.testmod(board_module).failed == 0
