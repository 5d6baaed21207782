"""A database that is locked, read-only, moved, damaged, or from a newer program: what is said, and how it ends."""

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import OperationalError

from pbmserv.server.health import HealthPages
from pbmserv.services.admin import pulse
from pbmserv.services.admin.findings import Verdict
from pbmserv.services.admin.pulse import TRIED_EVERY, WriteTrial
from pbmserv.services.admin.status import Premises, look_around
from pbmserv.services.app import App
from pbmserv.store.engine import cause_of, is_database_trouble, open_engine, reading, writing
from tests.cli.terminal import Done, Terminal
from tests.conftest import NOON


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A trial waits for a moment only."""
    monkeypatch.setattr(pulse, "TRIED_FOR", 0.2)


@pytest.fixture
def file(club: Terminal) -> Path:
    """The file of a club's database."""
    return club.folder / "data" / "pbmserv.db"


@pytest.fixture
def locked(file: Path) -> Iterator[None]:
    """Another program holds the write lock."""
    with closing(sqlite3.connect(file, isolation_level=None)) as rival:
        rival.execute("BEGIN IMMEDIATE")
        yield


def line_of(done: Done, name: str) -> str:
    """What a listing of findings says of one thing, its verdict before it."""
    found = (" ".join(line.split()) for line in done.out.splitlines())
    return next(line for line in found if line.split()[1:2] == [name])


@pytest.mark.usefixtures("locked")
@pytest.mark.parametrize("words", [("status",), ("doctor", "--no-mail")])
def test_a_locked_file_is_not_fine(club: Terminal, words: tuple[str, ...]) -> None:
    """Reading goes on, so nothing but a write shows it."""
    done = club.run(*words)
    assert done.code == 2
    assert line_of(done, "database") == "broken database nothing can be written: database is locked"


@pytest.mark.usefixtures("locked")
def test_health_pages_see_it(club: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often they are asked, a write is tried every ten seconds at most."""
    now, tried = 100.0, 0
    monkeypatch.setattr(pulse, "time", SimpleNamespace(monotonic=lambda: now))

    def counting(engine: Engine, timeout: float) -> AbstractContextManager[Connection]:
        nonlocal tried
        tried += 1
        return writing(engine, timeout)

    monkeypatch.setattr(pulse, "writing", counting)
    house, trial = club.post().house, WriteTrial()
    with HealthPages("127.0.0.1", 0, lambda: look_around(house, Premises(club.folder, ()), NOON, trial)) as pages:
        for _ in range(5):
            found = pages.look_around()
            assert (found[0].name, found[0].verdict) == ("database", Verdict.BROKEN)
        assert tried == 1
        now += TRIED_EVERY
        pages.look_around()
        assert tried == 2
    house.engine.dispose()


def test_a_write_is_tried_on_either_database(house: App) -> None:
    """It succeeds, and stores no more than when."""
    assert WriteTrial().trouble(house.engine, NOON) == ""
    assert WriteTrial().trouble(house.engine, NOON) == ""


def test_postgresql_that_is_read_only_or_locked(postgresql_house: App) -> None:
    """A standby, or one whose table somebody has locked."""
    engine = postgresql_house.engine
    url = engine.url.render_as_string(hide_password=False)
    standby = open_engine(f"{url}%20-cdefault_transaction_read_only%3Don")
    assert "read-only transaction" in WriteTrial().trouble(standby, NOON)
    standby.dispose()
    with engine.begin() as connection:
        connection.execute(text("LOCK TABLE milestones"))
        assert "lock timeout" in WriteTrial().trouble(engine, NOON)


def damage(file: Path, table: str) -> None:
    """Overwrites the first page of a table."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", [table]).fetchone()
    with file.open("r+b") as opened:
        opened.seek((page - 1) * size)
        opened.write(b"\xff" * size)


def test_a_damaged_page(club: Terminal, file: Path) -> None:
    """One sentence each; `status` calls it broken, and no other command says that later is better."""
    damage(file, "heartbeats")
    done = club.run("status")
    assert (done.code, done.err) == (2, "")
    assert line_of(done, "database") == "broken database it does not answer: database disk image is malformed"
    done = club.run("admin", "parts")
    assert done.code == 1
    assert "database disk image is malformed" in done.sentence


def test_a_file_that_is_no_database(club: Terminal, file: Path) -> None:
    """A server does not start again and again on it; an MTA keeps its mail."""
    file.write_bytes(b"something else" * 1000)
    for words, code in ((("status",), 2), (("serve",), 78), (("admin", "parts"), 78), (("receive",), 75)):
        done = club.run(*words, stdin=b"From: a@b.example\r\n\r\n")
        assert done.code == code, words
        assert "file is not a database" in done.err + done.out


def test_a_newer_database(club: Terminal, file: Path) -> None:
    """78 has a service manager stop; 75 has an MTA keep its mail."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    for words, code in ((("serve",), 78), (("migrate",), 78), (("work",), 78), (("receive",), 75)):
        done = club.run(*words, stdin=b"From: a@b.example\r\n\r\n")
        assert done.code == code, words
        assert "was made by a newer version of pbmserv: it has schema 9999" in done.sentence


def test_a_file_that_was_moved(sqlite_house: App) -> None:
    """Nothing is written where nobody would find it; once it is back, all goes on. Its copy is another file."""
    engine = sqlite_house.engine
    file = Path(str(engine.url.database))
    aside = file.with_name("aside.db")
    with writing(engine):
        pass
    file.rename(aside)
    for transaction in (reading, writing):
        with pytest.raises(OperationalError) as raised, transaction(engine):
            pass
        assert is_database_trouble(raised.value)
        assert "was moved, deleted or replaced" in cause_of(raised.value)
    assert not file.exists()
    file.write_bytes(aside.read_bytes())
    with pytest.raises(OperationalError), writing(engine):
        pass
    aside.replace(file)
    with writing(engine):
        pass


def test_what_the_log_says_of_errors(sqlite_house: App) -> None:
    """The driver's words about its database; of anything else no words, which may quote a mail."""
    with closing(sqlite3.connect(str(sqlite_house.engine.url.database), isolation_level=None)) as rival:
        rival.execute("BEGIN IMMEDIATE")
        with pytest.raises(OperationalError) as raised, writing(sqlite_house.engine, 0.1):
            pass
    assert cause_of(raised.value) == "database is locked"
    assert cause_of(ValueError("my password is sesame")) == "ValueError"
