"""Merels on other drawings: twelve, six and three men, as drawn positions and beside a slow engine."""

from random import Random
from typing import Any, cast

import pytest

from pbmserv.games import morris as merels
from pbmserv.games.game import Event, Game, Illegal, Outcome, Unfinished
from pbmserv.games.info import BadOption
from pbmserv.games.morris import Morris, Position, six, three, twelve
from tests.every import for_each
from tests.games.by_hand import assert_end_before_limit, cells_of, leaves, played, written
from tests.games.slow_morris import SlowMorris

GAMES = (twelve, six, three)


def position_of(
    game: Morris, figure: str, turn: int = 0, hands: tuple[int, int] = (0, 0), **more: Any
) -> Position:
    board = game.start(2, {}).board
    return Position(board, "".join(cells_of(board, figure)), hands, turn, **more)


DIAGONAL = """
o + +
o + +
+ + +
x + + + x o
x + +
+ + +
+ + o
"""
FULL = """
o x x
x o x
x o x
o x o x o +
x o x
o x o
o x o
"""
FEW = """
o + +
+ x +
+ x + +
o x +
+ o +
"""
ROW = """
x x +
+ x o
o o +
"""
SHUT = """
o x o
+ + +
x + + x
+ + +
o x +
"""


@for_each(("game", "points", "lines"), [(twelve, 24, 40), (six, 16, 20), (three, 9, 16)])
def test_the_start(game: Morris, points: int, lines: int) -> None:
    board = game.start(2, {}).board
    assert len(board.names) == points
    assert sum(map(len, board.neighbours)) == 2 * lines
    assert written(cast(Game, game), game.start(2, {})) == set(board.names)
    assert game.to_move(game.start(2, {})) == 0
    with pytest.raises(BadOption):
        game.start(2, {"men": "4"})


@for_each(("game", "rows"), [(merels.morris, 16), (twelve, 20), (six, 8), (three, 8)])
def test_rows_of_three(game: Morris, rows: int) -> None:
    found = {
        tuple(sorted((cell, *others)))
        for cell, each in enumerate(merels._mills(game.start(2, {}).board))
        for others in each
    }
    assert len(found) == rows


def test_a_diagonal_closes_a_mill_of_twelve_men() -> None:
    position = position_of(twelve, DIAGONAL, hands=(1, 1))
    assert {text for text in written(cast(Game, twelve), position) if text.startswith("C5")} == {
        *("C5xA4", "C5xF4", "C5xC3"),
    }
    after, events = twelve.play(position, twelve.read(position, "c5xf4"))
    names = position.board.numbers
    assert events == (Event("placed", 0, (names["C5"],)), Event("captured", 1, (names["F4"],)))
    assert twelve.outcome(after) is None


def test_a_full_board_is_a_draw() -> None:
    position = position_of(twelve, FULL, hands=(1, 0))
    (text,) = written(cast(Game, twelve), position)
    after = played(cast(Game, twelve), position, text)
    assert twelve.outcome(after) == Outcome((1, 1), "blocked")
    assert twelve.to_move(after) is None


def test_nobody_flies_with_six_men() -> None:
    position = position_of(six, FEW)
    assert written(cast(Game, six), position) == {"A5-C5", "A5-A3", "C1-A1", "C1-E1"}
    with pytest.raises(Illegal) as caught:
        six.read(position, "a5-e5")
    assert caught.value.rule == merels.MOVING


def test_a_row_of_three_men_wins() -> None:
    position = position_of(three, ROW)
    assert written(cast(Game, three), position) == {"A1-A2", "B1-C1", "C2-C1", "C2-C3"}
    after, events = three.play(position, three.read(position, "c2-c1"))
    names = position.board.numbers
    assert events == (Event("moved", 0, (names["C2"], names["C1"])),)
    assert three.outcome(after) == Outcome((1, 2), "goal")
    assert three.to_move(after) is None
    with pytest.raises(Illegal) as caught:
        three.read(after, "a3-a2")
    assert caught.value.rule == three.ending == 4
    placed = position_of(three, "x + +\n+ x o\no o +", hands=(1, 1))
    assert three.outcome(played(cast(Game, three), placed, "c1")) == Outcome((1, 2), "goal")


def test_a_diagonal_wins_as_well() -> None:
    position = position_of(three, "x + o\n+ o x\n+ + +", hands=(1, 1))
    assert three.outcome(played(cast(Game, three), position, "a1")) == Outcome((1, 2), "goal")


def test_whoever_cannot_move_has_lost() -> None:
    assert six.outcome(position_of(six, SHUT)) == Outcome((2, 1), "blocked")
    assert six.outcome(position_of(six, SHUT, 1)) is None
    assert_end_before_limit(cast(Game, six), position_of(six, SHUT))
    assert twelve.outcome(position_of(twelve, FULL.replace("+", "o", 1))) == Outcome((1, 1), "blocked")


@for_each(
    ("game", "position", "text", "rule"),
    [
        (three, three.start(2, {}), "d4", merels.THE_BOARD),
        (three, position_of(three, ROW, hands=(1, 1)), "a1", merels.PLACING),
        (three, position_of(three, ROW), "a1-c1", merels.MOVING),
        (three, position_of(three, ROW), "c2-c1xa3", merels.MOVING),
        (three, position_of(three, ROW), "a3-a2", merels.MOVING),
        (twelve, position_of(twelve, DIAGONAL, hands=(1, 1)), "c5xg1", merels.CAPTURING),
    ],
)
def test_illegal_moves(game: Morris, position: Position, text: str, rule: int) -> None:
    with pytest.raises(Illegal) as caught:
        game.read(position, text)
    assert caught.value.rule == rule


def test_reading() -> None:
    for game in GAMES:
        start = game.start(2, {})
        assert game.write(start, game.read(start, game.info.example)) == game.info.example.upper()
    with pytest.raises(Unfinished):
        three.read(position_of(three, ROW), "c2")


def test_twenty_moves_each_are_a_draw() -> None:
    position = position_of(three, ROW, seen=tuple(str(number) for number in range(39)))
    assert three.outcome(position) is None
    assert three.outcome(played(cast(Game, three), position, "c2-c3")) == Outcome((1, 1), "exhausted")


@pytest.mark.parametrize("plies", [300, pytest.param(20_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.info.name)
def test_a_slow_engine_agrees(game: Morris, plies: int) -> None:
    random, count = Random(f"{game.info.name} {plies}"), 0
    while count < plies:
        position, slow = game.start(2, {}), SlowMorris(game.info.name)
        while True:
            ended = game.outcome(position)
            if ended and ended.reason in ("repeated", "exhausted"):
                break
            theirs = slow.legal()
            assert written(cast(Game, game), position) == theirs
            if ended:
                assert ended.ranks == slow.ranks()
                break
            text = random.choice(sorted(theirs))
            position = played(cast(Game, game), position, text)
            slow.play(text)
            count += 1


@for_each(
    ("game", "counts"), [(twelve, [24, 552, 12144]), (six, [16, 240, 3360]), (three, [9, 72, 504, 3024, 15120])]
)
def test_the_tree(game: Morris, counts: list[int]) -> None:
    plies = range(1, len(counts) + 1)
    assert [leaves(cast(Game, game), game.start(2, {}), ply) for ply in plies] == counts
