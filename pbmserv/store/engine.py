"""Opens the database, and tells its passing troubles from our own faults.

SQLite is opened for durability (WAL, synchronous=FULL), for secrets (secure_delete) and for honest locking: a
transaction that may write begins with BEGIN IMMEDIATE, one through `reading` with a plain BEGIN.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool

from pbmserv.store.turns import Turns

MOST_RACES: Final = 20
T = TypeVar("T")

IN_A_HURRY: Final = 8.0
"""Seconds that whoever has a client waiting waits for SQLite's lock: an MTA has to have its answer within ten."""

_PATIENCE = 30.0
_HURRY = "pbmserv_hurry"
_READING = "pbmserv_reading"
_TURNS = "pbmserv_turns"
_OF_ONE_STATEMENT = ("40", "54", "55", "57014", "58")
"""Rolled back, a limit exceeded, a lock not to be had, cancelled, a file that cannot be read: states of SQL."""

_OF_ONE_STATEMENT_OF_SQLITE = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_INTERRUPT)
_LOST_RACES = ("40001", "40P01", "55P03")
_READ_ONLY_TRANSACTION = "25006"

# A cable that is cut says nothing. Both ends ask a silent other end after 5 seconds and give it up after 11, where
# Linux by itself takes over two hours: so long the server would keep the locks of a host that has vanished, and a
# part would wait for the answer of a server that has.
_NOTICE_THE_SERVER_GONE = MappingProxyType(
    {
        "connect_timeout": 10,
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "tcp_user_timeout": 11_000,
    }
)
_NOTICE_THE_CLIENT_GONE = MappingProxyType(
    {
        "tcp_keepalives_idle": "5",
        "tcp_keepalives_interval": "2",
        "tcp_keepalives_count": "3",
        "tcp_user_timeout": "11000",
        # For what no probe finds out: a process that hangs, or a connection pool between us that lives on.
        "idle_in_transaction_session_timeout": "60000",
    }
)
# What was chosen for this program alone, in the URL or by ALTER ROLE or ALTER DATABASE, is left as it is.
_SET_FOR_US = ("client", "user", "database", "database user")


def open_engine(url: str) -> Engine:
    """An engine for a SQLAlchemy URL; nothing is connected yet. A SQLite file's folder is made.

    Its errors do not tell values: they end up in logs, and the values are mails with passwords in them.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return _open_postgresql(parsed)
    if parsed.database and parsed.database != ":memory:":
        Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(
        parsed,
        poolclass=QueuePool,
        pool_size=10,
        hide_parameters=True,
        execution_options={_TURNS: Turns()},
    )
    event.listen(engine, "connect", _configure_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _open_postgresql(url: URL) -> Engine:
    noticing = {name: value for name, value in _NOTICE_THE_SERVER_GONE.items() if name not in url.query}
    engine = create_engine(url, connect_args=noticing, pool_pre_ping=True, pool_size=10, hide_parameters=True)
    event.listen(engine, "connect", _configure_postgresql)
    return engine


def _configure_postgresql(connection: Any, record: Any) -> None:
    # Not as options of the connection: pools such as PgBouncer refuse those. In a transaction a rollback undid it.
    connection.autocommit = True
    connection.execute(
        "SELECT set_config(name, settings.value, false) FROM pg_settings"
        " JOIN unnest(%s::text[], %s::text[]) AS settings (name, value) USING (name)"
        " WHERE source <> ALL (%s::text[])",
        [[*_NOTICE_THE_CLIENT_GONE], [*_NOTICE_THE_CLIENT_GONE.values()], [*_SET_FOR_US]],
    )
    connection.autocommit = False


def _configure_sqlite(connection: Any, record: Any) -> None:
    # The driver's own BEGIN comes too late and is never IMMEDIATE; `_begin_sqlite` takes its place.
    connection.isolation_level = None
    connection.execute(_busy_timeout(IN_A_HURRY))
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute(_busy_timeout(_PATIENCE))


def _begin_sqlite(connection: Connection) -> None:
    options = connection.get_execution_options()
    if _HURRY not in options:
        connection.exec_driver_sql("BEGIN" if options.get(_READING, False) else "BEGIN IMMEDIATE")
        return
    connection.exec_driver_sql(_busy_timeout(options[_HURRY]))
    try:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    finally:
        connection.exec_driver_sql(_busy_timeout(_PATIENCE))


def _busy_timeout(seconds: float) -> str:
    return f"PRAGMA busy_timeout = {seconds * 1000:.0f}"


def locks_rows(engine: Engine) -> bool:
    """Whether a transaction locks rows and no more; SQLite locks the whole file."""
    return engine.dialect.name != "sqlite"


@contextmanager
def reading(engine: Engine, snapshot: bool = False) -> Iterator[Connection]:
    """A transaction that only reads and keeps nobody waiting; with `snapshot` all of it sees one moment."""
    level = {"isolation_level": "REPEATABLE READ"} if snapshot and engine.dialect.name != "sqlite" else {}
    with engine.connect().execution_options(**{_READING: True}, **level) as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine, patience: float = _PATIENCE) -> Iterator[Connection]:
    """A transaction that commits when the block ends, and leaves nothing behind when it raises.

    `patience` is how many seconds it waits for SQLite's lock.
    """
    turns: Turns | None = engine.get_execution_options().get(_TURNS)
    if turns is None:
        with engine.begin() as connection:
            yield connection
        return
    end = time.monotonic() + patience
    with turns.turn(patience), engine.connect() as connection:
        if patience != _PATIENCE:
            connection.execution_options(**{_HURRY: max(end - time.monotonic(), 0.0)})
        with connection.begin():
            yield connection


def forget_overwritten(engine: Engine) -> bool:
    """Empties SQLite's write-ahead log, in which secrets live on that are overwritten already.

    Waits for nobody: False when somebody is at work in the database, and it is to be tried again.
    """
    if engine.dialect.name != "sqlite":
        return True
    try:
        with closing(engine.raw_connection()) as connection, closing(connection.cursor()) as cursor:
            cursor.execute("PRAGMA busy_timeout = 0")
            try:
                is_busy, _, _ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            finally:
                cursor.execute(_busy_timeout(_PATIENCE))
    except (sqlite3.Error, SQLAlchemyError):
        # Whatever it is, whoever has something to write will meet it too, and tell.
        return False
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
    """Whether the database was away, full, busy or closed to writers: no fault of the mail or of our code."""
    if isinstance(error, OperationalError):
        # SQLite has no other kind of error for a statement that is wrong.
        return getattr(error.orig, "sqlite_errorcode", None) != sqlite3.SQLITE_ERROR
    if isinstance(error, DBAPIError):
        # A server that only reads is a standby whose turn has not come, or one that its operator has closed.
        return error.connection_invalidated or getattr(error.orig, "sqlstate", None) == _READ_ONLY_TRANSACTION
    return isinstance(error, PoolTimeout)


def is_about_one_statement(error: BaseException) -> bool:
    """Of trouble with the database: whether others may have none, as with a damaged page or a lock never got."""
    cause = getattr(error, "orig", None)
    if not isinstance(error, DBAPIError) or error.connection_invalidated:
        return False
    sqlite, postgresql = getattr(cause, "sqlite_errorcode", None), getattr(cause, "sqlstate", None)
    if sqlite is not None:
        # Extended codes tell more in their higher bytes.
        return sqlite & 0xFF in _OF_ONE_STATEMENT_OF_SQLITE
    return postgresql is not None and postgresql.startswith(_OF_ONE_STATEMENT)
