"""The thinker that knows Cephalopod: it thinks the same again, is right about endings, and beats greed."""

import random
from collections.abc import Hashable
from typing import Any

import pytest

from pbmserv.games import cephalopod
from pbmserv.robots import greedy
from pbmserv.robots.cephalopod import thinker
from pbmserv.robots.cephalopod.table import DamagedTable, table_of, unpacked
from pbmserv.robots.cephalopod.thinker import WindowJudge, solve
from pbmserv.robots.search.puct import LOST, WON, search


def positions(size: str, seed: int) -> list[Any]:
    """The positions of a game by chance."""
    dice, position = random.Random(seed), cephalopod.start(2, {"size": size})
    passed: list[Any] = []
    while cephalopod.to_move(position) is not None:
        passed.append(position)
        position, _ = cephalopod.play(position, dice.choice(list(cephalopod.moves(position))))
    return passed


def wins(position: Any, known: dict[Hashable, bool]) -> bool:
    """Whether the side to move wins, found out by the rules alone."""
    key = (position.pips, position.owners, position.turn)
    if key not in known:
        known[key] = any(
            outcome.ranks[position.turn] == 1
            if (outcome := cephalopod.outcome(after)) is not None
            else not wins(after, known)
            for after, _ in (cephalopod.play(position, move) for move in cephalopod.moves(position))
        )
    return known[key]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(6))
def test_endings_are_as_the_rules_say(seed: int) -> None:
    """Both searches against plain recursion, on positions from late to early as long as that is quick."""
    judge = WindowJudge(3, 3, table_of(3, 3))
    for position in positions("3x3", seed)[:-14:-1]:
        is_won = wins(position, {})
        ground = judge.ground(position)
        ending = solve(judge, ground, 100_000)
        assert ending.worth == (WON if is_won else LOST)
        if is_won:
            after, _ = cephalopod.play(position, ending.move)
            assert cephalopod.outcome(after) is not None or not wins(after, {})
        else:
            assert ending.move is None
        assert search(judge, ground, 3000).proven in (None, ending.worth)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", ["3x3", "3x5", "5x5"])
def test_what_is_settled_stays_so(size: str) -> None:
    """However the game goes on from where one side has more than half for good, that side wins."""
    columns, rows = map(int, size.split("x"))
    judge, dice, settled = WindowJudge(columns, rows, table_of(columns, rows)), random.Random(size), 0
    for seed in range(40):
        passed = [each for each in positions(size, seed) if judge.foresee(judge.ground(each)) in (WON, LOST)]
        for position in passed[:1]:
            settled += 1
            worth = judge.foresee(judge.ground(position))
            winner = position.turn if worth == WON else 1 - position.turn
            for _ in range(15):
                end = position
                while cephalopod.to_move(end) is not None:
                    end, _ = cephalopod.play(end, dice.choice(list(cephalopod.moves(end))))
                outcome = cephalopod.outcome(end)
                assert outcome is not None
                assert outcome.ranks[winner] == 1
    assert settled >= 10


def test_an_ending_that_takes_too_long_is_not_judged() -> None:
    """It says so, and has looked at no more than it was told."""
    judge = WindowJudge(5, 5, table_of(5, 5))
    ending = solve(judge, judge.ground(positions("5x5", 1)[60]), 50)
    assert (ending.worth, ending.move, ending.nodes) == (None, None, 50)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("size", ["3x3", "3x5", "5x5", "7x7"])
def test_thinks_the_same_again(size: str) -> None:
    """Candidates are legal moves, best first, and the seats' chances add up to one."""
    for position in positions(size, 3)[::17]:
        assert thinker.knows(position)
        thought: Any = thinker.think(cephalopod, position, 5, 60)
        assert thought == thinker.think(cephalopod, position, 5, 60)
        assert sorted(each.move for each in thought.candidates) == sorted(cephalopod.moves(position))
        assert sum(thought.values) == pytest.approx(1)
        assert thought.candidates[0].value == pytest.approx(thought.values[position.turn])


def test_seeds_choose_among_reflections() -> None:
    """The answer to a first move in the centre is not always on the same side of it."""
    centre, _ = cephalopod.play(cephalopod.start(2, {}), (12,))
    answers = {thinker.think(cephalopod, centre, seed, 30).candidates[0].move for seed in range(12)}
    assert len(answers) > 1


def test_does_not_know_games_of_three() -> None:
    """The table is for two seats."""
    assert not thinker.knows(cephalopod.start(3, {}))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", ["3x5", "5x5", "7x7"])
def test_beats_greed(size: str) -> None:
    """With ten positions in its head, on boards that were learned and on one that was not."""
    won = 0
    for number in range(6):
        position: Any = cephalopod.start(2, {"size": size})
        ply = 0
        while cephalopod.to_move(position) is not None:
            thinks = thinker if position.turn == number % 2 else greedy
            thought = thinks.think(cephalopod, position, number * 1000 + ply, 10 if thinks is thinker else 1000)
            position, _ = cephalopod.play(position, thought.candidates[0].move)
            ply += 1
        outcome = cephalopod.outcome(position)
        won += outcome is not None and outcome.ranks[number % 2] == 1
    assert won >= 5


@pytest.mark.parametrize("size", ["3x5", "5x3", "5x5"])
def test_the_tables_of_the_package_are_sound(size: str) -> None:
    """They are those whose checksums are kept."""
    columns, rows = map(int, size.split("x"))
    assert table_of(columns, rows).by_pips


def test_a_damaged_table_is_not_played_with() -> None:
    """Nor one that is too short."""
    with pytest.raises(DamagedTable):
        unpacked(bytes(100), 25)
