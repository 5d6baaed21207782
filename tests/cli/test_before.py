"""The copy of a SQLite database that is kept before it is brought up to date."""

import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config

from pbmserv.cli.bootstrap import alone
from pbmserv.cli.config import load_settings
from pbmserv.store import backup
from pbmserv.store.backup import CannotBackUp
from pbmserv.store.engine import open_engine, writing
from pbmserv.store.schema import NEWEST, migrations_folder
from tests.cli.processes import running
from tests.cli.terminal import Terminal

OLD = "0004"


@pytest.fixture
def old(club: Terminal) -> Terminal:
    """A server's folder whose database is of an older program."""
    club.settings["PBMSERV_DATA"] = str(club.folder / "data")
    make_old(club)
    return club


def make_old(terminal: Terminal) -> None:
    """The database as a program of that schema had it."""
    config = Config()
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    engine = open_engine(f"sqlite:///{terminal.folder}/data/pbmserv.db")
    with writing(engine) as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, OLD)
    engine.dispose()


def told(file: Path, question: str = "SELECT version_num FROM alembic_version") -> object:
    """What a database tells."""
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(question).fetchone()[0]


def served(terminal: Terminal) -> str:
    """The log of a server that starts and is stopped."""
    with running(terminal.settings, terminal.folder, "serve") as server:
        server.wait_for("Press Ctrl-C to stop it.")
        assert server.stop() == 0
        return server.log


def copies(terminal: Terminal) -> list[str]:
    """The copies that there are, by their names."""
    return sorted(file.name for file in (terminal.folder / "data").glob("*before*"))


@pytest.mark.slow
def test_serve_keeps_the_database_as_it_was(old: Terminal) -> None:
    log = served(old)
    data = old.folder / "data"
    copy = data / f"before-{OLD}.db"
    assert f"updating the database; a copy from before is kept schema={OLD} file={copy}" in log
    assert f"{copy}: from before an update, of schema {OLD}; yours to delete" in log
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert (told(copy), told(data / "pbmserv.db")) == (OLD, NEWEST)
    moves = "SELECT count(*) FROM entries"
    assert told(copy, moves) == told(data / "pbmserv.db", moves) != 0
    again = served(old)
    assert "updating the database" not in again, "there is nothing more to be done"
    assert f"{copy}: from before an update, of schema {OLD}" in again
    assert copies(old) == [copy.name]


@pytest.mark.slow
def test_the_copy_can_be_brought_back(old: Terminal) -> None:
    served(old)
    data = old.folder / "data"
    for file in data.glob("pbmserv.db*"):
        file.rename(old.folder / file.name)
    old.succeed("admin", "restore", str(data / f"before-{OLD}.db"))
    assert "No differences." in old.succeed("admin", "check")


def test_migrate_keeps_it_too(old: Terminal) -> None:
    old.succeed("migrate")
    assert copies(old) == [f"before-{OLD}.db"]
    assert told(old.folder / "data" / "pbmserv.db") == NEWEST


def test_status_tells_where_the_copy_is(old: Terminal) -> None:
    """As long as it is there, and no longer; the clocks of a club do not wait for that."""
    old.succeed("migrate")
    copy = old.folder / "data" / f"before-{OLD}.db"

    def copies_told() -> list[dict[str, str]]:
        return [each for each in old.run("status", "--json").rows["findings"] if each["name"] == "copy"]

    (told_of,) = copies_told()
    assert (told_of["verdict"], told_of["schema"], told_of["file"]) == ("fine", OLD, str(copy))
    assert "delete it when you are content" in told_of["mend"]
    copy.unlink()
    assert copies_told() == []


def test_a_new_database_has_no_past(terminal: Terminal) -> None:
    terminal.succeed("migrate")
    assert copies(terminal) == []


def test_who_tries_again_does_not_fill_the_disk(old: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """A migration that fails each time leaves one copy; what was played on since gets one of its own."""

    def fails(*arguments: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as patch:
        patch.setattr("pbmserv.services.admin.check.renew", fails)
        for _ in range(3):
            with pytest.raises(sqlite3.OperationalError):
                old.run("migrate")
    assert copies(old) == [f"before-{OLD}.db"]
    first = (old.folder / "data" / f"before-{OLD}.db").read_bytes()
    with closing(sqlite3.connect(old.folder / "data" / "pbmserv.db")) as connection, connection:
        connection.execute("UPDATE players SET userid = 'Alice' WHERE userid = 'alice'")
    old.succeed("migrate")
    assert copies(old) == [f"before-{OLD}-2.db", f"before-{OLD}.db"]
    assert (old.folder / "data" / f"before-{OLD}.db").read_bytes() == first, "nothing is overwritten"
    assert told(old.folder / "data" / f"before-{OLD}-2.db", "SELECT max(userid = 'Alice') FROM players") == 1


def full(database: Path, part: Path) -> None:
    """What a full disk makes of a copy."""
    part.write_bytes(b"half")
    raise CannotBackUp(f"{database} could not be copied: database or disk is full")


def not_a_folder(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """The data folder is a file."""
    terminal.settings["PBMSERV_DATABASE"] = f"sqlite:///{terminal.folder}/data/pbmserv.db"
    terminal.settings["PBMSERV_DATA"] = str(terminal.folder / "file")
    (terminal.folder / "file").touch()


def no_room(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full."""
    monkeypatch.setattr(backup, "_vacuum_into", full)


@pytest.mark.parametrize(("hinder", "reason"), [(no_room, "disk is full"), (not_a_folder, "cannot be written")])
def test_without_a_copy_nothing_is_changed(
    old: Terminal,
    monkeypatch: pytest.MonkeyPatch,
    hinder: Callable[[Terminal, pytest.MonkeyPatch], None],
    reason: str,
) -> None:
    hinder(old, monkeypatch)
    done = old.run("serve")
    assert done.code == 75
    assert f"has schema {OLD} and is not updated, since it cannot be copied first" in done.err
    assert reason in done.err
    assert told(old.folder / "data" / "pbmserv.db") == OLD
    assert copies(old) == []
    assert [*old.folder.glob("**/*.part")] == []


def test_not_under_a_server_that_runs(old: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new program does not change the schema under an old one."""
    for name, value in old.settings.items():
        monkeypatch.setenv(name, value)
    with alone(load_settings({})):
        done = old.run("migrate")
    assert done.code == 78
    assert "another server, process " in done.err
    assert told(old.folder / "data" / "pbmserv.db") == OLD
    old.succeed("migrate")
