"""Holidays: which days may be taken, and what is left of them."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.commands.changes import NewVacations
from pbmserv.commands.command import Decision
from pbmserv.commands.vacation import BadVacation, TooMuchVacation, VacationOf
from tests.commands.memory import NOON, Table

TODAY = NOON.date()
DAY = timedelta(days=1)


@pytest.fixture
def table() -> Table:
    """Alice and bob, who play on board 101, on the first of January."""
    made = Table("alice", "bob", "carol")
    made.give("challenge alice bob", "alice")
    return made


def days(table: Table, line: str) -> tuple[tuple[date, date], ...]:
    """The holidays that a line of alice's leaves, as kept."""
    decided = table.decide(f"set vacation {line}", "alice")
    assert isinstance(decided, Decision), decided
    change = decided.changes[0]
    assert isinstance(change, NewVacations)
    return change.days


def ahead(first: int, last: int) -> str:
    """These days from today on, as they are typed."""
    return f"{TODAY + first * DAY} {TODAY + last * DAY}"


def test_days_in_a_row(table: Table) -> None:
    """Both named ones count; one alone is a day; what touches is one."""
    assert days(table, "2026-03-01 2026-03-10") == ((date(2026, 3, 1), date(2026, 3, 10)),)
    assert days(table, "2026-03-11")[-1] == (date(2026, 3, 1), date(2026, 3, 11))
    assert days(table, "2026-05-01 to 2026-05-03")[-1] == (date(2026, 5, 1), date(2026, 5, 3))


def test_others_are_told(table: Table) -> None:
    """Those who play with the player, and nobody else."""
    decided = table.decide("set vacation 2026-03-01 2026-03-10", "alice")
    assert isinstance(decided, Decision)
    told = VacationOf("alice", ((date(2026, 3, 1), date(2026, 3, 10)),), (101,))
    assert decided.to_players == (("bob", told),)


def test_thirty_days_a_year(table: Table) -> None:
    """Each day once, each year for itself, and what is gone stays counted."""
    assert days(table, ahead(0, 29))
    refused = table.give(f"set vacation {ahead(30, 31)}", "alice")
    assert isinstance(refused, TooMuchVacation)
    assert (refused.wanted, refused.left, refused.last) == (2, 0, None)
    assert days(table, ahead(5, 29))
    table.now += 20 * DAY
    assert days(table, "off") == ()
    refused = table.give("set vacation 2026-12-20 2027-01-10", "alice")
    assert isinstance(refused, TooMuchVacation)
    assert (refused.year, refused.wanted, refused.left) == (2026, 12, 9)
    assert refused.last == date(2026, 12, 28)
    assert days(table, f"{refused.first} {refused.last}")
    assert days(table, "2027-01-01 2027-01-10")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("soon", "date"),
        ("2026-02-30 2026-03-02", "date"),
        ("2026-02-01 2026-02-03 2026-02-05", "date"),
        ("2026-03-10 2026-03-01", "order"),
        ("2025-12-31 2026-01-03", "past"),
        ("2026-12-20 2027-01-03", ""),
        ("2027-01-02 2027-01-03", "far"),
        ("2026-12-20 9999-12-31", "far"),
        ("on", "date"),
    ],
)
def test_which_days(table: Table, line: str, why: str) -> None:
    """Not in the past, not more than a year ahead; the refusal names days that would do."""
    refused = table.give(f"set vacation {line}", "alice")
    if not why:
        assert not isinstance(refused, BadVacation)
        return
    assert isinstance(refused, BadVacation)
    assert refused.why == why
    assert days(table, f"{refused.first} {refused.last}")


@given(st.lists(st.tuples(st.integers(0, 364), st.integers(0, 40)), max_size=8))
def test_never_more_than_thirty(periods: list[tuple[int, int]]) -> None:
    """Whatever is asked for, in whatever order; no day is there twice."""
    table = Table("alice", "bob")
    for first, length in periods:
        if not isinstance(table.decide(f"set vacation {ahead(first, first + length)}", "alice"), Decision):
            continue
        days(table, ahead(first, first + length))
    kept = [
        first + count * DAY
        for first, last in table.records.vacations(table.player("alice"), TODAY)
        for count in range((last - first).days + 1)
    ]
    assert len(kept) == len(set(kept))
    assert max((sum(day.year == year for day in kept) for year in (2026, 2027)), default=0) <= 30
