"""What all tests share: houses on SQLite and PostgreSQL, a fixed clock, the option to rewrite golden files."""

import gc
import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache, partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from argon2 import PasswordHasher
from jinja2 import Environment, FileSystemBytecodeCache
from sqlalchemy import Dialect, Engine, create_engine, inspect, make_url, text

from pbmserv.commands.server import Server
from pbmserv.services.app import App, WordMakers
from pbmserv.services.thinking import ThinkingPlan
from pbmserv.store.engine import open_engine
from pbmserv.store.schema import migrate
from pbmserv.store.tables import inbox, metadata, outbox
from tests.examples import register_profiles
from tests.representatives import is_of_another_game
from tests.scratch import put_scratch_into_memory
from tests.shelf import Shelf, postgresql_schema

if TYPE_CHECKING:
    from tests.servers.dovecot import Dovecot

register_profiles()

NOON = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
ADDRESS = "pbmserv@club.test"

HERE = Path(__file__).parent
SLOW = frozenset(
    {
        *("bench", "browser", "faults", "machines", "roads", "servers", "soak"),
        *("test_random_game.py", "test_tour.py", "test_wheel.py"),
    }
)
"""Folders and files whose tests are all slow. Elsewhere a test or file has the mark `slow` itself."""

PASSWORDS = ("sesame", "poppy", "tahini", "cumin", "pepper", "Op3n-Sezz", "Fl0w-rr", "Xy7zzy-Q", "Xy7zzy-R")
"""Those that tests give to players; after each test on a house its database is searched for them."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--regen` rewrites golden files from what the program says now; read the difference before committing it."""
    parser.addoption("--regen", action="store_true", help="rewrite golden files")


def pytest_configure(config: pytest.Config) -> None:
    """Scratch goes into memory, but for what is measured and for the long harnesses, which need real disks."""
    if not config.getoption("benchmark_only", False) and "PBMSERV_SOAK" not in os.environ:
        put_scratch_into_memory()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The quick run does not even read the slow folders."""
    return True if _is_slow(collection_path) and config.option.markexpr == "not slow" else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of the slow folders, what needs PostgreSQL, games that are like others, and most cases of
    what is only sampled by the quick run.
    """
    sampled: dict[str, list[pytest.Item]] = {}
    for item in items:
        case = item.callspec if isinstance(item, pytest.Function) and hasattr(item, "callspec") else None
        again = case and ("postgresql" in case.params.values() or is_of_another_game(case.id))
        if again or _is_slow(item.path) or _needs_postgresql(item) or item.get_closest_marker("soak"):
            item.add_marker(pytest.mark.slow)
        elif item.get_closest_marker("sampled"):
            sampled.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in sampled.values():
        number = next(cases[0].iter_markers("sampled")).args[0]
        for item in Random(0).sample(cases, max(len(cases) - number, 0)):
            item.add_marker(pytest.mark.slow)


def _needs_postgresql(item: pytest.Item) -> bool:
    return isinstance(item, pytest.Function) and "postgresql_server" in item.fixturenames


def _is_slow(path: Path) -> bool:
    return path.is_relative_to(HERE) and path != HERE and path.relative_to(HERE).parts[0] in SLOW


def pytest_collection_finish() -> None:
    """What was collected stays: nobody need look through it for garbage again and again."""
    gc.collect()
    gc.freeze()


def needed(what: str) -> None:
    """Skips a test for want of something on this machine; where everything must be there (CI), fails it."""
    message = f"{what} is not installed on this machine"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def move(self, **by: float) -> None:
        """Moves it on by days, hours, minutes, seconds."""
        self.now += timedelta(**by)


@pytest.fixture(scope="session", autouse=True)
def without_open_spiel() -> Iterator[None]:
    """Robots play, and are told of, as where it is not installed, which depends on the machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pbmserv.robots.spiel.is_installed", lambda: False)
        yield


@pytest.fixture(scope="session", autouse=True)
def compiled_templates(request: pytest.FixtureRequest) -> Iterator[None]:
    """Templates are compiled when they have changed, not in every run and worker anew."""
    kept: pytest.Cache | None = getattr(request.config, "cache", None)
    with pytest.MonkeyPatch.context() as patch:
        if kept is not None:
            compiled = FileSystemBytecodeCache(str(kept.mkdir("templates")))
            patch.setattr("pbmserv.rendering.templates.Environment", partial(Environment, bytecode_cache=compiled))
        yield


@pytest.fixture
def clock() -> Clock:
    """A clock at noon of the first of January 2026."""
    return Clock()


@pytest.fixture(scope="session")
def quick_hasher() -> PasswordHasher:
    """Argon2, as weak as it can be."""
    return PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture(scope="session")
def postgresql_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A throw-away PostgreSQL on a socket of its own; the URL of its maintenance database."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin")) if Path("/usr/lib/postgresql").is_dir() else []
    if not programs:
        needed("PostgreSQL")
    folder = Path(subprocess.check_output(["mktemp", "-d", "/tmp/pbmserv-pg-XXXXXX"], text=True).strip())
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if as_user:
        shutil.chown(folder, "postgres")
    data = str(folder / "data")

    def run(*command: str) -> None:
        subprocess.run([*as_user, *command], check=True, capture_output=True, cwd="/tmp")

    manner = ("-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync")
    run(str(programs[-1] / "initdb"), "-D", data, *manner)
    options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
    run(str(programs[-1] / "pg_ctl"), "-D", data, "-w", "-l", str(folder / "log"), "-o", options, "start")
    try:
        yield f"postgresql+psycopg://postgres@/postgres?host={folder}"
    finally:
        run(str(programs[-1] / "pg_ctl"), "-D", data, "-w", "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def new_postgresql(postgresql_server: str) -> Callable[[], str]:
    """Makes an empty schema, which is as good as a database and much sooner made, and gives its URL."""
    counter = itertools.count(1)

    def make() -> str:
        name = f"test{next(counter)}"
        engine = create_engine(postgresql_server, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(f"CREATE SCHEMA {name}"))
        engine.dispose()
        return f"{postgresql_server}&options=-csearch_path%3D{name}"

    return make


@pytest.fixture(scope="session")
def shelf(postgresql_server: str) -> Iterator[Shelf]:
    """Schemas on PostgreSQL in which one house after the other lives."""
    engine = create_engine(postgresql_server)
    yield Shelf(engine)
    engine.dispose()


@pytest.fixture
def lent_postgresql(postgresql_server: str, shelf: Shelf) -> Iterator[str]:
    """The URL of a schema in which today's tables stand empty; what a test puts there is gone afterwards."""
    name = shelf.lend()
    yield f"{postgresql_server}&options=-csearch_path%3D{name}"
    shelf.take_back(name)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database, once of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'pbmserv.db'}"
    make: Callable[[], str] = request.getfixturevalue("new_postgresql")
    return make()


@lru_cache(maxsize=1)
def migrated_file() -> bytes:
    """An empty SQLite database as the migrations leave it: a copy is made in no time, migrating takes some."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "empty.db"
        engine = open_engine(f"sqlite:///{file}")
        migrate(engine)
        engine.dispose()
        return file.read_bytes()


@cache
def _statements_for(kind: str) -> tuple[list[Dialect], dict[Any, Any]]:
    """The first dialect of a kind of database, once it has met one, and the statements compiled for it."""
    return [], {}


def with_shared_statements(engine: Engine) -> Engine:
    """The engine, which compiles no statement that another of its kind has compiled: that takes a quarter of what
    tests on a database of their own cost.
    """
    dialects, statements = _statements_for(engine.dialect.name)
    if not dialects:
        with engine.connect():  # which is when a dialect learns what it has to do with
            dialects.append(engine.dialect)
    engine.dialect = dialects[0]
    engine.update_execution_options(compiled_cache=statements)
    return engine


def prepared(url: str) -> Engine:
    """An engine on a database with today's schema; `test_schema` shows that it is the migrations'."""
    file = make_url(url).database if url.startswith("sqlite") else None
    if file is not None and not Path(file).exists():
        Path(file).parent.mkdir(exist_ok=True)
        Path(file).write_bytes(migrated_file())
    engine = with_shared_statements(open_engine(url))
    if file is None and not inspect(engine).has_table("alembic_version"):
        with engine.begin() as connection:
            connection.exec_driver_sql(postgresql_schema())
    return engine


@dataclass(eq=False)
class Counting:
    """Gives t0001, t0002 and so on, or with more digits."""

    letter: str
    digits: int = 4
    given: int = 0

    def __call__(self) -> str:
        """The next one."""
        self.given += 1
        return f"{self.letter}{self.given:0{self.digits}}"


def long_tokens() -> Counting:
    """Tokens that count up and are as long as in service."""
    return Counting("t", 19)


def make_house(url: str, hasher: PasswordHasher, server: Server) -> App:
    """A house on an empty database; its tokens count up, those of other kinds apart."""
    return App(
        prepared(url),
        server,
        Counting("t"),
        hasher,
        makers=WordMakers(Counting("k"), Counting("l"), Counting("w"), Counting("e")),
        # Thinking takes no time, and so is never shortened.
        thinking=ThinkingPlan(clock=lambda: 0.0),
    )


def passwords_kept(house: App) -> list[str]:
    """Where a password stands in a database. Mails that wait to be handled have to hold them, and so have those
    that were set aside; help that goes out has some as examples.
    """
    found = []
    there = inspect(house.engine).get_table_names()
    with house.engine.connect() as connection:
        for name, statement in _words_kept().items():
            for row in connection.exec_driver_sql(statement) if name in there else ():
                words = str(tuple(row))
                found += [f"{word} in {name}: {words}" for word in PASSWORDS if word in words]
    return found


@cache
def _words_kept() -> dict[str, str]:
    """What asks each table for all in which no password may stand."""
    asked = {}
    for table in metadata.sorted_tables:
        columns = (f'"{each.name}"' for each in table.c if each is not outbox.c.raw)
        asked[table.name] = f"SELECT {', '.join(columns)} FROM {table.name}"
    return asked | {inbox.name: f"{asked[inbox.name]} WHERE status NOT IN ('waiting', 'set aside')"}


@pytest.fixture(params=["sqlite", "postgresql"])
def house(request: pytest.FixtureRequest, tmp_path: Path, quick_hasher: PasswordHasher) -> Iterator[App]:
    """A house on either kind of database, where a From address is proof."""
    is_file = request.param == "sqlite"
    url = f"sqlite:///{tmp_path / 'pbmserv.db'}" if is_file else request.getfixturevalue("lent_postgresql")
    built = make_house(url, quick_hasher, Server(ADDRESS, variants=True, confirm="from"))
    yield built
    _leave(built)


@pytest.fixture
def sqlite_house(tmp_path: Path, quick_hasher: PasswordHasher) -> Iterator[App]:
    """A house on SQLite, where a From address is proof."""
    built = make_house(
        f"sqlite:///{tmp_path / 'pbmserv.db'}", quick_hasher, Server(ADDRESS, variants=True, confirm="from")
    )
    yield built
    _leave(built)


@pytest.fixture
def postgresql_house(lent_postgresql: str, quick_hasher: PasswordHasher) -> Iterator[App]:
    """A house on PostgreSQL, where a From address is proof."""
    built = make_house(lent_postgresql, quick_hasher, Server(ADDRESS, variants=True, confirm="from"))
    yield built
    _leave(built)


def _leave(house: App) -> None:
    kept = passwords_kept(house)
    house.engine.dispose()
    assert kept == []


@pytest.fixture(scope="session")
def dovecot() -> "Iterator[Dovecot]":
    """A Dovecot that many tests share, each with a user of its own; who stops or hurts it starts it again."""
    from tests.servers.dovecot import running_dovecot

    with running_dovecot() as server:
        yield server
