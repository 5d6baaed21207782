"""Go: captures, suicide, repetition, counting, the end; a second engine beside ours."""

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbmserv.games import boards, go
from pbmserv.games.game import Event, Illegal, Outcome, Unreadable
from pbmserv.games.go import Position
from pbmserv.games.info import BadOption
from tests.every import for_each
from tests.games.second_engine import SecondEngine, play_random_games

RULES = (Path(__file__).parents[2] / "templates" / "en" / "rules" / "go.txt").read_text("ascii")


def drawn(*rows: str, turn: int = 0) -> Position:
    """A position from its lowest rows, from top to bottom, at the left edge of a board of 9 lines."""
    cells = [row.split() for row in rows]
    stones = bytearray([2] * 81)
    for row, line in enumerate(reversed(cells)):
        for column, mark in enumerate(line):
            stones[column * 9 + row] = "xo+".index(mark)
    return Position(boards.points(9), bytes(stones), frozenset([bytes(stones)]), turn)


def drawing(position: Position, columns: int, rows: int) -> list[str]:
    return [
        " ".join("xo+"[position.stones[column * 9 + row]] for column in range(columns))
        for row in range(rows - 1, -1, -1)
    ]


def play(position: Position, *texts: str) -> Position:
    for text in texts:
        position, _ = go.play(position, go.read(position, text))
    return position


def refused(position: Position, text: str) -> int:
    with pytest.raises(Illegal) as illegal:
        go.read(position, text)
    assert go.read(position, "pass") == ("pass",)
    cell = position.board.numbers.get(text.upper())
    assert cell is None or list(go.moves(position, (cell,))) == []
    return illegal.value.rule


def test_capture_of_a_chain_as_in_the_rules() -> None:
    figure = re.search(r"((?:    [xo+]( [xo+]){4}     [xo+]( [xo+]){4}\n){3})", RULES)
    assert figure is not None
    before, after = ([line[at : at + 9] for line in figure[0].splitlines()] for at in (4, 18))
    position = drawn(*before)
    move = (position.board.numbers["D2"],)
    assert go.read(position, "d2") == move
    now, events = go.play(position, move)
    assert drawing(now, 5, 3) == after
    names = position.board.numbers
    assert events == (Event("placed", 0, move), Event("captured", 1, (names["B2"], names["C2"])))
    assert go.scene(now).captured == (names["B2"], names["C2"])
    assert go.scene(now).marked == move


def test_two_chains_at_once_and_only_those_without_liberties() -> None:
    position = play(drawn("x x + +", "o + o +", "x o x +"), "b2")
    assert drawing(position, 4, 3) == ["x x + +", "+ x o +", "x + x +"]
    position = play(drawn("x + x +", "o + o x", "x o x +"), "b2")
    assert drawing(position, 4, 3) == ["x + x +", "+ x + x", "x + x +"]


def test_eyes_of_the_rules() -> None:
    position = drawn("o o o o +", "x x x x o", "+ x + x o", turn=1)
    assert refused(position, "a1") == refused(position, "c1") == go.SUICIDE
    assert go.read(drawn("o o o o +", "x x x x o", "+ x + x o"), "a1") == (0,)


def test_suicide_that_captures_is_none() -> None:
    position = play(drawn("x o +", "o x o", "+ x o", turn=1), "a1")
    assert drawing(position, 3, 3) == ["x o +", "o + o", "o + o"]
    assert refused(drawn("+ + +", "x + +", "+ x +", turn=1), "a1") == go.SUICIDE


def test_suicide_of_a_chain() -> None:
    position = drawn("x x +", "o o x", "+ o x", turn=1)
    assert refused(position, "a1") == go.SUICIDE
    assert drawing(play(drawn("x x +", "o o x", "+ o x"), "a1"), 3, 3) == ["x x +", "+ + x", "x + x"]


def test_ko_of_the_rules() -> None:
    figure = re.findall(r"(?m)^      [123]  (.{9})      [123]  (.{9})$", RULES)
    before, after = [list(rows) for rows in zip(*figure, strict=True)]
    position = play(drawn(*before), "b2")
    assert drawing(position, 5, 3) == after
    assert refused(position, "c2") == go.REPEATING
    assert drawing(play(position, "j9", "j1", "c2"), 5, 3) == before
    assert refused(play(position, "j9", "j1", "c2"), "c2") == go.PLACING


def test_a_board_may_not_come_again_after_a_longer_cycle() -> None:
    """White sends two stones and gets one: no simple ko."""
    position = drawn("+ + o +", "x x o +", "+ o + o", turn=1)
    position = play(position, "a1", "c1")
    assert drawing(position, 4, 2) == ["x x o +", "+ + x o"]
    assert refused(position, "b1") == go.REPEATING
    assert drawing(play(position, "j9", "j1", "b1"), 4, 2) == ["x x o +", "+ o + o"]


def test_no_board_comes_again_in_random_games() -> None:
    random, found = Random("kos"), 0
    for _ in range(20):
        position = go.start(2, {"size": "9"})
        while (seat := go.to_move(position)) is not None:
            legal = list(go.moves(position))
            refusals = [go._refusal(position, seat, cell) for cell in range(81)]
            assert legal == [*((cell,) for cell in range(81) if refusals[cell] is None), ("pass",)]
            found += refusals.count(go.REPEATING)
            earlier = position.seen
            position, _ = go.play(position, random.choice(legal))
            assert (position.stones in earlier) == (position.passes > 0)
    assert found


def test_pass_and_end() -> None:
    position = play(go.start(2, {"size": "9"}), "e5", "pass", "pass")
    assert go.to_move(position) is None
    assert go.outcome(position) == Outcome((1, 2), "score", (81, 7))
    with pytest.raises(Illegal) as over:
        go.read(position, "e4")
    assert over.value.rule == go.ENDING
    position = play(go.start(2, {"size": "9"}), "pass", "e5", "pass", "e4")
    assert (position.passes, go.outcome(position)) == (0, None)


def test_counting() -> None:
    position = drawn("x x x o +", "+ + x o +", "+ x x o o")
    assert go.scores(position)[0] == 9
    assert go.scores(position)[1] == 7 + 6 - 2  # beyond lie points that both reach
    assert go.scores(go.start(2, {"size": "9"})) == (0, 7)


def test_white_wins_ties() -> None:
    """44 to 37 and 7: five columns less a point are Black's."""
    rows = ["x x x x x o o o o"] * 8
    for lowest, ranks, points in (("x x x x o o o o o", (2, 1), (44, 44)), (rows[0], (1, 2), (45, 43))):
        position = play(drawn(*rows[:-1], "+ x x x x o o o o", lowest), "pass", "pass")
        assert go.outcome(position) == Outcome(ranks, "score", points)


def test_a_game_has_at_most_three_turns_a_point() -> None:
    position = Position(boards.points(9), bytes([2] * 81), frozenset(), plies=241, turn=1)
    position = play(position, "e5")
    assert go.to_move(position) == 0
    assert go.to_move(play(position, "e4")) is None
    assert go.to_move(play(position, "pass")) is None


@for_each(("text", "rule"), [("e5", 3), ("e4 e3", 3), ("pass e4", 3), ("k1", 1), ("i5", 1), ("a10", 1)])
def test_illegal(text: str, rule: int) -> None:
    assert refused(play(go.start(2, {"size": "9"}), "e5"), text) == rule


@for_each("text", ["", "e", "swap", "pass!", "tenuki"])
def test_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        go.read(go.start(2, {}), text)


def test_options_and_reading() -> None:
    assert [len(go.start(2, {"size": size}).stones) for size in ("9", "13", "19")] == [81, 169, 361]
    assert go.write(go.start(2, {}), go.read(go.start(2, {}), "t19")) == "T19"
    with pytest.raises(BadOption):
        go.start(2, {"size": "10"})


def names(position: Position, move: Any) -> tuple[str, ...]:
    text = go.write(position, move)
    return (f"{'BW'[position.turn or 0]} {'PASS' if move == ('pass',) else text.lower()}",)


def is_draw_by_repetition(_position: Any, state: Any, action: int) -> bool:
    """They allow a board to come again, and call that a draw."""
    child = state.child(action)
    return bool(child.is_terminal() and child.returns() == [0, 0])


def engine(size: int) -> SecondEngine:
    theirs = f"go(board_size={size},komi=7.5,max_game_length={3 * size**2})"
    return SecondEngine(go, theirs, names, {"size": str(size)}, is_extra=is_draw_by_repetition)


def test_second_engine() -> None:
    assert play_random_games(engine(9), 300) >= 2


@pytest.mark.slow
@for_each(("size", "plies"), [(9, 20_000), (13, 6_000), (19, 3_000)])
def test_second_engine_at_length(size: int, plies: int) -> None:
    assert play_random_games(engine(size), plies, "at length") >= 2
