"""Copies a whole database into an empty one of either kind, row by row.

One transaction reads the source and one writes the target, so a failed or killed copy leaves the target empty. A
SQLite target is filled under a temporary name and renamed at the end.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Connection,
    Engine,
    LargeBinary,
    String,
    Table,
    func,
    insert,
    inspect,
    literal_column,
    make_url,
    select,
    table,
)
from sqlalchemy.exc import SQLAlchemyError

from pbmserv.store.backup import BESIDE_SQLITE, appearing
from pbmserv.store.engine import first_line, open_engine, reading, truncate_wal
from pbmserv.store.schema import migrate_in
from pbmserv.store.tables import heartbeats, metadata

ALIVE_WITHIN: Final = timedelta(minutes=2, seconds=30)
"""Parts record a heartbeat each minute; one that has not for this long is stopped."""

ROWS_AT_ONCE: Final = 1000
MAILS_AT_ONCE: Final = 20
"""Rows that are in memory together. One with bytes may be a mail of some megabytes."""

Progress = Callable[[str, int, int], None]
"""Called with the table, the rows copied so far in all tables, and the rows in total."""


class CannotCopy(Exception):
    """Nothing was copied, and the target is as empty as it was; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What was copied."""

    rows: Mapping[str, int]
    """How many rows each table has, in both databases."""

    mended: int
    """Texts in which a `?` replaced a NUL, which SQLite allows and PostgreSQL does not."""


def copy_all(source: Engine, target: str, progress: Progress = lambda table, done, of: None) -> Copied:
    """Copies a snapshot into an empty database, whose URL includes its password.

    The source must be at the newest schema. Raises CannotCopy.
    """
    url = make_url(target)
    try:
        with _empty_target(target) as there, reading(source, snapshot=True) as here:
            copied = _copy_rows(here, there, progress)
            _require_quiet(source, here)
    except ImportError as error:
        raise CannotCopy(f"{error}; pip install --require-hashes -r deploy/requirements.lock") from error
    except OSError as error:
        raise CannotCopy(f"{url.database} cannot be written: {error.strerror or error}") from error
    except (SQLAlchemyError, sqlite3.Error) as error:
        place = url.render_as_string(hide_password=True)
        raise CannotCopy(f"the copy into {place} has failed: {first_line(error)}") from error
    return copied


def is_in_use(file: Path) -> bool:
    """Whether another process has a SQLite database open, even an idle one. Raises CannotCopy."""
    with closing(sqlite3.connect(file, timeout=0)) as connection:
        try:
            # Every connection to a database with a write-ahead log keeps a shared lock, which this one excludes.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("SELECT count(*) FROM alembic_version").fetchall()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                return True
            raise CannotCopy(f"{file} cannot be opened: {first_line(error)}") from error
    return False


def alive_parts(engine: Engine, now: datetime) -> Sequence[tuple[str, datetime]]:
    """The parts of servers alive within ALIVE_WITHIN: name and last heartbeat."""
    with reading(engine) as connection:
        query = select(heartbeats.c.part, heartbeats.c.at).where(heartbeats.c.at > now - ALIVE_WITHIN)
        return [(row.part, row.at) for row in connection.execute(query.order_by(heartbeats.c.part))]


@contextmanager
def _empty_target(target: str) -> Iterator[Connection]:
    """A transaction in a database with empty tables; commits if the block succeeds."""
    url = make_url(target)
    if url.get_backend_name() != "sqlite":
        with _transaction(target) as connection:
            yield connection
        return
    file = Path(url.database or "")
    for found in (file, *(Path(f"{file}{ending}") for ending in BESIDE_SQLITE)):
        if found.exists():
            raise CannotCopy(f"{found} is there already; copy into a database that is not there yet")
    file.parent.mkdir(parents=True, exist_ok=True)
    with appearing(file) as part:
        with _transaction(f"sqlite:///{part}") as connection:
            yield connection
        engine = open_engine(f"sqlite:///{part}")
        try:
            # The log beside the file does not go with it.
            if not truncate_wal(engine):
                raise CannotCopy(f"{file} could not be written: the new database's log could not be emptied")
        finally:
            engine.dispose()


@contextmanager
def _transaction(target: str) -> Iterator[Connection]:
    engine = open_engine(target)
    try:
        with engine.begin() as connection:
            if there := inspect(connection).get_table_names():
                place = engine.url.render_as_string(hide_password=True)
                raise CannotCopy(f"{place} holds a table {min(there)} already; copy into an empty database")
            migrate_in(connection)
            yield connection
    finally:
        engine.dispose()


def _copy_rows(here: Connection, there: Connection, progress: Progress) -> Copied:
    rows = {each.name: _count(here, each) for each in metadata.sorted_tables}
    total, done, mended = sum(rows.values()), 0, 0
    for each in metadata.sorted_tables:
        progress(each.name, done, total)
        for batch in _batches(here, each):
            mended += _fit(each, batch) if _refuses_nul(there) else 0
            there.execute(insert(each), batch)
            done += len(batch)
            progress(each.name, done, total)
        if (found := _count(there, each)) != rows[each.name]:
            raise CannotCopy(f"of {rows[each.name]} rows of {each.name} {found} have arrived")
        _go_on_counting(here, there, each)
    return Copied(rows, mended)


def _batches(here: Connection, each: Table) -> Iterator[list[dict[str, Any]]]:
    has_bytes = any(isinstance(column.type, LargeBinary) for column in each.c)
    size = MAILS_AT_ONCE if has_bytes else ROWS_AT_ONCE
    with here.execute(select(each), execution_options={"yield_per": size}) as found:
        for part in found.mappings().partitions():
            yield [dict(row) for row in part]


def _count(connection: Connection, each: Table) -> int:
    return connection.execute(select(func.count()).select_from(each)).scalar_one()


def _refuses_nul(connection: Connection) -> bool:
    return connection.dialect.name != "sqlite"


def _fit(each: Table, rows: list[dict[str, Any]]) -> int:
    """Replaces each NUL by `?`, as `services.receive` does; returns the number of texts changed. Refuses texts too
    long for their column, which SQLite allows.
    """
    mended = 0
    for column in each.c:
        if not isinstance(column.type, String):
            continue
        most = column.type.length
        for row in rows:
            text = row[column.name]
            if text is None:
                continue
            if "\0" in text:
                row[column.name] = text.replace("\0", "?")
                mended += 1
            if most is not None and len(text) > most:
                keys = ", ".join(str(row[key.name]) for key in each.primary_key if key is not column)
                raise CannotCopy(
                    f"{each.name}.{column.name} has {len(text)} characters in the row {keys or '?'}, "
                    f"and PostgreSQL takes {most}"
                )
    return mended


def _go_on_counting(here: Connection, there: Connection, each: Table) -> None:
    """Sets PostgreSQL's sequences so that new rows get ids that no row had in the source."""
    column = each.autoincrement_column
    if column is None or there.dialect.name == "sqlite":
        return
    (newest,) = there.execute(select(func.max(column))).one()
    given = [newest or 0]
    if here.dialect.name != "sqlite":
        last = literal_column("last_value", BigInteger)
        counter = (
            select(last).select_from(table(_sequence(here, each))).where(literal_column("is_called", Boolean))
        )
        given.append(here.scalar(counter) or 0)
    if max(given):
        there.execute(select(func.setval(_sequence(there, each), max(given))))


def _sequence(connection: Connection, each: Table) -> str:
    """The name of the sequence that numbers a table's rows, without its schema: it is the first on the path."""
    column = each.autoincrement_column
    assert column is not None
    name = connection.scalar(select(func.pg_get_serial_sequence(each.name, column.name)))
    assert isinstance(name, str)
    return name.rpartition(".")[2].strip('"')


def _require_quiet(source: Engine, here: Connection) -> None:
    """Raises CannotCopy if a part of a server was alive meanwhile: what it wrote is not in the copy."""
    beats = select(heartbeats.c.part, heartbeats.c.at)
    with reading(source) as now:
        woke = {row.part for row in set(now.execute(beats)) - set(here.execute(beats))}
    if woke:
        raise CannotCopy(f"a server is running on the database ({', '.join(sorted(woke))}): stop it first")
