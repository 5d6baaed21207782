"""Copies: every row of every table arrives, both ways; whatever goes wrong, the target stays empty."""

import itertools
import random
import string
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Date,
    Double,
    Engine,
    LargeBinary,
    SmallInteger,
    String,
    Table,
    insert,
    inspect,
    make_url,
    select,
    text,
    update,
)

from pbmserv.cli import admin_club
from pbmserv.services.app import utc_now
from pbmserv.store.copying import CannotCopy, copy_all
from pbmserv.store.engine import open_engine, reading, writing
from pbmserv.store.tables import UtcDateTime, addresses, heartbeats, inbox, metadata
from tests.cli.processes import running
from tests.cli.terminal import Terminal
from tests.conftest import prepared
from tests.conversation import parse
from tests.test_golden import FOLDER, play_in_process

Rows = dict[str, list[dict[str, Any]]]
NEWEST = datetime(2026, 11, 23, 12, 0, 0, 999_999, UTC)
LETTERS = string.printable + "äß→🎲\u2028\u0301"
ROWS = 7


@contextmanager
def opened(url: str) -> Iterator[Engine]:
    """An engine that is disposed of."""
    engine = open_engine(url)
    yield engine
    engine.dispose()


def content(url: str) -> Rows:
    """All rows of all tables."""
    with opened(url) as engine, reading(engine) as connection:
        return {
            table.name: sorted((dict(row) for row in connection.execute(select(table)).mappings()), key=repr)
            for table in metadata.sorted_tables
        }


def is_empty(url: str) -> bool:
    """Whether a target is as it was: no table, or no file."""
    if url.startswith("sqlite"):
        return not Path(url.removeprefix("sqlite:///")).exists()
    with opened(url) as engine:
        return not inspect(engine).get_table_names()


def copy(source: str, target: str) -> None:
    """Copies a database."""
    with opened(source) as engine:
        copy_all(engine, target)


@pytest.fixture(params=["sqlite", "postgresql"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database that is not there yet, or empty, of either kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/new/pbmserv.db"
    make: Callable[[], str] = request.getfixturevalue("new_postgresql")
    return make()


def fill(connection: Connection, chance: random.Random) -> None:
    """Some rows in every table, with whatever its columns can hold."""
    there: Rows = {}
    for table in metadata.sorted_tables:
        there[table.name] = [
            {column.name: any_value(table, column, number, there, chance) for column in table.c}
            for number in range(ROWS)
        ]
        connection.execute(insert(table), there[table.name])


def any_value(table: Table, column: Column[Any], number: int, there: Rows, chance: random.Random) -> object:
    """A value that differs from those of the other rows wherever it can."""
    for key in column.foreign_keys:
        return there[key.column.table.name][number][key.column.name]
    if column.nullable and chance.random() < 0.3:
        return None
    match column.type:
        case UtcDateTime():
            return NEWEST - timedelta(microseconds=chance.randrange(10**15))
        case Boolean():
            return chance.random() < 0.5
        case Date():
            return date(2024, 2, 29) + timedelta(days=chance.randrange(-1000, 1000))
        case Double():
            return chance.choice([0.1 + 0.2, -1e-300, chance.gauss(25, 8)])
        case LargeBinary():
            return bytes([number]) + chance.randbytes(15)
        case JSON():
            return chance.choice([[], {"b": 1, "a": [None, True, "\0ß\ud800"]}, ["1"], "", 2**70, 0.1])
        case String():
            return text_of(column.type.length or 1000, number, chance)
        case SmallInteger():
            return number
        case _:
            return (101 if table.name == "matches" else 1) + number


def text_of(most: int, number: int, chance: random.Random) -> str:
    """A text that begins with its number."""
    return f"{number}{''.join(chance.choices(LETTERS, k=chance.randrange(most)))}"


@pytest.mark.parametrize("seed", range(2))
def test_every_value_of_every_table_survives(seed: int, tmp_path: Path, new_postgresql: Callable[[], str]) -> None:
    """SQLite to PostgreSQL, to another PostgreSQL, and back to SQLite."""
    road = [f"sqlite:///{tmp_path}/old.db", new_postgresql(), new_postgresql(), f"sqlite:///{tmp_path}/new.db"]
    engine = prepared(road[0])
    with writing(engine) as connection:
        fill(connection, random.Random(seed))
    engine.dispose()
    before = content(road[0])
    assert all(len(rows) == ROWS for rows in before.values())
    for source, copied in itertools.pairwise(road):
        copy(source, copied)
        assert content(copied) == before
    assert (tmp_path / "new.db").stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.iterdir() if ".part" in file.name or "new.db-" in file.name] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["clocks", "ratings"])
def test_a_clubs_history_survives(
    name: str, tmp_path: Path, new_postgresql: Callable[[], str], quick_hasher: PasswordHasher
) -> None:
    play_in_process(parse((FOLDER / f"{name}.txt").read_text(encoding="utf-8")), tmp_path, quick_hasher)
    source, over, back = f"sqlite:///{tmp_path}/golden.db", new_postgresql(), f"sqlite:///{tmp_path}/back.db"
    copy(source, over)
    copy(over, back)
    assert content(source) == content(over) == content(back)


def test_ids_go_on(house_url: str, target: str) -> None:
    """What is written next has an id that no row had; on PostgreSQL not even one that was deleted."""
    copy(house_url, target)
    with opened(house_url) as source, opened(target) as copied:
        given = []
        for engine in (source, copied):
            with writing(engine) as connection:
                row = dict(connection.execute(select(inbox)).mappings().first() or {}) | {"id": None}
                del row["id"]
                given.append(connection.execute(insert(inbox).returning(inbox.c.id), row).scalar_one())
    assert given[1] > ROWS
    assert given[1] == given[0] or target.startswith("sqlite")


@pytest.fixture(params=["sqlite", "postgresql"])
def house_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database of either kind with rows in all its tables, which a server would have written."""
    make: Callable[[], str] = lambda: f"sqlite:///{tmp_path}/old.db"  # noqa: E731
    if request.param == "postgresql":
        make = request.getfixturevalue("new_postgresql")
    url = make()
    first = f"sqlite:///{tmp_path}/filled.db" if request.param == "postgresql" else url
    engine = prepared(first)
    with writing(engine) as connection:
        fill(connection, random.Random(1))
    engine.dispose()
    if first != url:
        copy(first, url)
        with opened(url) as engine, writing(engine) as connection:
            connection.execute(text("DELETE FROM content_keys"))
            connection.execute(text("SELECT nextval('inbox_id_seq'), nextval('inbox_id_seq')"))
    return url


@pytest.mark.slow
@pytest.mark.parametrize("table", ["seats"])
def test_a_kill_in_the_middle_leaves_the_target_empty(table: str, house_url: str, target: str) -> None:
    program = (
        "import os, signal, sys\n"
        "from pbmserv.store.copying import copy_all\n"
        "from pbmserv.store.engine import open_engine\n"
        "def seen(table, done, of):\n"
        "    if table == sys.argv[3]: os.kill(os.getpid(), signal.SIGKILL)\n"
        "copy_all(open_engine(sys.argv[1]), sys.argv[2], seen)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, house_url, target, table], check=False)
    assert done.returncode == -9
    assert is_empty(target)
    copy(house_url, target)
    assert content(target) == content(house_url)


def test_what_goes_wrong_leaves_the_target_empty(house_url: str, target: str) -> None:
    def interrupt(table: str, done: int, of: int) -> None:
        if done > of / 2:
            raise KeyboardInterrupt

    with opened(house_url) as engine, pytest.raises(KeyboardInterrupt):
        copy_all(engine, target, interrupt)
    assert is_empty(target)

    def wake(table: str, done: int, of: int) -> None:
        if done == of:
            with opened(house_url) as other, writing(other) as connection, suppress(Exception):
                connection.execute(insert(heartbeats).values(part="worker", at=utc_now()))

    with opened(house_url) as engine, pytest.raises(CannotCopy, match="is running on the database"):
        copy_all(engine, target, wake)
    assert is_empty(target)


@pytest.mark.parametrize("house_url", ["sqlite"], indirect=True)
def test_what_only_sqlite_takes(house_url: str, new_postgresql: Callable[[], str]) -> None:
    """A NUL becomes a question mark, and is counted; what is too long is named by table, column and row."""
    with opened(house_url) as engine:
        with writing(engine) as connection:
            connection.execute(update(inbox).where(inbox.c.id == 3).values(outcome="a\0b\0", error="\0"))
        copied, too_long = new_postgresql(), new_postgresql()
        assert copy_all(engine, copied).mended == 2
        rows = {row["id"]: row for row in content(copied)["inbox"]}
        assert (rows[3]["outcome"], rows[3]["error"]) == ("a?b?", "?")
        with writing(engine) as connection:
            connection.execute(update(inbox).where(inbox.c.id == 3).values(sender="x" * 321))
        with pytest.raises(
            CannotCopy, match=r"^inbox\.sender has 321 characters in the row 3, and Post.* takes 320$"
        ):
            copy_all(engine, too_long)
    assert is_empty(too_long)


def test_a_club_moves_over_and_back(club: Terminal, new_postgresql: Callable[[], str]) -> None:
    """It plays on SQLite, on PostgreSQL, and on SQLite again."""
    over = new_postgresql()
    said = club.succeed("admin", "copy", "--to", over, stdin="")
    assert ": 1 boards, no differences." in said
    assert f'put into pbmserv.toml: database = "{make_url(over).render_as_string()}"' in said
    club.settings["PBMSERV_DATABASE"] = over
    post = club.post()
    assert len(post.mail("bob@example.org", "move 101 c3")) == 2
    post.house.engine.dispose()

    back = f"sqlite:///{club.folder}/back/pbmserv.db"
    said = club.succeed("admin", "copy", "--to", back)
    assert f'put into the environment (PBMSERV_DATABASE): database = "{back}"' in said
    club.settings["PBMSERV_DATABASE"] = back
    post = club.post()
    assert len(post.mail("alice@example.org", "move 101 a1")) == 2
    post.house.engine.dispose()
    assert club.succeed("admin", "check") == "No differences.\n"
    (board,) = club.run("admin", "games", "--json").rows
    assert board["plies"] == 3


def test_what_is_refused(club: Terminal, new_postgresql: Callable[[], str]) -> None:
    """One sentence each, and nothing is written."""
    here = f"sqlite:///{club.folder}/data/pbmserv.db"
    password = club.folder / "password"
    password.write_text("Xy7zzy-Q\n")
    others = new_postgresql()
    with opened(others) as engine, writing(engine) as connection:
        connection.execute(text("CREATE TABLE recipes (id integer)"))
    for words, code, told in (
        (["mysql://db/x"], 2, "--to must be sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME"),
        (["postgresql://a:Xy7zzy-Q@db/x"], 2, "--to must not hold a password"),
        ([here], 1, "pbmserv.db is there already"),
        ([others], 1, "holds a table recipes already; copy into an empty database"),
        (["sqlite:///new.db", "--password-file", "nowhere"], 1, "nowhere cannot be read: No such file"),
        (["postgresql://a@127.0.0.1:1/x", "--password-file", "password"], 1, "the copy into"),
    ):
        done = club.run("admin", "copy", "--to", *words)
        assert (done.code, told in done.sentence) == (code, True), done.err
        assert "Xy7zzy" not in done.sentence
    with opened(here) as engine, writing(engine) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    done = club.run("admin", "copy", "--to", f"sqlite:///{club.folder}/new.db")
    assert (done.code, "has schema 0001" in done.sentence) == (75, True)
    assert is_empty(f"sqlite:///{club.folder}/new.db")


@pytest.mark.slow
def test_a_server_must_be_stopped(club: Terminal, new_postgresql: Callable[[], str]) -> None:
    """On SQLite its lock shows it, or that a part has the file open; on PostgreSQL its heartbeats."""
    new = f"sqlite:///{club.folder}/new.db"
    with running(club.settings, club.folder, "serve") as process:
        process.wait_for("Press Ctrl-C to stop it.")
        done = club.run("admin", "copy", "--to", new)
        assert done.code == 1
        assert "a server is running on" in done.sentence
        assert "sudo systemctl stop" in done.sentence
        assert process.stop() == 0
    with opened(f"sqlite:///{club.folder}/data/pbmserv.db") as part:
        with part.connect() as connection:
            connection.execute(select(addresses)).all()
        done = club.run("admin", "copy", "--to", new)
        assert "another program has" in done.sentence
    assert is_empty(new)

    over = new_postgresql()
    club.succeed("admin", "copy", "--to", over)
    club.settings["PBMSERV_DATABASE"] = over
    with opened(over) as engine, writing(engine) as connection:
        connection.execute(text("DELETE FROM heartbeats"))
        connection.execute(insert(heartbeats).values(part="worker", at=utc_now()))
    done = club.run("admin", "copy", "--to", new)
    assert "a server was alive a moment ago (worker)" in done.sentence
    assert is_empty(new)
    club.succeed("admin", "copy", "--to", new, "--stopped")


def test_ctrl_c_is_one_sentence(club: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(admin_club, "copy_all", interrupted)
    done = club.run("admin", "copy", "--to", "sqlite:///new.db")
    assert (done.code, done.sentence) == (1, "pbmserv: interrupted; the target is as empty as it was")
