"""Thinking is shared out: every board is answered in time, with all its level asks for where few wait."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pbmserv.robots.levels import (
    ANSWERED_WITHIN,
    CAUGHT_UP_WITHIN,
    FEWEST,
    LONGEST,
    BoardWait,
    iterations_within,
    share,
)

WAITS = st.lists(
    st.builds(BoardWait, st.floats(0, 300, allow_nan=False), st.floats(0, 100, allow_nan=False)),
    min_size=1,
    max_size=120,
).map(lambda found: sorted(found, key=lambda wait: -wait.waited))


def answered(waits: list[BoardWait], thinkers: int, besides: float, part: float) -> list[float]:
    """When each board is answered, from now on: whoever has finished takes the next one."""
    free = [0.0] * thinkers
    done = []
    for wait in waits:
        first = min(range(thinkers), key=free.__getitem__)
        free[first] += min(wait.thinking, LONGEST) * part + besides
        done.append(free[first])
    return done


@given(WAITS, st.integers(1, 4), st.floats(0, 0.1))
def test_every_board_is_answered_in_time(waits: list[BoardWait], thinkers: int, besides: float) -> None:
    """As far as there is any thinking left to cut; several thinkers may be late by the last thought of one."""
    part = share(waits, thinkers, besides)
    assert 0 <= part <= 1
    assume(part > 0)
    longest = max(min(wait.thinking, LONGEST) for wait in waits) * part + besides
    for wait, at in zip(waits, answered(waits, thinkers, besides, part), strict=True):
        left = max(ANSWERED_WITHIN - wait.waited, CAUGHT_UP_WITHIN)
        assert at <= left + (0 if thinkers == 1 else longest) + 1e-6


@given(WAITS, st.integers(1, 4))
def test_nothing_is_cut_without_need(waits: list[BoardWait], thinkers: int) -> None:
    """What gets less than it asks for would be late with a little more."""
    part = share(waits, thinkers, 0.0)
    assume(part < 1)
    more = [
        sum(min(wait.thinking, LONGEST) for wait in waits[: place + 1]) * part * 1.01
        for place in range(len(waits))
    ]
    lefts = [max(ANSWERED_WITHIN - wait.waited, CAUGHT_UP_WITHIN) * thinkers for wait in waits]
    assert any(spent >= left for spent, left in zip(more, lefts, strict=True))


@given(WAITS, st.integers(1, 4), st.floats(0, 0.1))
def test_more_boards_never_mean_more_time_for_each(waits: list[BoardWait], thinkers: int, besides: float) -> None:
    """Nor do fewer thinkers."""
    part = share(waits, thinkers, besides)
    assert share([*waits, BoardWait(0, 5)], thinkers, besides) <= part
    assert share(waits, thinkers + 1, besides) >= part


@pytest.mark.parametrize(("count", "part"), [(1, 1.0), (10, 1.0), (50, 0.5), (100, 0.25)])
def test_a_hundred_boards_in_a_minute(count: int, part: float) -> None:
    assert share([BoardWait(0, 2.0)] * count, 1, 0.0) == part


@given(st.integers(1, 10_000), st.floats(0, 1), st.floats(0, 1))
def test_iterations_stay_between_the_fewest_and_the_level(level: int, each: float, part: float) -> None:
    """Whatever there is time for."""
    found = iterations_within(level, each, part)
    assert min(level, FEWEST) <= found <= level
    assert found * each <= max(LONGEST * part + each, FEWEST * each)
