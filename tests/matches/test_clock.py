"""Clocks on paper: what runs between stops, and what a turn comes to."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pbmserv.games import games
from pbmserv.matches.clock import APART, DAY, Stop, TimeControl, Timing, reached, running
from pbmserv.matches.log import Entry, Match
from pbmserv.matches.replay import GameState, replay
from pbmserv.matches.turn_time import bank, deadline, left, limit, outlook, reminders, spent

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)

lengths = st.integers(0, 60 * 24 * 40).map(lambda minutes: timedelta(minutes=minutes))
moments = lengths.map(lambda length: NOON - 10 * DAY + length)


@st.composite
def some_stops(draw: st.DrawFn) -> list[Stop]:
    """Stretches that may overlap, touch, be empty, or go on."""
    drawn = draw(st.lists(st.tuples(moments, st.none() | lengths), max_size=6))
    return [Stop(since, None if length is None else since + length) for since, length in drawn]


def minutes_that_run(since: datetime, until: datetime, stops: list[Stop]) -> int:
    """Counted one by one."""
    moment, count = since, 0
    while moment < until:
        stands = any(stop.since <= moment and (stop.until is None or moment < stop.until) for stop in stops)
        count += not stands
        moment += timedelta(minutes=1)
    return count


@given(some_stops(), st.integers(0, 2000))
def test_what_runs_is_what_no_stop_covers(stops: list[Stop], minutes: int) -> None:
    """However the stops lie to each other."""
    until = NOON + timedelta(minutes=minutes)
    expected = timedelta(minutes=minutes_that_run(NOON, until, stops))
    assert running(NOON, until, stops) == expected


@given(some_stops(), lengths)
def test_a_clock_reaches_what_it_runs(stops: list[Stop], length: timedelta) -> None:
    """When it is reached, just so much has run; a minute before, less."""
    at = reached(NOON, length, stops)
    if at is None:
        assert any(stop.until is None for stop in stops)
        assert running(NOON, NOON + 1000 * DAY, stops) <= length
        return
    assert running(NOON, at, stops) == length
    if length:
        assert running(NOON, at - timedelta(minutes=1), stops) < length


def board(clock: TimeControl | None, *entries: tuple[str, int | None, str, int], seats: int = 2) -> GameState:
    """A 3x3 board on which that happened, an hour apart: kind, seat, text, seconds used."""
    log = tuple(
        Entry(101, seq, NOON + seq * HOUR, kind, seat, text, used)  # type: ignore[arg-type]
        for seq, (kind, seat, text, used) in enumerate(entries, 1)
    )
    names = ("alice", "bob", "carol")[:seats]
    return replay(
        Match(
            101,
            "cephalopod",
            games()["cephalopod"].info.rules,
            (("size", "3x3"),),
            True,
            names,
            "alice",
            NOON,
            log,
            clock,
        )
    )


def test_no_clock() -> None:
    """Nothing is ever due."""
    timing = Timing(NOON + 1000 * DAY, NOON)
    without = board(None)
    assert (limit(without), left(without, timing), deadline(without, timing)) == (None, None, None)
    assert (reminders(without), bank(without, 0), outlook(without, timing).next_at) == ((), None, None)


def test_default_terms() -> None:
    """A week, half, four fifths, a day before three weeks are over."""
    assert reminders(board(TimeControl())) == (7 * DAY, 10.5 * DAY, 16.8 * DAY, 20 * DAY)
    assert limit(board(TimeControl())) == 21 * DAY


@given(st.integers(12, 24 * 365), st.none() | st.integers(12, 24 * 365), st.none() | st.integers(1, 24 * 400))
def test_reminders_come_apart_and_before_the_end(nag: int, forfeit: int | None, total: int | None) -> None:
    """Whatever the terms."""
    clock = TimeControl(nag * HOUR, forfeit * HOUR if forfeit else None, total * HOUR if total else None)
    marks = reminders(board(clock))
    most = limit(board(clock))
    assert [*marks] == sorted(marks)
    assert all(later - earlier >= APART for earlier, later in pairwise(marks))
    assert all(mark < most for mark in marks if most is not None)


def test_bank_and_increment() -> None:
    """Each move takes what it took, and adds what was agreed."""
    clock = TimeControl(None, None, 10 * DAY, 12 * HOUR)
    begun = board(clock)
    assert limit(begun) == bank(begun, 0) == 10 * DAY
    played = board(clock, ("played", 0, "B2", 2 * 86400), ("played", 1, "A1", 20 * 86400))
    assert bank(played, 0) == 8 * DAY + 12 * HOUR
    assert bank(played, 1) == timedelta()


def test_what_is_given() -> None:
    """More time counts for this turn, and for the whole game."""
    clock = TimeControl(forfeit=5 * DAY, total=9 * DAY)
    extended = board(clock, ("extended", 0, "48", 0))
    assert limit(extended) == 7 * DAY
    assert bank(extended, 0) == 11 * DAY


def test_a_pause_stops_the_clock() -> None:
    """And no end is known as long as it goes on."""
    clock = TimeControl(forfeit=5 * DAY)
    paused = board(clock, ("paused", None, "", 0))
    later = Timing(NOON + 20 * DAY, NOON)
    assert spent(paused, later) == HOUR
    assert deadline(paused, later) is None
    assert not outlook(paused, later).is_over
    resumed = board(clock, ("paused", None, "", 0), ("resumed", None, "", 0))
    assert deadline(resumed, later) == NOON + 5 * DAY + HOUR


def test_outlook() -> None:
    """What is due by now, and when the next thing is."""
    begun = board(TimeControl())
    at = {day: outlook(begun, Timing(NOON + day * DAY, NOON)) for day in (0, 7, 11, 20, 21)}
    assert {day: each.reminders for day, each in at.items()} == {0: 0, 7: 1, 11: 2, 20: 4, 21: 4}
    assert at[0].next_at == NOON + 7 * DAY
    assert at[20].next_at == at[20].deadline == NOON + 21 * DAY
    assert [each.is_over for each in at.values()] == [False, False, False, False, True]
    assert outlook(begun, Timing(NOON + 50 * DAY)).next_at is None
