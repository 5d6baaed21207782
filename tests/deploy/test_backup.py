"""Backups: taken while the server plays, whole and of one moment; brought back elsewhere, the club plays on."""

import errno
import itertools
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from smtplib import SMTP
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, create_engine, func, make_url, select, text
from sqlalchemy.exc import OperationalError

from pbmserv.services.app import App
from pbmserv.store import backup as backups
from pbmserv.store.engine import open_engine, reading, writing
from pbmserv.store.schema import migrations_folder
from pbmserv.store.tables import entries, inbox, outbox
from tests.bench.club import PLIES, Board, Club, address, move_mail
from tests.cli.processes import PATIENCE, is_alive, running, wait_for
from tests.cli.terminal import Terminal
from tests.cli.usage import usage_of
from tests.conftest import ADDRESS
from tests.free_port import free_port

WORD = "Xy7zzy-Q"
FIRST, MOVES = 6, 24


@pytest.fixture(params=["sqlite", "postgresql"])
def new_database(request: pytest.FixtureRequest, terminal: Terminal) -> Callable[[], str]:
    """Gives the URL of a database that is not there yet, or empty, of either kind."""
    names = (f"copy{number}" for number in itertools.count())
    if request.param == "sqlite":
        return lambda: f"sqlite:///{terminal.folder}/{next(names)}/pbmserv.db"
    server = request.getfixturevalue("postgresql_server")

    def make() -> str:
        name = f"{next(names)}_{terminal.folder.name}"
        engine = create_engine(server, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(f'CREATE DATABASE "{name}"'))
        engine.dispose()
        return make_url(server).set(database=name).render_as_string(hide_password=False)

    return make


@pytest.fixture
def server(terminal: Terminal, new_database: Callable[[], str]) -> Terminal:
    """A server's folder, on a database with its schema."""
    terminal.settings |= {
        "PBMSERV_ADDRESS": ADDRESS,
        "PBMSERV_VARIANTS": "true",
        "PBMSERV_CONFIRM": "from",
        "PBMSERV_DATABASE": new_database(),
        "PBMSERV_DATA": str(terminal.folder / "data"),
        "PBMSERV_LISTEN": f"smtp://127.0.0.1:{free_port()}",
        "PBMSERV_WEB": "",
    }
    terminal.succeed("migrate")
    return terminal


@contextmanager
def looked_into(terminal: Terminal) -> Iterator[App]:
    """The house on the database that the settings name."""
    house = terminal.post().house
    yield house
    house.engine.dispose()


def sign_up_alice(terminal: Terminal) -> None:
    """Somebody, so that there is something."""
    post = terminal.post()
    post.people(alice="sesame")
    post.house.engine.dispose()


def send_all(terminal: Terminal, mails: Sequence[tuple[bytes, str]]) -> None:
    """Brings the server mails and their senders, in order; it must take each."""
    port = int(terminal.settings["PBMSERV_LISTEN"].rpartition(":")[2])
    for raw, sender in mails:
        with SMTP("127.0.0.1", port, "client.test", timeout=PATIENCE) as link:
            link.sendmail(sender, [ADDRESS], raw)


def send_in_turn(terminal: Terminal, house: App, mails: Sequence[tuple[bytes, str]]) -> None:
    """The same, each once the one before it is handled, as people do who answer what they were sent."""
    for mail in mails:
        send_all(terminal, [mail])
        wait_for(lambda: not waiting(house))


def log_of(house: App) -> dict[int, list[tuple[Any, ...]]]:
    """The log of each board."""
    query = select(entries.c.match, entries.c.seq, entries.c.kind, entries.c.seat, entries.c.text)
    found: dict[int, list[tuple[Any, ...]]] = {}
    with reading(house.engine) as connection:
        for row in connection.execute(query.order_by(entries.c.match, entries.c.seq)):
            found.setdefault(row.match, []).append(tuple(row)[1:])
    return found


def waiting(house: App) -> int:
    """How many mails are not handled yet."""
    with reading(house.engine) as connection:
        return connection.execute(select(func.count()).where(inbox.c.status == "waiting")).scalar_one()


def handled(house: App) -> int:
    """How many mails were obeyed."""
    with reading(house.engine) as connection:
        query = select(func.count()).select_from(inbox).where(inbox.c.status == "handled")
        return connection.execute(query).scalar_one()


def moves_of(boards: list[Board]) -> Iterator[tuple[Board, int]]:
    """Moves by turns on all boards."""
    for ply in itertools.count(PLIES + 1):
        for board in boards:
            yield board, ply


@pytest.mark.slow
def test_a_club_moves_house_while_it_plays(server: Terminal, new_database: Callable[[], str]) -> None:
    with looked_into(server) as house:
        club = Club(house, pairs=2)
        boards = [club.open_board() for _ in range(4)]
        mails = [
            (move_mail(house, board, ply), address(board.mover(ply)))
            for board, ply in itertools.islice(moves_of(boards), MOVES + len(boards))
        ]
        begun = log_of(house)

        with running(server.settings, server.folder, "serve") as process:
            process.wait_for("Press Ctrl-C to stop it.")
            send_in_turn(server, house, mails[:FIRST])
            wait_for(lambda: handled(house) == FIRST)
            players = threading.Thread(target=send_in_turn, args=(server, house, mails[FIRST:MOVES]))
            with reading(house.engine) as long_reader:
                # Whoever reads for long keeps SQLite from moving what is new out of its write-ahead log.
                long_reader.execute(select(inbox.c.id)).all()
                players.start()
                wait_for(lambda: handled(house) > FIRST)
                said = server.succeed("admin", "backup", "backup")
            seen = handled(house)
            players.join(PATIENCE)
            wait_for(lambda: handled(house) == MOVES)
            family = [each.pid for each in usage_of(process.process.pid)]
            process.process.kill()
            # The next server, with a folder of data of its own, does not wait for them.
            wait_for(lambda: not any(is_alive(pid) for pid in family))
        last = log_of(house)

    backup = server.folder / "backup"
    assert f"Backed up into backup, {backup.stat().st_size:,} bytes." in said
    assert backup.stat().st_mode & 0o777 == 0o600
    server.settings |= {"PBMSERV_DATABASE": new_database(), "PBMSERV_DATA": str(server.folder / "elsewhere")}
    assert server.succeed("admin", "restore", "backup") == "Restored from backup: 4 boards, no differences.\n"
    assert server.succeed("admin", "check") == "No differences.\n"

    with looked_into(server) as house:
        back = log_of(house)
        played = sum(len(back[number]) - len(begun[number]) for number in back)
        assert FIRST < played == handled(house) <= seen, "mails, moves and boards are of one moment"
        for number, log in back.items():
            assert log == last[number][: len(log)]
        # Whoever's mail is not in the backup sends it again; what is in it is a second copy.
        with running(server.settings, server.folder, "serve") as process:
            process.wait_for("Press Ctrl-C to stop it.")
            send_in_turn(server, house, mails)
            assert handled(house) == len(mails)
            assert process.stop() == 0
        assert {number: log[: len(last[number])] for number, log in log_of(house).items()} == last
    assert server.succeed("admin", "check") == "No differences.\n"


def test_all_of_it_comes_back(server: Terminal, new_database: Callable[[], str]) -> None:
    """Table by table, and what is written next has a number of its own."""
    post = server.post()
    post.people(alice="sesame", bob="poppy")
    post.mail("alice@example.org", "challenge alice bob -size=3x3")
    tables = [inbox, outbox, entries]

    def content(house: App) -> list[Any]:
        with reading(house.engine) as connection:
            return [connection.execute(select(table)).all() for table in tables]

    before = content(post.house)
    post.house.engine.dispose()
    server.succeed("admin", "backup", "backup")
    server.settings["PBMSERV_DATABASE"] = new_database()
    server.succeed("admin", "restore", "backup")
    post = server.post()
    assert content(post.house) == before
    assert len(post.mail("bob@example.org", "signup rob sesame")) == 1
    assert len(post.mail("alice@example.org", "challenge alice bob")) == 2
    post.house.engine.dispose()


def test_nothing_is_overwritten(server: Terminal) -> None:
    """Neither a file by a backup nor a database by a restore."""
    sign_up_alice(server)
    server.succeed("admin", "backup", "backup")
    before = (server.folder / "backup").read_bytes()
    done = server.run("admin", "backup", "backup")
    assert (done.code, done.sentence) == (1, "pbmserv: backup is there already; a backup overwrites nothing")
    assert (server.folder / "backup").read_bytes() == before
    done = server.run("admin", "backup", "nowhere/backup")
    assert done.code == 1
    assert done.sentence == "pbmserv: nowhere/backup cannot be written: No such file or directory"
    done = server.run("admin", "restore", "backup")
    assert done.code == 1
    assert "already; stop the server" in done.sentence or "into an empty database" in done.sentence
    assert "alice" in server.succeed("admin", "players")
    assert [file for file in server.folder.iterdir() if ".part" in file.name] == []


def test_what_is_no_backup_of_ours(terminal: Terminal, new_database: Callable[[], str]) -> None:
    """One sentence, and nothing is begun; of a newer program's backup too."""
    terminal.settings["PBMSERV_DATABASE"] = new_database()
    terminal.succeed("migrate")
    with looked_into(terminal) as house, writing(house.engine) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    terminal.succeed("admin", "backup", "newer")
    with looked_into(terminal) as house, writing(house.engine) as connection:
        connection.execute(text("DELETE FROM alembic_version"))
    done = terminal.run("admin", "backup", "others")
    assert done.code == 1
    assert "is no database of pbmserv" in done.sentence

    terminal.settings["PBMSERV_DATABASE"] = new_database()
    for number, content in enumerate((b"", b"hello", b"SQLite format 3\0" + b"x" * 5000, b"PGDMP\1\16")):
        (terminal.folder / f"{number}").write_bytes(content)
    for name, told in (
        *((f"{number}", f"{number} is ") for number in range(2)),
        *((f"{number}", "") for number in (2, 3)),
        ("newer", "newer has schema 9999, which this program does not know"),
        ("nowhere", "nowhere cannot be read: No such file or directory"),
    ):
        done = terminal.run("admin", "restore", name)
        assert done.code == 1
        assert told in done.sentence
    assert terminal.run("admin", "players").code == 75


def test_an_older_backup_is_brought_up_to_date(terminal: Terminal, new_database: Callable[[], str]) -> None:
    """One that was taken before the program was renewed, and before `pbmserv migrate`."""
    terminal.settings["PBMSERV_DATABASE"] = new_database()
    engine = open_engine(terminal.settings["PBMSERV_DATABASE"])
    config = Config()
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    with writing(engine) as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
    engine.dispose()
    terminal.succeed("admin", "backup", "backup")
    terminal.settings["PBMSERV_DATABASE"] = new_database()
    terminal.succeed("admin", "restore", "backup")
    assert terminal.succeed("admin", "players") == "No players.\n"


@pytest.mark.parametrize("new_database", ["postgresql"], indirect=True)
def test_one_that_cannot_be_brought_up_to_date_tells_what_to_run(
    server: Terminal, new_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On PostgreSQL, where it is in place by then."""
    sign_up_alice(server)
    server.succeed("admin", "backup", "backup")
    server.settings["PBMSERV_DATABASE"] = new_database()

    def cut_off(engine: Engine) -> None:
        raise OperationalError("", {}, Exception("cut off"))

    with monkeypatch.context() as patched:
        patched.setattr(backups, "migrate", cut_off)
        done = server.run("admin", "restore", "backup")
    assert done.code == 1
    assert "is restored, but its schema could not be brought up to date: cut off; run `pbmserv mig" in done.err
    server.succeed("migrate")
    assert server.succeed("admin", "check") == "No differences.\n"
    assert "alice" in server.succeed("admin", "players")


def test_a_restored_database_needs_no_log_beside_it(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a migration has written is in the file, or there is none: here somebody keeps it in the log."""
    terminal.succeed("migrate")
    terminal.succeed("admin", "backup", "backup")
    terminal.settings["PBMSERV_DATA"] = "elsewhere"
    readers: list[sqlite3.Connection] = []

    def migrate_while_somebody_reads(engine: Engine) -> None:
        assert engine.url.database is not None
        readers.append(sqlite3.connect(engine.url.database, isolation_level=None))
        readers[0].execute("BEGIN")
        readers[0].execute("SELECT * FROM alembic_version").fetchall()
        with writing(engine) as connection:
            connection.execute(text("CREATE TABLE newest (id INTEGER)"))

    monkeypatch.setattr(backups, "migrate", migrate_while_somebody_reads)
    done = terminal.run("admin", "restore", "backup")
    readers[0].close()
    assert done.code == 1
    assert "the new database's log could not be emptied" in done.err
    assert list((terminal.folder / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("has_links", [True, False])
def test_a_file_that_is_made_meanwhile_is_not_overwritten(
    has_links: bool, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: Any, **__: Any) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    if not has_links:
        monkeypatch.setattr(os, "link", no_links)
    terminal.succeed("migrate")
    url = f"sqlite:///{terminal.folder}/data/pbmserv.db"
    file = terminal.folder / "backup"
    exists = Path.exists
    with monkeypatch.context() as patched:
        patched.setattr(Path, "exists", lambda path: path != file and exists(path))
        backups.back_up(url, file)
        before = file.read_bytes()
        assert file.stat().st_mode & 0o777 == 0o600
        file.write_bytes(b"another's")
        with pytest.raises(backups.CannotBackUp, match="File exists"):
            backups.back_up(url, file)
    assert before.startswith(b"SQLite")
    assert file.read_bytes() == b"another's"
    assert [left.name for left in terminal.folder.iterdir() if ".part" in left.name] == []


def test_a_log_that_was_left_behind_is_not_played(terminal: Terminal) -> None:
    """SQLite would take it for the restored database's."""
    terminal.succeed("migrate")
    terminal.succeed("admin", "backup", "backup")
    database = terminal.folder / "data" / "pbmserv.db"
    database.unlink()
    left = Path(f"{database}-wal")
    left.write_bytes(b"")
    done = terminal.run("admin", "restore", "backup")
    assert done.code == 1
    assert f"{left} is there already" in done.sentence
    left.unlink()
    terminal.succeed("admin", "restore", "backup")
    assert database.stat().st_mode & 0o777 == 0o600


def test_a_damaged_backup(terminal: Terminal) -> None:
    terminal.succeed("migrate")
    sign_up_alice(terminal)
    terminal.succeed("admin", "backup", "backup")
    backup = terminal.folder / "backup"
    whole = backup.read_bytes()
    backup.write_bytes(whole[:8192] + os.urandom(len(whole) - 8192))
    terminal.settings["PBMSERV_DATA"] = "elsewhere"
    done = terminal.run("admin", "restore", "backup")
    assert done.code == 1
    assert "backup is damaged" in done.sentence
    assert list((terminal.folder / "elsewhere").iterdir()) == []


def test_no_database_no_backup(terminal: Terminal) -> None:
    done = terminal.run("admin", "backup", "backup")
    assert done.code == 1
    assert "there is no database" in done.sentence
    assert list(terminal.folder.iterdir()) == []


@pytest.fixture
def on_postgresql(
    terminal: Terminal, new_postgresql: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> Terminal:
    """A server whose machine has none of PostgreSQL's programs."""
    terminal.settings |= {"PBMSERV_DATABASE": new_postgresql(), "PBMSERV_DATABASE_PASSWORD": WORD}
    terminal.succeed("migrate")
    (terminal.folder / "bin").mkdir()
    monkeypatch.setenv("PATH", str(terminal.folder / "bin"))
    return terminal


@pytest.mark.slow
def test_the_password_is_on_no_command_line(on_postgresql: Terminal) -> None:
    """It goes by the environment, and into no sentence."""
    program = on_postgresql.folder / "bin" / "pg_dump"
    note = 'echo "$*" > words; echo "$PGPASSWORD" > secret; echo "pg_dump: error: no luck" >&2; exit 1'
    program.write_text(f"#!/bin/sh\n{note}\n")
    program.chmod(0o755)
    before = set(on_postgresql.folder.iterdir())
    done = on_postgresql.run("admin", "backup", "backup")
    assert (done.code, done.sentence) == (1, "pbmserv: pg_dump has failed: pg_dump: error: no luck")
    words, secret = on_postgresql.folder / "words", on_postgresql.folder / "secret"
    assert secret.read_text() == f"{WORD}\n"
    assert WORD not in words.read_text()
    assert " --dbname=postgresql://postgres@/postgres?host=" in words.read_text()
    assert set(on_postgresql.folder.iterdir()) - before == {words, secret}, "no part of a backup is left"


def test_without_postgresqls_programs_one_sentence(on_postgresql: Terminal) -> None:
    done = on_postgresql.run("admin", "backup", "backup")
    assert done.code == 1
    assert "pg_dump is not installed here" in done.sentence
