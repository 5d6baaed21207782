"""Ratings: openskill's numbers are the paper's, ties are shared, order decides, little is known of newcomers."""

import math
import random
from datetime import UTC, datetime, timedelta
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.matches.ratings import INACTIVE_AFTER, Rating, RatingResult, Tally, rated, reckoned

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
NEWCOMER = Rating()

some_ratings = st.builds(Rating, mu=st.floats(0, 50), sigma=st.floats(1, 9))
some_matches = st.integers(2, 6).flatmap(
    lambda size: st.tuples(
        st.lists(some_ratings, min_size=size, max_size=size),
        st.lists(st.integers(1, 4), min_size=size, max_size=size),
    )
)


def by_the_paper(before: list[Rating], ranks: list[int]) -> list[tuple[float, float]]:
    """Algorithm 4 of Weng and Lin (2011), written from the paper, with gamma = sigma / c; tau is added before."""
    beta_squared, kappa, tau_squared = (25 / 6) ** 2, 0.0001, (25 / 300) ** 2
    variances = [each.sigma**2 + tau_squared for each in before]
    c = math.sqrt(sum(variance + beta_squared for variance in variances))
    strength = [math.exp(each.mu / c) for each in before]
    seats = range(len(before))
    after = []
    for i in seats:
        omega = delta = 0.0
        for q in seats:
            if ranks[q] > ranks[i]:
                continue
            share = strength[i] / sum(strength[s] for s in seats if ranks[s] >= ranks[q])
            tied = ranks.count(ranks[q])
            omega += ((1 if q == i else 0) - share) / tied
            delta += share * (1 - share) / tied
        gamma = math.sqrt(variances[i]) / c
        mu = before[i].mu + variances[i] / c * omega
        shrunk = max(1 - gamma * variances[i] / c**2 * delta, kappa)
        after.append((mu, math.sqrt(variances[i] * shrunk)))
    return after


@given(some_matches)
def test_the_numbers_are_those_of_the_paper(match: tuple[list[Rating], list[int]]) -> None:
    """For matches of all sizes, with and without ties."""
    before, ranks = match
    for found, (mu, sigma) in zip(rated(before, ranks), by_the_paper(before, ranks), strict=True):
        assert found.mu == pytest.approx(mu, abs=1e-8)
        assert found.sigma == pytest.approx(sigma, abs=1e-8)


def test_known_numbers() -> None:
    """They may never change, whatever the library's defaults become: every club's history rests on them."""
    assert rated([NEWCOMER, NEWCOMER], [1, 2]) == (
        Rating(27.635389493, 8.065901414),
        Rating(22.364610507, 8.065901414),
    )
    assert rated([NEWCOMER] * 4, [1, 2, 2, 4]) == (
        Rating(27.795252673, 8.263571791),
        Rating(24.68941637, 8.179617988),
        Rating(24.68941637, 8.179617988),
        Rating(22.825914588, 8.179617988),
    )


def test_a_draw_between_equals_moves_nobody() -> None:
    one, other = rated([NEWCOMER, NEWCOMER], [1, 1])
    assert one.points == other.points == 1500
    assert one.sigma < NEWCOMER.sigma


def test_a_surprise_counts_more() -> None:
    strong, weak = Rating(30, 3), Rating(20, 3)
    expected, _ = rated([strong, weak], [1, 2])
    _, surprising = rated([strong, weak], [2, 1])
    assert 0 < expected.mu - strong.mu < surprising.mu - weak.mu


def test_results_count_in_the_order_in_which_they_ended() -> None:
    """Not in which they are given; at the same moment the lower number is first."""
    results = [
        RatingResult(NOON, 102, ((1, 1), (2, 2))),
        RatingResult(NOON, 101, ((2, 1), (3, 2))),
        RatingResult(NOON - timedelta(minutes=1), 103, ((3, 1), (1, 2))),
    ]
    changes = reckoned({}, results)
    assert [change.board for change in changes] == [103, 103, 101, 101, 102, 102]
    assert reckoned({}, reversed(results)) == changes
    assert changes[3].before == changes[0].after.rating


def test_a_tally_goes_on_from_the_one_before() -> None:
    """As if all had been reckoned at once."""
    chance = random.Random(1)
    results = [
        RatingResult(
            NOON + timedelta(hours=number), number, tuple((each, rank) for rank, each in enumerate(seats, 1))
        )
        for number in range(101, 141)
        if (seats := chance.sample(range(8), chance.choice([2, 3, 4])))
    ]
    whole = reckoned({}, results)
    first = reckoned({}, results[:20])
    tallies = {change.player_id: change.after for change in first}
    assert first + reckoned(tallies, results[20:]) == whole


def test_only_who_is_alone_in_front_has_won() -> None:
    changes = reckoned(
        {}, [RatingResult(NOON, 101, ((1, 1), (2, 1), (3, 3))), RatingResult(NOON, 102, ((1, 1), (2, 2)))]
    )
    last = {change.player_id: change.after for change in changes}
    assert [(last[each].counted, last[each].won) for each in (1, 2, 3)] == [(2, 1), (2, 0), (1, 0)]


def test_sections() -> None:
    known, unknown = Rating(25, 6.25), Rating(25, 6.26)
    assert (known.uncertainty, unknown.is_established) == (300, False)
    long_ago = NOON - INACTIVE_AFTER
    assert Tally(known, 9, 0, long_ago).section(NOON) == "established"
    assert Tally(unknown, 9, 0, long_ago).section(NOON) == "provisional"
    assert Tally(known, 9, 0, long_ago - timedelta(seconds=1)).section(NOON) == "inactive"


def test_ten_to_fifteen_games_establish_a_rating() -> None:
    """In a club of fifty whose strengths differ as much as a newcomer's may."""
    chance = random.Random(7)
    strengths = [chance.gauss(25, 6) for _ in range(50)]
    tallies: dict[int, Tally] = {}
    took: dict[int, int] = {}
    for number in range(101, 701):
        pair = chance.sample(range(50), 2)
        best = max(pair, key=lambda each: chance.gauss(strengths[each], 25 / 6))
        result = RatingResult(NOON, number, tuple((each, 1 if each == best else 2) for each in pair))
        for change in reckoned(tallies, [result]):
            tallies[change.player_id] = change.after
            if change.after.rating.is_established:
                took.setdefault(change.player_id, change.after.counted)
    assert len(took) >= 45
    assert 9 <= min(took.values()) <= median(took.values()) <= 13
    assert max(took.values()) <= 17
