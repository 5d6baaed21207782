"""Which rung fits a player: a newcomer begins low, who wins climbs, who loses comes down, and it settles."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.robots.levels import RUNGS
from pbmserv.robots.robot import MOST_RESULTS, Result, estimated, fitting_rung
from pbmserv.robots.thought import Dice

EVENLY = {rung: 275 * place for place, rung in enumerate(RUNGS)}
THREE = {"beginner": 0, "club": 300, "master": 600}

RESULTS = st.lists(st.builds(Result, st.sampled_from(RUNGS), st.sampled_from([0.0, 0.5, 1.0])), max_size=20)


def after(scores: Sequence[float], strengths: dict[str, int] = EVENLY) -> list[str]:
    """The rungs that a newcomer meets who scores so, one game after the other."""
    results: list[Result] = []
    met = [fitting_rung(strengths, results)]
    for score in scores:
        results.insert(0, Result(met[-1], score))
        met.append(fitting_rung(strengths, results))
    return met


@pytest.mark.parametrize(
    ("scores", "rungs"),
    [
        ([], "novice"),
        ([0], "novice beginner"),
        ([0, 0], "novice beginner beginner"),
        ([1], "novice casual"),
        ([1, 1], "novice casual regular"),
        ([1, 1, 1], "novice casual regular club"),
        ([1, 1, 0, 0], "novice casual regular casual casual"),
        ([1, 0], "novice casual novice"),
        ([0.5], "novice novice"),
    ],
)
def test_a_newcomer_climbs_and_comes_down(scores: list[float], rungs: str) -> None:
    assert after(scores) == rungs.split()


def test_where_there_are_three() -> None:
    assert after([1, 1, 0, 0], THREE) == ["beginner", "club", "master", "club", "club"]


def test_ratings_lift_where_one_begins() -> None:
    """Who is known to be better than most begins further up; a rating that says nothing changes nothing."""
    begins = [EVENLY[fitting_rung(EVENLY, [], points)] for points in (1100, 1500, 1900, 2400)]
    assert begins == sorted(begins)
    assert begins[0] < begins[1] < begins[2] < begins[3]
    assert fitting_rung(EVENLY, [], 1500) == fitting_rung(EVENLY, [])


@given(RESULTS, st.sampled_from(RUNGS), st.none() | st.integers(1000, 2200))
def test_a_win_never_makes_it_weaker(results: list[Result], rung: str, points: int | None) -> None:
    """Nor a loss stronger, compared with a draw; and what is estimated stays on the scale."""
    lost, drawn, won = (estimated(EVENLY, [Result(rung, score), *results], points) for score in (0.0, 0.5, 1.0))
    assert lost < drawn < won
    assert all(map(math.isfinite, (lost, drawn, won)))


@given(RESULTS)
def test_only_the_last_games_count(results: list[Result]) -> None:
    """And of these, games against what is no rung here do not."""
    known = results[:MOST_RESULTS]
    assert estimated(EVENLY, results) == estimated(EVENLY, known)
    assert estimated(EVENLY, [Result("gone", 0.0), *known]) == estimated(EVENLY, known)


@pytest.mark.parametrize("strength", [100, 500, 900, 1300, 1700])
def test_it_settles_where_games_are_close(strength: int) -> None:
    """Somebody of a strength meets, after ten games, rungs that are mostly within 400 Elo of it."""
    dice, apart = Dice(strength), []
    for _ in range(30):
        results: list[Result] = []
        for _ in range(25):
            rung = fitting_rung(EVENLY, results)
            if len(results) >= 10:
                apart.append(abs(strength - EVENLY[rung]))
            chance = 1 / (1 + 10 ** ((EVENLY[rung] - strength) / 400))
            results.insert(0, Result(rung, float(dice.below(1000) < 1000 * chance)))
    assert sum(each <= 400 for each in apart) > 0.85 * len(apart)
