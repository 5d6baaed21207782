"""The whole road, from outside: moves in over ten connections, board mails out to a relay, on real servers.

A move counts as answered when the board mail that it causes has come to the relay. All rates are a share of
what a listener takes that stores nothing, and processor time is told beside that of the smallest honest
program, in the same run. SQLite is a file with synchronous=FULL, as in service; the PostgreSQL of the tests
does not wait for its disk. People and relay run on the same two cores.
"""

from collections.abc import Callable
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.bench import road
from tests.bench.conftest import Report
from tests.bench.road import Course
from tests.cli.processes import running
from tests.free_port import free_port

pytestmark = [pytest.mark.benchmark(group="the whole road"), pytest.mark.slow]

BOARDS, PLIES = 100, 5
REST_BEFORE, REST = 20.0, 30.0
"""Seconds before a server counts as at rest, and for which it is watched."""


@lru_cache(maxsize=1)
def _beside(folder: Path, boards: int, plies: int) -> tuple[float, Course]:
    return road.plain_rate(), road.floor(folder, boards, plies)


@pytest.fixture
def go(benchmark: BenchmarkFixture, report: Report, tmp_path: Path) -> Callable[..., None]:
    """Measures one server of some parts."""

    def measure(what: str, more: dict[str, str], *parts: str, is_watched: bool = False) -> None:
        boards, plies = (BOARDS, PLIES) if benchmark.enabled else (4, 3)
        plain, floor = (
            _beside(tmp_path, boards, plies) if benchmark.enabled else (1.0, Course(1, 1.0, 1.0, 2.0, ()))
        )
        port, found = free_port(), list[Course]()
        with road.relay() as out, ExitStack() as stack:
            needed = road.settings(tmp_path / "data", port, out) | more
            with running(needed, tmp_path, "migrate") as first:
                assert first.end() == 0, first.log
            servers = []
            for number, part in enumerate(parts):
                (place := tmp_path / str(number)).mkdir()
                servers.append(stack.enter_context(running(needed, place, part)))
                road.until_ready(servers[-1:])
            opened = road.open_boards(port, out, boards, still=2.0 if benchmark.enabled else 0.3)
            benchmark.pedantic(  # type: ignore[no-untyped-call]
                lambda: found.extend(
                    road.play(port, out, each.process.pid, opened, plies) for each in servers[:1]
                ),
                rounds=1,
            )
            (course,) = found
            resting = []
            if is_watched and benchmark.enabled:
                road.at_rest(servers[0], REST_BEFORE)
                resting = road.at_rest(servers[0], REST)
            for each in servers:
                assert each.stop() == 0, each.log
                assert "Traceback" not in each.log, each.log
        assert course.moves == boards * plies
        assert course.letters >= 1
        if not benchmark.enabled:
            return
        answered, accepted = course.answered, course.accepted
        report(
            f"{what}: {answered:.0f} answered a second, {answered / plain:.3f} of {plain:.0f} plain, "
            f"{answered / floor.answered:.2f} of floor, {course.letters:.2f} letters a move"
        )
        report(f"    {accepted:.0f} accepted a second meanwhile, {accepted / plain:.3f} of plain")
        if len(parts) == 1:
            by_process = ", ".join(f"{each.name} {1000 * each.seconds / course.moves:.1f}" for each in course.used)
            ratio = course.cpu_ms / floor.cpu_ms
            report(f"    {course.cpu_ms:.1f} ms of the processor a move, {ratio:.2f} of floor: {by_process}")
        if resting:
            by_process = ", ".join(f"{each.name} {1000 * each.seconds / REST:.1f}" for each in resting)
            report(
                f"    at rest {1000 * sum(each.seconds for each in resting) / REST:.1f} ms a second: {by_process}"
            )

    return measure


def test_answered(go: Callable[..., None]) -> None:
    """A server on SQLite, as it comes."""
    go("on SQLite", {}, "serve", is_watched=True)


def test_answered_in_one_process(go: Callable[..., None]) -> None:
    """The same by threads of one process, as on a machine with one core."""
    go("on SQLite, in one process", {"PBMSERV_PROCESSES": "1"}, "serve", is_watched=True)


@pytest.mark.parametrize("workers", [1, 2])
def test_answered_on_postgresql(go: Callable[..., None], new_postgresql: Callable[[], str], workers: int) -> None:
    """Parts as they would run on several hosts."""
    more = {"PBMSERV_DATABASE": new_postgresql()}
    go(f"on PostgreSQL, {workers} workers", more, "listen", "send", *["work"] * workers)
