"""Backs up a whole database while it is in use, and restores it where no database exists yet.

SQLite is copied by `VACUUM INTO` (a snapshot without freed pages, while writers go on), PostgreSQL by pg_dump and
pg_restore. A backup is written under a temporary name, synced and renamed, so it is complete or absent, and it
never replaces another file. A folder of backups keeps the newest few.
"""

import errno
import filecmp
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sqlalchemy import URL, Engine, inspect, make_url
from sqlalchemy.exc import SQLAlchemyError

from pbmserv.store.engine import first_line, open_engine, truncate_wal
from pbmserv.store.schema import OtherSchema, knows_version, migrate, stored_version
from pbmserv.store.tables import metadata

BESIDE_SQLITE: Final = ("-wal", "-shm", "-journal")
"""Suffixes of the files that SQLite keeps beside a database."""

_HAS_NO_LINKS: Final = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EACCES)


@contextmanager
def appearing(file: Path) -> Iterator[Path]:
    """Yields a temporary file beside it, mode 0600; syncs and renames it when the block succeeds."""
    with part_of(file) as part:
        yield part
        finish_file(part, file)


@contextmanager
def part_of(file: Path) -> Iterator[Path]:
    """Yields a temporary file beside it, mode 0600, which is deleted when the block ends."""
    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".part", dir=file.parent)
    os.close(descriptor)
    part = Path(name)
    try:
        yield part
    finally:
        for left in (part, *(Path(f"{part}{ending}") for ending in BESIDE_SQLITE)):
            with suppress(FileNotFoundError):
                left.unlink()


def finish_file(part: Path, file: Path) -> None:
    """Renames a finished file durably. Raises FileExistsError if the name is taken."""
    _sync(part)
    _become(part, file)
    _sync(file.parent)


def _become(part: Path, file: Path) -> None:
    """Renames a file. Raises FileExistsError if the name is taken, even since a moment ago."""
    try:
        file.hardlink_to(part)
    except OSError as error:
        if error.errno not in _HAS_NO_LINKS:
            raise
        os.close(os.open(file, os.O_CREAT | os.O_EXCL, 0o600))  # the name is ours then
        part.replace(file)
    else:
        part.unlink()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


TABLES: Final = (*(table.name for table in metadata.sorted_tables), "alembic_version")

_SQLITE_BEGINS: Final = b"SQLite format 3\0"
_DUMP_BEGINS: Final = b"PGDMP"


class CannotBackUp(Exception):
    """A backup or a restore failed; the message is one sentence.

    Nothing has changed, unless the message says so.
    """


def back_up(url: str, file: Path) -> None:
    """Writes a snapshot of a database to a new file, mode 0600 and synced to the disk.

    The file is complete or absent; an existing file is never replaced. Works for any schema version. Raises
    CannotBackUp.
    """
    parsed = make_url(url)
    if file.exists():
        raise CannotBackUp(f"{file} is there already; a backup overwrites nothing")
    try:
        with appearing(file) as part:
            if parsed.get_backend_name() == "sqlite":
                _vacuum_into(Path(parsed.database or ""), part)
            else:
                _dump(parsed, part)
    except OSError as error:
        raise CannotBackUp(f"{file} cannot be written: {error.strerror}") from error


def back_up_aside(url: str, file: Path) -> Path:
    """Backs up a SQLite database to `file`, or to that name with a number if it is taken; returns the file.

    If one of these files has the same content already, it is returned instead, so that repeated tries do not
    fill the disk. Raises CannotBackUp.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with part_of(file) as part:
            _vacuum_into(Path(make_url(url).database or ""), part)
            number = 1
            while (place := file if number == 1 else file.with_stem(f"{file.stem}-{number}")).exists():
                if filecmp.cmp(part, place, shallow=False):
                    return place
                number += 1
            finish_file(part, place)
            return place
    except OSError as error:
        raise CannotBackUp(f"{file} cannot be written: {error.strerror}") from error


def restore(url: str, file: Path) -> None:
    """Restores a backup into a database that does not exist yet, and migrates its schema.

    Raises CannotBackUp, after undoing what was begun. On PostgreSQL a failed migration leaves the restored
    content, and the message says what to run.
    """
    parsed = make_url(url)
    is_sqlite = parsed.get_backend_name() == "sqlite"
    try:
        with file.open("rb") as opened:
            begins = opened.read(len(_SQLITE_BEGINS))
    except OSError as error:
        raise CannotBackUp(f"{file} cannot be read: {error.strerror}") from error
    if not begins.startswith(_SQLITE_BEGINS if is_sqlite else _DUMP_BEGINS):
        raise CannotBackUp(f"{file} is no backup of a {'SQLite' if is_sqlite else 'PostgreSQL'} database")
    if is_sqlite:
        _restore_sqlite(Path(parsed.database or ""), file)
    else:
        _restore_postgresql(parsed, file)


def _vacuum_into(database: Path, part: Path) -> None:
    if not database.exists():
        raise CannotBackUp(f"there is no database {database}: start in the server's folder, or set PBMSERV_DATA")
    engine = open_engine(f"sqlite:///{database}")
    try:
        if stored_version(engine) is None:
            raise CannotBackUp(f"{database} is no database of pbmserv")
        with closing(engine.raw_connection()) as connection:
            connection.cursor().execute("VACUUM INTO ?", (str(part),))
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise CannotBackUp(f"{database} could not be copied: {first_line(error)}") from error
    finally:
        engine.dispose()


def _restore_sqlite(database: Path, file: Path) -> None:
    # A write-ahead log that was left behind would be played into the restored database.
    for found in (database, *(Path(f"{database}{ending}") for ending in BESIDE_SQLITE)):
        if found.exists():
            raise CannotBackUp(f"{found} is there already; stop the server and move it away first")
    try:
        database.parent.mkdir(parents=True, exist_ok=True)
        with appearing(database) as part:
            shutil.copyfile(file, part)
            _bring_up_to_date(open_engine(f"sqlite:///{part}"), file)
    except OSError as error:
        raise CannotBackUp(f"{database} cannot be written: {error.strerror}") from error


def _bring_up_to_date(engine: Engine, file: Path) -> None:
    try:
        with closing(engine.raw_connection()) as connection:
            (found,) = connection.cursor().execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            raise CannotBackUp(f"{file} is damaged: {found}")
        _require_known(stored_version(engine), file)
        migrate(engine)
        # The log beside the file does not go with it. It is emptied at closing, which does not tell if it fails.
        if not truncate_wal(engine):
            raise CannotBackUp(f"{file} could not be restored: the new database's log could not be emptied")
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise CannotBackUp(f"{file} is damaged: {first_line(error)}") from error
    finally:
        engine.dispose()


def _dump(url: URL, part: Path) -> None:
    engine = open_engine(url.render_as_string(hide_password=False))
    try:
        if stored_version(engine) is None:
            raise CannotBackUp(f"{_plain(url)} is no database of pbmserv")
        # Those that are there, not those that this program knows: an older schema may have others.
        tables = [f'--table="{name}"' for name in inspect(engine).get_table_names()]
    except SQLAlchemyError as error:
        raise CannotBackUp(f"{_plain(url)} could not be copied: {first_line(error)}") from error
    finally:
        engine.dispose()
    _run(url, "pg_dump", "--format=custom", "--strict-names", *tables, f"--file={part}", f"--dbname={_plain(url)}")


def _restore_postgresql(url: URL, file: Path) -> None:
    engine = open_engine(url.render_as_string(hide_password=False))
    try:
        there = set(inspect(engine).get_table_names()) & set(TABLES)
        if there:
            raise CannotBackUp(f"{_plain(url)} holds a table {min(there)} already; restore into an empty database")
        rows = _run(url, "pg_restore", "--data-only", "--table=alembic_version", "--file=-", str(file))
        found = re.search(r"^COPY \S*?alembic_version .*\n(.+)\n", rows, re.MULTILINE)
        _require_known(found[1] if found else None, file)
        whole = ("--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges")
        _run(url, "pg_restore", *whole, f"--dbname={_plain(url)}", str(file))
        _migrate_restored(engine)
    except (SQLAlchemyError, OtherSchema) as error:
        raise CannotBackUp(f"{_plain(url)} could not be restored: {first_line(error)}") from error
    finally:
        engine.dispose()


def _migrate_restored(engine: Engine) -> None:
    try:
        migrate(engine)
    except (SQLAlchemyError, OtherSchema) as error:
        raise CannotBackUp(
            f"{_plain(engine.url)} is restored, but its schema could not be brought up to date: "
            f"{first_line(error)}; run `pbmserv migrate` and then `pbmserv admin check`"
        ) from error


def _require_known(version: str | None, file: Path) -> None:
    if version is None:
        raise CannotBackUp(f"{file} is no backup of pbmserv")
    if not knows_version(version):
        raise CannotBackUp(f"{file} has schema {version}, which this program does not know: take a newer one")


def _run(url: URL, program: str, *arguments: str) -> str:
    """Runs a PostgreSQL program; the password is passed in the environment, which other users cannot read."""
    command = [program, *arguments]
    if program == "pg_dump" or any(argument.startswith("--dbname=") for argument in arguments):
        command.insert(1, "--no-password")
    password = {"PGPASSWORD": str(url.password)} if url.password else {}
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program, and no shell that could take a name for a command
            command, env={**os.environ, **password, "LC_ALL": "C"}, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise CannotBackUp(
            f"{program} is not installed here: install PostgreSQL's client programs of the server's version"
        ) from None
    if done.returncode:
        raise CannotBackUp(f"{program} has failed: {(done.stderr.strip().splitlines() or ['without a word'])[0]}")
    return done.stdout


def _plain(url: URL) -> str:
    """The URL without the password, as PostgreSQL's programs take it."""
    shown = URL.create("postgresql", url.username, None, url.host, url.port, url.database, url.query)
    head, mark, query = shown.render_as_string().partition("?")
    return head + mark + query.replace("+", "%20")


_OURS: Final = re.compile(r"pbmserv-\d{8}T\d{6}Z\.(?:db|dump)", re.ASCII)


def back_up_into(url: str, folder: Path, now: datetime, keep: int) -> tuple[Path, list[Path]]:
    """Writes a backup into a folder and deletes the oldest beyond `keep`; returns the new file and those deleted.

    Only files named like such a backup are deleted, and only once the new one is on the disk. The new one stays,
    even if a wrong clock has given others later names. Raises CannotBackUp; then there is no new file, unless the
    message says so.
    """
    if not folder.is_dir():
        raise CannotBackUp(f"{folder} is no folder: make it first, readable for this user alone")
    ending = "db" if make_url(url).get_backend_name() == "sqlite" else "dump"
    new = folder / f"pbmserv-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}.{ending}"
    back_up(url, new)
    try:
        others = sorted(
            (file for file in folder.iterdir() if _OURS.fullmatch(file.name) and _is_another(file, new)),
            key=lambda file: file.name,
        )
        gone = others[: max(len(others) - (keep - 1), 0)]
        for file in gone:
            file.unlink()
    except OSError as error:
        raise CannotBackUp(
            f"{new} is made, but an older one in its folder could not be removed: {error.strerror}"
        ) from error
    return new, gone


def _is_another(file: Path, new: Path) -> bool:
    return file != new and file.is_file() and not file.is_symlink()
