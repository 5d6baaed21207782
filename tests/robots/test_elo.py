"""Elo differences: against values known otherwise, and against chance, which must stay inside the errors."""

import math
from itertools import product
from random import Random

import pytest

from pbmserv.robots.contest import EloDifference, chained, difference_of, expected_score


def pairs_of(chance: float, count: int, rng: Random) -> list[float]:
    """Results of pairs of games between players of whom the first wins each game with this chance."""
    return [float((rng.random() < chance) + (rng.random() < chance)) for _ in range(count)]


def test_known_values() -> None:
    """Of many games, what the logistic curve says; three quarters of the points are 191 Elo."""
    assert difference_of([1.5] * 10_000).elo == pytest.approx(400 * math.log10(3), abs=0.1)
    assert difference_of([2.0] * 3 + [0.0]).elo == pytest.approx(400 * math.log10(6.5 / 2.5))
    assert difference_of([1.0, 2.0, 0.0]).elo == 0
    assert expected_score(191) == pytest.approx(0.75, abs=0.001)
    assert expected_score(-191) == pytest.approx(0.25, abs=0.001)


def test_error_of_independent_games() -> None:
    """100 games between equals: the standard error of the score is 0.05, and 95 % of cases lie within 68 Elo."""
    even = [float(first + second) for first, second in product((0, 1), repeat=2)] * 100
    assert difference_of(even).error == pytest.approx(1.96 * 400 / math.log(10) / math.sqrt(800 / 4), rel=0.01)


def test_pairs_are_one_observation() -> None:
    """Where the side decides each game, so that every pair is even, nothing is left to chance."""
    decided_by_side = difference_of([1.0] * 100)
    assert decided_by_side.error < difference_of([2.0, 0.0] * 50).error / 10


def test_all_won_is_a_bound() -> None:
    """Never infinity; more games tell of a larger difference, and swapped players of the same one."""
    few, many = difference_of([2.0] * 10), difference_of([2.0] * 100)
    assert few.is_bound
    assert many.is_bound
    assert few.elo == pytest.approx(400 * math.log10(20.5 / 0.5))
    assert few.elo < many.elo < 1100
    assert few.elo - few.error > 0
    lost = difference_of([0.0] * 10)
    assert lost.is_bound
    assert lost.elo == pytest.approx(-few.elo)
    assert lost.error == pytest.approx(few.error)
    assert not difference_of([2.0] * 99 + [1.0]).is_bound


def test_no_games() -> None:
    """Nothing can be told of them."""
    with pytest.raises(ValueError, match="no games"):
        difference_of([])


@pytest.mark.parametrize("elo", [0, 200, 350])
@pytest.mark.parametrize("pairs", [30, 100])
def test_coverage(elo: int, pairs: int) -> None:
    """The true difference lies within the error in about 95 of 100 cases."""
    rng, inside, runs = Random(elo + pairs), 0, 1500
    for _ in range(runs):
        found = difference_of(pairs_of(expected_score(elo), pairs, rng))
        inside += abs(found.elo - elo) <= found.error
    assert 0.93 <= inside / runs <= 0.985


def test_ladder_adds_up() -> None:
    """Errors as squares; from a rung that won everything on, all that stands above it is a bound."""
    rungs = chained([EloDifference(300, 30), EloDifference(500, 40, is_bound=True), EloDifference(100, 120)])
    assert [rung.elo for rung in rungs] == [0, 300, 800, 900]
    assert [rung.error for rung in rungs] == [0, 30, 50, 130]
    assert [rung.is_bound for rung in rungs] == [False, False, True, True]
