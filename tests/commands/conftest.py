"""Fixtures of the command language's tests."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pbmserv.games
from pbmserv.games import games, ours, titles
from tests.commands.memory import Table

TOYS = Path(__file__).parent / "toys"


@pytest.fixture
def second_game() -> Iterator[str]:
    """The name of a second game, on offer as long as the test runs."""
    pbmserv.games.__path__.append(str(TOYS))
    _look_again()
    try:
        yield "ninerows"
    finally:
        pbmserv.games.__path__.remove(str(TOYS))
        sys.modules.pop("pbmserv.games.ninerows", None)
        _look_again()


def _look_again() -> None:
    """Has the games found anew."""
    for known in (ours, games, titles):
        known.cache_clear()


@pytest.fixture
def table() -> Table:
    """Three players; board 101 of Anna and Bob, small, with one move by Anna."""
    table = Table("Anna", "bob", "cora")
    table.give("challenge anna bob -size=3x3", "anna")
    table.give("move 101 a1", "anna")
    return table
