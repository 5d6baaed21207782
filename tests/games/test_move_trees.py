"""Counted move trees: how many sequences of so many moves there are from the empty board of two players."""

import pytest

from pbmserv.games import cephalopod
from tests.games.brute_force import Table


def count(position: cephalopod.Position, depth: int) -> int:
    """The number of sequences of `depth` moves from a position."""
    if depth == 1:
        return sum(1 for _ in cephalopod.moves(position))
    return sum(count(cephalopod.play(position, move)[0], depth - 1) for move in cephalopod.moves(position))


def count_slowly(columns: int, rows: int, played: tuple[str, ...], depth: int) -> int:
    """The same by brute force, every sequence being played again from the start."""
    table = Table(columns, rows, 2)
    for text in played:
        table.play(text)
    legal = table.legal()
    if depth == 1:
        return len(legal)
    return sum(count_slowly(columns, rows, (*played, text), depth - 1) for text in legal)


@pytest.mark.parametrize(
    ("size", "counts"),
    [
        ("5x5", [25, 600, 13800]),
        pytest.param("5x5", [25, 600, 13800, 304840], marks=pytest.mark.slow),
        ("3x5", [15, 210, 2730, 33304]),
        ("5x3", [15, 210, 2730, 33304]),
        ("3x3", [9, 72, 504, 3256]),
    ],
)
def test_counted_move_trees(size: str, counts: list[int]) -> None:
    start = cephalopod.start(2, {"size": size})
    assert [count(start, depth) for depth, _ in enumerate(counts, 1)] == counts


def test_brute_force_counts_the_same() -> None:
    assert [count_slowly(3, 3, (), depth) for depth in (1, 2, 3, 4)] == [9, 72, 504, 3256]


def test_one_ply_deeper_than_the_published_counts() -> None:
    assert count(cephalopod.start(2, {"size": "3x3"}), 5) == count_slowly(3, 3, (), 5)
