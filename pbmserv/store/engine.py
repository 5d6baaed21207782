"""Opens the database, and tells its passing troubles from our own faults.

SQLite is opened for durability (WAL, synchronous=FULL), for secrets (secure_delete) and for honest locking: a
transaction that may write begins with BEGIN IMMEDIATE, one through `reading` with a plain BEGIN.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool

MOST_RACES: Final = 20
T = TypeVar("T")

_PATIENCE = 30.0
_READING = "pbmserv_reading"
_LOST_RACES = ("40001", "40P01", "55P03")


def open_engine(url: str) -> Engine:
    """An engine for a SQLAlchemy URL; nothing is connected yet. A SQLite file's folder is made.

    Its errors do not tell values: they end up in logs, and the values are mails with passwords in them.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return create_engine(parsed, pool_pre_ping=True, pool_size=10, hide_parameters=True)
    if parsed.database and parsed.database != ":memory:":
        Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(
        parsed, connect_args={"timeout": _PATIENCE}, poolclass=QueuePool, pool_size=10, hide_parameters=True
    )
    event.listen(engine, "connect", _configure_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _configure_sqlite(connection: Any, record: Any) -> None:
    # The driver's own BEGIN comes too late and is never IMMEDIATE; `_begin_sqlite` takes its place.
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    reading = connection.get_execution_options().get(_READING, False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


@contextmanager
def reading(engine: Engine, snapshot: bool = False) -> Iterator[Connection]:
    """A transaction that only reads and keeps nobody waiting; with `snapshot` all of it sees one moment."""
    level = {"isolation_level": "REPEATABLE READ"} if snapshot and engine.dialect.name != "sqlite" else {}
    with engine.connect().execution_options(**{_READING: True}, **level) as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that commits when the block ends, and leaves nothing behind when it raises."""
    with engine.begin() as connection:
        yield connection


def forget_overwritten(engine: Engine) -> bool:
    """Empties SQLite's write-ahead log, in which secrets live on that are overwritten already.

    Waits for nobody: False when somebody is at work in the database, and it is to be tried again.
    """
    if engine.dialect.name != "sqlite":
        return True
    connection = engine.raw_connection()
    cursor = connection.cursor()
    try:
        cursor.execute("PRAGMA busy_timeout = 0")
        is_busy, _, _ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.OperationalError:
        is_busy = True
    finally:
        cursor.execute(f"PRAGMA busy_timeout = {_PATIENCE * 1000:.0f}")
        connection.close()
    return not is_busy


def run_again(run: Callable[[], T], also: type[Exception] | tuple[type[Exception], ...] = ()) -> T:
    """Runs a whole transaction, again and again where a race is lost or it raises `also`; MOST_RACES at most."""
    for _ in range(MOST_RACES - 1):
        try:
            return run()
        except Exception as error:
            if not is_lost_race(error) and not isinstance(error, also):
                raise
    return run()


def is_lost_race(error: BaseException) -> bool:
    """Whether to run the same transaction again at once: another one was quicker, or two waited for each other."""
    if isinstance(error, IntegrityError):
        return True
    return isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", None) in _LOST_RACES


def is_database_trouble(error: BaseException) -> bool:
    """Whether the database was away, full or busy: no fault of the mail or of the code that handled it."""
    if isinstance(error, OperationalError):
        # SQLite has no other kind of error for a statement that is wrong.
        return getattr(error.orig, "sqlite_errorcode", None) != sqlite3.SQLITE_ERROR
    return isinstance(error, PoolTimeout) or (isinstance(error, DBAPIError) and error.connection_invalidated)
