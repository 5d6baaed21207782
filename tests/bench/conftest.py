"""Benches are measured by `pytest tests/bench --benchmark-only`; any other run goes through each of them once."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from pytest_benchmark.fixture import BenchmarkFixture

from pbmserv.commands.server import Server
from tests.bench.club import Club
from tests.conftest import ADDRESS, make_house

PARTS = "one move mail"
WHOLE = "test_whole"
ROUNDS = 100

_times = pytest.StashKey[dict[str, tuple[float, float]]]()
_lines = pytest.StashKey[list[str]]()
_rates = pytest.StashKey[dict[str, tuple[float, str]]]()


@pytest.fixture
def benchmark(benchmark: BenchmarkFixture, request: pytest.FixtureRequest) -> Iterator[BenchmarkFixture]:
    """The plugin's own, switched off unless it was asked for; the summary below is made from what it measures."""
    benchmark.disabled = not request.config.getoption("benchmark_only")
    yield benchmark
    if benchmark.stats is None:
        return
    median, best = benchmark.stats.stats.median, benchmark.stats.stats.min
    if benchmark.group == PARTS:
        request.config.stash.setdefault(_times, {})[request.node.name] = median, best
    if "mails" in benchmark.extra_info:
        rates = request.config.stash.setdefault(_rates, {})
        remark = benchmark.extra_info.get("remark", "")
        rates[request.node.name] = benchmark.extra_info["mails"] / median, remark


Report = Callable[[str], None]


@pytest.fixture
def report(request: pytest.FixtureRequest) -> Report:
    """Adds a line to the summary."""
    return request.config.stash.setdefault(_lines, []).append


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """What each part of handling a mail takes beside the whole, and how many mails a second that makes.

    On a machine that is shared with others the ratios of the best rounds are the steadier ones.
    """
    times, rates = config.stash.get(_times, {}), config.stash.get(_rates, {})
    if WHOLE in times:
        terminalreporter.section(f"{PARTS}: median and best round, and both by the side of {WHOLE}")
        for name, (median, best) in times.items():
            columns = f"{median * 1000:8.2f} ms {best * 1000:8.2f} ms"
            ratios = f"{median / times[WHOLE][0]:8.1%} {best / times[WHOLE][1]:8.1%}"
            terminalreporter.write_line(f"{name:30} {columns} {ratios}")
    for line in config.stash.get(_lines, []):
        terminalreporter.write_line(line)
    for name, (rate, remark) in rates.items():
        terminalreporter.write_line(f"{name:37} {rate:8.1f} mails a second{remark}")


@pytest.fixture
def club(tmp_path: Path, quick_hasher: PasswordHasher) -> Iterator[Club]:
    """A club on a SQLite file as it is in service, where personal addresses tell who writes."""
    house = make_house(
        f"sqlite:///{tmp_path / 'club.db'}", quick_hasher, Server(ADDRESS, variants=True, confirm="ask")
    )
    yield Club(house)
    house.engine.dispose()


def measure(
    benchmark: BenchmarkFixture, target: Callable[..., object], setup: Callable[[], object], rounds: int = ROUNDS
) -> None:
    """Measures so many rounds of what cannot be done twice; `setup` comes before each, and is not measured."""
    benchmark.pedantic(target, setup=setup, rounds=rounds)  # type: ignore[no-untyped-call]


def rounds_of(benchmark: BenchmarkFixture, rounds: int = ROUNDS) -> int:
    """How many rounds there will be: one when nothing is measured."""
    return rounds if benchmark.enabled else 1
