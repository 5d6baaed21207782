"""The whole road, from outside: moves in over ten connections, board mails out to a relay, on real servers.

A move counts as answered when the board mail that it causes has come to the relay; then the opponent plays the
next move. There are a hundred boards of forty players, so a hundred moves at most are on their way. All rates
are measured beside that of a listener that stores nothing, just before and just after. SQLite is a file with
synchronous=FULL, as in service; the PostgreSQL of the tests does not wait for its disk. People and relay are a
process of their own on the same machine, and take a part of it.
"""

import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from pytest_benchmark.fixture import BenchmarkFixture

from tests.bench.conftest import Report
from tests.bench.road import (
    Course,
    Service,
    Story,
    bare_rate,
    club_at,
    furnish,
    outside,
    service,
    tell_story,
)
from tests.cli.usage import Usage

pytestmark = pytest.mark.benchmark(group="the whole road")

BOARDS, PLIES = 100, 10

SETTLED_AFTER, RESTS_FOR = 20.0, 30.0
"""Seconds after which a server rests, and in which it is measured then."""


@pytest.fixture
def story(tmp_path: Path, benchmark: BenchmarkFixture, quick_hasher: PasswordHasher) -> Story:
    """The moves that are brought: few where nothing is measured."""
    return _story(tmp_path, quick_hasher, *((BOARDS, PLIES) if benchmark.enabled else (4, 3)))


@lru_cache(maxsize=1)
def _story(folder: Path, hasher: PasswordHasher, boards: int, plies: int) -> Story:
    club = club_at(f"sqlite:///{folder / 'story.db'}", hasher)
    story = tell_story(club, boards, plies)
    club.house.engine.dispose()
    return story


@pytest.fixture
def run(benchmark: BenchmarkFixture, report: Report, story: Story, tmp_path: Path) -> "Run":
    """Measures one course on the road."""
    return Run(benchmark, report, story, tmp_path)


class Run:
    """One server, one course."""

    def __init__(self, benchmark: BenchmarkFixture, report: Report, story: Story, folder: Path) -> None:
        self.benchmark, self.report, self.story, self.folder = benchmark, report, story, folder

    def on(self, what: str, settings: dict[str, str], *parts: str, flood: bool = False) -> Course:
        """Reports how a server of these parts does by the side of one that stores nothing."""
        bare_before = bare_rate(self.story, self.folder)
        with (
            service(self.folder, settings, *parts) as server,
            outside(self.story, self.folder, server.port, server.relay) as people,
        ):
            before = server.usage()
            course = self.measured(lambda: people.bring("flood" if flood else "chain"))
            after = server.usage()
            if parts == ("serve",) and not flood:
                self.report_rest(server)
        rate = course.taken_a_second if flood else course.answered_a_second
        bare = (bare_before + bare_rate(self.story, self.folder)) / 2
        self.report(f"{what:58} {rate:7.0f} a second, {rate / bare:.3f} of {bare:.0f}")
        self.report_usage(before, after)
        return course

    def measured(self, bring: Callable[[], Course]) -> Course:
        """Runs it once."""
        found: list[Course] = []
        self.benchmark.pedantic(lambda: found.append(bring()), rounds=1)  # type: ignore[no-untyped-call]
        return found[0]

    def report_usage(self, before: list[Usage], after: list[Usage]) -> None:
        """Where the processor's time went, a move, and the memory."""
        spent = {each.pid: each.seconds for each in before}
        for each in after:
            took = (each.seconds - spent.get(each.pid, 0.0)) / self.story.moves * 1000
            if took >= 0.01:
                self.report(f"    {each.name:20} {took:6.2f} ms of the processor a move")
        pss, rss = sum(each.pss for each in after) / 1024, sum(each.rss for each in after) / 1024
        self.report(f"    {len(after)} processes with {pss:.0f} MB (PSS), {rss:.0f} MB (RSS) in the end")

    def report_rest(self, server: Service) -> None:
        """What the server takes once all is done: below 5 ms of the processor a second in all."""
        if not self.benchmark.enabled:
            return
        time.sleep(SETTLED_AFTER)
        before = {each.pid: each.seconds for each in server.usage()}
        time.sleep(RESTS_FOR)
        took = {each.name: each.seconds - before[each.pid] for each in server.usage() if each.pid in before}
        parts = ", ".join(f"{name} {seconds / RESTS_FOR * 1000:.1f}" for name, seconds in took.items())
        self.report(
            f"    at rest {sum(took.values()) / RESTS_FOR * 1000:.1f} ms of the processor a second: {parts}"
        )


@pytest.mark.parametrize("receipts", ["on", "daily"])
def test_answered(run: Run, quick_hasher: PasswordHasher, receipts: str) -> None:
    """Moves answered on SQLite: two mails a move where each player has receipts on, else the opponent's alone."""
    furnish(database_in(run.folder), quick_hasher, run.story, receipts)
    course = run.on(f"answered on SQLite, receipts {receipts}", {}, "serve")
    assert len(course.taken) == len(course.come) == run.story.moves
    assert course.mails >= run.story.moves


def test_answered_in_one_process(run: Run, quick_hasher: PasswordHasher) -> None:
    """The same by threads of one process, as on a machine with one core."""
    furnish(database_in(run.folder), quick_hasher, run.story, "on")
    course = run.on("answered on SQLite by one process, receipts on", {"PBMSERV_PROCESSES": "1"}, "serve")
    assert len(course.come) == run.story.moves


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_answered_on_postgresql(
    run: Run, quick_hasher: PasswordHasher, new_postgresql: Callable[[], str], workers: int
) -> None:
    """The same with so many workers, as they would run on several hosts; two mails a move."""
    url = new_postgresql()
    furnish(url, quick_hasher, run.story, "on")
    parts = ["listen", "send", *["work"] * workers]
    course = run.on(f"answered on PostgreSQL, {workers} workers", {"PBMSERV_DATABASE": url}, *parts)
    assert len(course.come) == run.story.moves


def test_accepted_alone(run: Run, quick_hasher: PasswordHasher) -> None:
    """Mails accepted by a listener while nobody handles them."""
    furnish(database_in(run.folder), quick_hasher, run.story, "on")
    course = run.on("accepted on SQLite, alone", {}, "listen", flood=True)
    assert len(course.taken) == run.story.moves


def test_accepted_while_handling(run: Run, quick_hasher: PasswordHasher) -> None:
    """Mails accepted while all that are there are handled and answered."""
    furnish(database_in(run.folder), quick_hasher, run.story, "on")
    course = run.on("accepted on SQLite, while handling", {}, "serve", flood=True)
    assert len(course.taken) == run.story.moves


def database_in(folder: Path) -> str:
    """The database of a server whose data folder is there."""
    (folder / "data").mkdir()
    return f"sqlite:///{folder / 'data' / 'pbmserv.db'}"
