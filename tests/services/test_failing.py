"""Boards that fail are left alone for a while, longer each time, until they fail no more."""

from datetime import timedelta

from pbmserv.services.thinking import LONGEST_REST, FailingBoards
from tests.conftest import NOON


def test_longer_each_time_and_told_once() -> None:
    """A minute, two, four, at most a day; other boards are not concerned."""
    failing, now = FailingBoards(), NOON
    assert failing.failed(101, now)
    for minutes in (1, 2, 4):
        assert failing.rests(101, now + timedelta(minutes=minutes, seconds=-1))
        now += timedelta(minutes=minutes)
        assert not failing.rests(101, now)
        assert not failing.failed(101, now)
    for _ in range(20):
        failing.failed(101, now)
    assert not failing.rests(101, now + LONGEST_REST)
    assert not failing.rests(102, now)


def test_mended() -> None:
    """Later trouble is news again, and begins with a minute."""
    failing = FailingBoards()
    for _ in range(5):
        failing.failed(101, NOON)
    failing.mended(101)
    assert not failing.rests(101, NOON)
    assert failing.failed(101, NOON)
    assert not failing.rests(101, NOON + timedelta(minutes=1))
