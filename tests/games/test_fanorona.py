"""The rules of fanorona as drawn positions, and a slow engine of its own that plays along."""

from itertools import pairwise
from random import Random
from typing import Any

import pytest

from pbmserv.games import fanorona
from pbmserv.games.defaults import Position
from pbmserv.games.fanorona import info, moves, outcome, play, read, scene, start, to_move, write
from pbmserv.games.game import Event, Game, Illegal, Outcome, Unfinished, Unreadable
from pbmserv.games.info import BadOption
from tests.every import for_each
from tests.games.by_hand import assert_end_before_limit, cells_of, figure_of, leaves, played, written
from tests.games.slow_fanorona import slow_leaves, slow_moves, slow_start

GAME: Game = fanorona
BOARD = start(2, {}).board


def position_of(figure: str, turn: int = 0, **more: Any) -> Position:
    return Position(BOARD, "".join(cells_of(BOARD, figure)), turn, **more)


def cell(name: str) -> int:
    return BOARD.numbers[name]


ROW = """
+ + + + + + + + +
+ + + + + + + + +
o + x x o x + + +
+ + + + + + + + +
+ + + + + + + + +
"""
BEHIND = """
+ + + + + + + + +
+ + + + + + + + +
x x o + + + + + +
+ + + + + + + + +
+ + + + + + + + +
"""
BOTH = """
+ + + + + + + + +
+ + + + + + + + +
x x o + x + + + +
+ + + + + + + + +
+ + + + + + + + +
"""
CHAIN = """
+ + x + + + + + +
+ + + + + + + + +
o + x + + + + + +
+ + + + + + + + +
+ + x + + + + + +
"""
QUIET = """
+ + + + + + + + x
+ + + + + + + + +
o + + + + + + + +
+ o + + + + + + +
+ + + + + + + + +
"""


def test_the_start() -> None:
    assert figure_of(scene(start(2, {})), "+").split("\n") == [
        "x x x x x x x x x",
        "x x x x x x x x x",
        "x o x o + x o x o",
        "o o o o o o o o o",
        "o o o o o o o o o",
    ]
    assert to_move(start(2, {})) == 0
    with pytest.raises(BadOption):
        start(2, {"size": "8"})


@for_each(
    ("figure", "turn", "expected"),
    [
        (ROW, 0, "A3-B3"),
        (ROW, 1, "C3-B3 F3-G3"),
        (BEHIND, 0, "C3-D3"),
        (BOTH, 0, "C3-D3-APPROACH C3-D3-RETREAT"),
        (QUIET, 0, "A3-A2 A3-A4 A3-B3 A3-B4 B2-A1 B2-A2 B2-B1 B2-B3 B2-C1 B2-C2 B2-C3"),
        (QUIET, 1, "I5-H4 I5-H5 I5-I4"),
    ],
)
def test_moves_of_a_position(figure: str, turn: int, expected: str) -> None:
    found = written(GAME, position_of(figure, turn))
    assert found == set(expected.split())


def test_weak_points_have_no_slanting_lines() -> None:
    names = {BOARD.names[other] for other in BOARD.neighbours[cell("B1")]}
    assert names == {"A1", "B2", "C1"}
    assert len(BOARD.neighbours[cell("E3")]) == 8


@for_each(
    ("figure", "text", "taken"),
    [
        (ROW, "a3-b3", "C3 D3"),
        (BEHIND, "c3-d3", "B3 A3"),
        (BOTH, "c3-d3 approach", "E3"),
        (BOTH, "c3-d3-retreat", "B3 A3"),
    ],
)
def test_what_is_captured(figure: str, text: str, taken: str) -> None:
    position = position_of(figure)
    after, events = play(position, read(position, text))
    path = (cell(text[:2].upper()), cell(text[3:5].upper()))
    assert events == (Event("moved", 0, path), *(Event("captured", 1, (cell(name),)) for name in taken.split()))
    assert scene(after).captured == tuple(map(cell, taken.split()))
    assert (scene(after).marked, scene(after).vacated) == (path[1:], path[:1])


def test_a_man_goes_on_and_may_stop() -> None:
    position = position_of(CHAIN)
    assert written(GAME, position) == {"A3-B2", "A3-B2-A1", "A3-B3", "A3-B4", "A3-B4-A5"}
    after, events = play(position, read(position, "a3-b4-a5"))
    assert events[0] == Event("moved", 0, (cell("A3"), cell("B4"), cell("A5")))
    assert set(after.taken) == {cell("C5"), cell("C3")}
    assert play(position, read(position, "a3-b4"))[0].taken == (cell("C5"),)


def test_a_chain_turns_and_never_comes_back() -> None:
    random, turns = Random("chains"), 0
    position = start(2, {})
    while to_move(position) is not None:
        legal = list(moves(position))
        for move in legal:
            path = [step for step in move if isinstance(step, int)]
            assert len(set(path)) == len(path)
            steps = [after - before for before, after in pairwise(path)]
            assert all(one != other for one, other in pairwise(steps))
            turns += len(steps) > 1
        position, _ = play(position, random.choice(legal))
    assert turns > 50


@for_each(
    ("figure", "text", "rule"),
    [
        (ROW, "j3", fanorona.THE_BOARD),
        (ROW, "c3-c4", fanorona.OWN_MAN),
        (ROW, "b3-b4", fanorona.OWN_MAN),
        (ROW, "a3-a5", fanorona.STEPS),
        (ROW, "e3-d3", fanorona.STEPS),
        (ROW, "a3-a4", fanorona.MUST_CAPTURE),
        (ROW, "a3-b3-retreat", fanorona.CAPTURING),
        (ROW, "a3-b3-b4", fanorona.GOING_ON),
        (ROW, "approach", fanorona.OWN_MAN),
        (QUIET, "b1-c2", fanorona.OWN_MAN),
        (QUIET, "a3-c3", fanorona.STEPS),
    ],
)
def test_illegal_moves(figure: str, text: str, rule: int) -> None:
    with pytest.raises(Illegal) as caught:
        read(position_of(figure), text)
    assert caught.value.rule == rule


@for_each(
    ("figure", "turn", "text", "ended"),
    [
        (BEHIND, 0, "c3-d3", Outcome((1, 2), "bare")),
        (BOTH, 0, "c3-d3-approach", None),
    ],
)
def test_endings(figure: str, turn: int, text: str, ended: Outcome | None) -> None:
    after = played(GAME, position_of(figure, turn), text)
    assert outcome(after) == ended
    if ended:
        assert to_move(after) is None
        with pytest.raises(Illegal) as caught:
            read(after, "a3-a4")
        assert caught.value.rule == fanorona.ENDING


def test_whoever_cannot_move_loses() -> None:
    figure = """
    x o + + + + + + +
    o o + + + + + + +
    + + o + + + + + +
    + + + + + + + + +
    + + + + + + + + +
    """
    assert outcome(position_of(figure, 1)) == Outcome((1, 2), "blocked")
    assert_end_before_limit(GAME, position_of(figure, 1))


def test_the_third_time_is_a_draw() -> None:
    position = position_of(QUIET)
    for text in ("a3-a4", "i5-i4", "a4-a3", "i4-i5") * 2:
        assert outcome(position) is None
        position = played(GAME, position, text)
    assert outcome(position) == Outcome((1, 1), "repeated")
    assert not list(moves(position))


def test_fifty_moves_each_without_a_capture_are_a_draw() -> None:
    position = position_of(QUIET, seen=tuple(map(str, range(99))))
    assert outcome(position) is None
    assert outcome(played(GAME, position, "a3-a4")) == Outcome((1, 1), "exhausted")


def test_reading() -> None:
    position = start(2, {})
    for text in ("e2-e3", "E2E3", "e2 e3"):
        assert write(position, read(position, text)) == "E2-E3"
    assert read(position, info.example) in set(moves(position))
    with pytest.raises(Unfinished):
        read(position, "d3-e3")
    assert write(position, read(position, "d3e3retreat")) == "D3-E3-RETREAT"
    with pytest.raises(Unreadable):
        read(position, "capture")


@pytest.mark.parametrize("plies", [150, pytest.param(8_000, marks=pytest.mark.slow)])
def test_the_slow_engine_agrees(plies: int) -> None:
    random, count = Random(f"fanorona {plies}"), 0
    while True:
        position, men = start(2, {}), slow_start()
        while True:
            ended = outcome(position)
            if ended and ended.reason in ("repeated", "exhausted"):
                break
            legal = {
                "".join(step if isinstance(step, str) else BOARD.names[step].lower() for step in move): move
                for move in moves(position)
            }
            theirs = slow_moves(men, "ox"[position.turn])
            assert legal.keys() == theirs.keys()
            assert bool(ended) == (not theirs)
            if ended:
                assert (ended.reason == "bare") == ("ox"[position.turn] not in men.values())
                assert ended.ranks[position.turn] == 2
                break
            if count == plies:
                return
            count += 1
            text = random.choice(list(legal))
            position, men = play(position, legal[text])[0], theirs[text]


@pytest.mark.parametrize("plies", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_the_tree(plies: int) -> None:
    assert leaves(GAME, start(2, {}), plies) == slow_leaves(slow_start(), "o", plies)
