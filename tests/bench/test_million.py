"""What a page costs in a house with a million matches, beside one with a thousand.

Both are asked by turns in one run, so that what else the machine does befalls both. The million takes a minute or
two to make: but under `make bench`, two small houses show that all pages answer, and nothing is measured.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter

import httpx
import pytest
from argon2 import PasswordHasher
from pytest_benchmark.fixture import BenchmarkFixture

from pbmserv.commands.server import Server
from pbmserv.services.app import App
from pbmserv.web.app import make_app
from pbmserv.web.site import Site
from tests.bench.million import FIRST, build
from tests.conftest import ADDRESS

FEW, MANY = 1_000, 1_000_000
SMALL = 1_500
ROUNDS = 30
AIM_RATIO, AIM_MS = 1.3, 30
MOST_RATIO, MOST_MS = 3, 150
"""What no machine, however busy, makes of a page that reads no more than it shows."""

PAGES = (
    "/",
    "/games",
    "/games?status=all",
    "/games?status=over",
    "/games?status=over&game=cephalopod",
    "/games?sort=newest",
    "/games?sort=newest&status=over&game=cephalopod",
    "/games?sort=time",
    "/games?sort=time&game=cephalopod",
    "/games?player=light&status=all",
    "/games?player=busy&status=over",
    "/games?player=robot",
    "/games?player=robot&status=all",
    "/games?player=robot&status=over&game=cephalopod",
    "/games?player=robot&status=over&sort=newest",
    "/games?player=light+partner&status=all",
    "/games?player=robot+busy&status=all",
    "/games?status=all&after={deep}",
    "/games?player=robot&status=over&after={deep}",
    "/games?status=over&sort=newest&after={middle}",
    "/games?player=nobody",
    "/games.json",
    "/games.atom?status=all",
    "/boards/{last}",
    "/players/light",
    "/players/busy",
    "/players/robot",
    "/standings/cephalopod",
    "/help",
)


@dataclass
class Asked:
    """A house, and how long its pages took, in milliseconds."""

    house: App
    count: int
    took: dict[str, list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        app = make_app(Site(self.house))
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://club.test")

    async def ask(self, page: str) -> None:
        """Asks for a page once."""
        begun = perf_counter()
        answer = await self._client.get(self._path(page))
        self.took.setdefault(page, []).append((perf_counter() - begun) * 1000)
        assert answer.status_code == 200, f"{page}: {answer.status_code}"

    def _path(self, page: str) -> str:
        middle = FIRST + self.count // 2
        return page.format(deep=f"2022-01-01T00:00:00-{middle}", middle=middle, last=FIRST + self.count - 1)


@pytest.fixture(scope="module")
def houses(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Asked, Asked]]:
    """The one with few and the one with many."""
    sizes = (FEW, MANY) if _measures(request) else (FEW, SMALL)
    folder = tmp_path_factory.mktemp("million")

    def tell(done: int) -> None:
        if done % 100_000 == 0:
            say(request, f"{done:,} matches")

    engines = [build(folder / f"{count}.db", count, tell) for count in sizes]
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    few, many = (App(engine, Server(ADDRESS, variants=True), lambda: "t", hasher) for engine in engines)
    yield Asked(few, sizes[0]), Asked(many, sizes[1])
    for engine in engines:
        engine.dispose()


@pytest.mark.benchmark(group="pages of a million")
def test_pages(houses: tuple[Asked, Asked], benchmark: BenchmarkFixture, request: pytest.FixtureRequest) -> None:
    """Each page of the one house as often as of the other; the ratio is that of the best rounds."""
    few, many = houses
    measures = _measures(request)

    async def ask_all() -> None:
        for page in PAGES:
            for _ in range(ROUNDS if measures else 1):
                await few.ask(page)
                await many.ask(page)

    benchmark.pedantic(lambda: asyncio.run(ask_all()), rounds=1)  # type: ignore[no-untyped-call]
    if not measures:
        return
    lines = [_line(page, few.took[page], many.took[page]) for page in PAGES]
    say(request, f"{'page: median and best ms':58} {FEW:>12,} {MANY:>14,}   ratio", *lines)
    slow = [page for page in PAGES if min(many.took[page]) > max(MOST_MS, MOST_RATIO * min(few.took[page]))]
    assert not slow


def _measures(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("benchmark_only"))


def say(request: pytest.FixtureRequest, *lines: str) -> None:
    """Writes to whoever waits for the bench, past what keeps the output of tests."""
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print("", *lines, sep="\n", flush=True)


def _line(page: str, few: list[float], many: list[float]) -> str:
    ratio = min(many) / min(few)
    remark = "" if ratio <= AIM_RATIO and min(many) <= AIM_MS else "  beyond the aim"
    columns = f"{median(few):6.1f} {min(few):5.1f} {median(many):8.1f} {min(many):5.1f}"
    return f"{page:58} {columns} {ratio:7.2f}{remark}"
