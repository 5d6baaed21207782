"""Opens the database, runs transactions, and distinguishes temporary database errors from bugs.

SQLite is set for durability (WAL, synchronous=FULL) and secrecy (secure_delete). A transaction that may write
begins with BEGIN IMMEDIATE, one by `reading` with a plain BEGIN. SQLite does not queue writers fairly, so a lock
of ours does. Nor does it notice that its file was moved, deleted or replaced, after which writes would be lost; so
we check.
"""

import sqlite3
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from threading import Event, Lock
from types import MappingProxyType
from typing import Any, Final, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool


class DatabaseFile:
    """The identity of a SQLite file when it was first opened; unused for databases in memory."""

    def __init__(self, name: str) -> None:
        self._path = Path(name).absolute() if name and name != ":memory:" else None
        self._opened: tuple[int, int] | None = None

    def note_opened(self, connection: Any, record: Any) -> None:
        """Called for each new connection; the first one records which file it is."""
        self._opened = self._opened or self._found()

    def require_unmoved(self) -> None:
        """Raises OperationalError if the file was replaced or is gone."""
        if self._found() != self._opened:
            why = f"{self._path} was moved, deleted or replaced; put it back, or start the server again"
            raise OperationalError("BEGIN", None, sqlite3.OperationalError(why))

    def _found(self) -> tuple[int, int] | None:
        try:
            about = None if self._path is None else self._path.stat()
        except OSError:
            return None
        return None if about is None else (about.st_dev, about.st_ino)


class FairLock:
    """A lock for the threads of one process: first come, first served."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: deque[Event] = deque()
        self._is_taken = False

    @contextmanager
    def hold(self, timeout: float) -> Iterator[None]:
        """Holds the lock during the block; after `patience` seconds goes on without one."""
        has_turn = self._take(timeout)
        try:
            yield
        finally:
            if has_turn:
                self._pass_on()

    def _take(self, timeout: float) -> bool:
        with self._lock:
            if not self._is_taken:
                self._is_taken = True
                return True
            called = Event()
            self._waiting.append(called)
        if called.wait(timeout):
            return True
        with self._lock:
            if called.is_set():
                return True
            self._waiting.remove(called)
            return False

    def _pass_on(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._is_taken = False


MOST_ATTEMPTS: Final = 20
T = TypeVar("T")

SHORT_TIMEOUT: Final = 8.0
"""Seconds to wait for SQLite's lock while a client waits: an MTA must have its reply within ten."""

_LOCK_TIMEOUT = 30.0
_QUICK_TRIES, _PAUSE = 100, 0.0005
_TIMEOUT = "pbmserv_hurry"
_READING = "pbmserv_reading"
_REHEARSING = "pbmserv_rehearsing"
_WRITE_LOCK = "pbmserv_turns"
_OF_ONE_STATEMENT = ("40", "54", "55", "57014", "58")
"""SQLSTATEs: rolled back, limit exceeded, lock not available, cancelled, unreadable file."""

_DAMAGES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_OF_ONE_STATEMENT_OF_SQLITE = (
    *(sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_INTERRUPT),
    sqlite3.SQLITE_CORRUPT,
)
_LOST_RACES = ("40001", "40P01", "55P03")
_READ_ONLY_TRANSACTION = "25006"

# A cut cable gives no sign. Both ends probe a silent peer after 5 seconds and give up after 11. Linux alone takes
# over two hours. Meanwhile the server would keep the locks of a vanished host, and a part would wait for a server
# that has vanished.
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
        # For what no probe detects: a hanging process, or a connection pool in between that lives on.
        "idle_in_transaction_session_timeout": "60000",
    }
)
# Settings made for this program in the URL, by ALTER ROLE or by ALTER DATABASE are left alone.
_SET_FOR_US = ("client", "user", "database", "database user")


def open_engine(url: str) -> Engine:
    """An engine for a SQLAlchemy URL, not yet connected. Creates a SQLite file's folder.

    Its errors contain no parameters: they are logged, and parameters may be mails with passwords.
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
        connect_args={"cached_statements": 500},
        execution_options={_WRITE_LOCK: FairLock()},
    )
    file = DatabaseFile(parsed.database or "")
    event.listen(engine, "connect", _configure_sqlite)
    event.listen(engine, "connect", file.note_opened)
    event.listen(engine, "begin", partial(_begin_sqlite, file))
    return engine


def _open_postgresql(url: URL) -> Engine:
    noticing = {name: value for name, value in _NOTICE_THE_SERVER_GONE.items() if name not in url.query}
    engine = create_engine(url, connect_args=noticing, pool_pre_ping=True, pool_size=10, hide_parameters=True)
    event.listen(engine, "connect", _configure_postgresql)
    event.listen(engine, "do_executemany", _execute_last_alone)
    return engine


def _execute_last_alone(cursor: Any, statement: str, parameters: Sequence[Any], context: Any) -> bool:
    """Executes a statement for many rows, the last by itself.

    The driver sends the others in a pipeline, after which PostgreSQL 15 never times out an idle transaction: a
    process that hangs there would keep its locks for ever.
    """
    if parameters[:-1]:
        cursor.executemany(statement, parameters[:-1])
    cursor.execute(statement, parameters[-1])
    return True


def _configure_postgresql(connection: Any, record: Any) -> None:
    # Not as connection options, which pools such as PgBouncer refuse. In a transaction a rollback would undo it.
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
    connection.execute(_busy_timeout(SHORT_TIMEOUT))
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute(_busy_timeout(_LOCK_TIMEOUT))


def _begin_sqlite(file: DatabaseFile, connection: Connection) -> None:
    file.require_unmoved()
    options = connection.get_execution_options()
    if options.get(_READING, False):
        connection.exec_driver_sql("BEGIN")
        return
    driver = connection.connection.driver_connection
    assert driver is not None
    driver.execute(_busy_timeout(0))
    try:
        if not _begins_soon(driver):
            driver.execute(_busy_timeout(options.get(_TIMEOUT, _LOCK_TIMEOUT)))
            connection.exec_driver_sql("BEGIN IMMEDIATE")
    finally:
        driver.execute(_busy_timeout(_LOCK_TIMEOUT))


def _begins_soon(driver: Any) -> bool:
    """Tries for some 50 ms to begin a writing transaction. SQLite's own busy handler waits longer after each try,
    so latecomers would be served first."""
    for _ in range(_QUICK_TRIES):
        try:
            driver.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                return False
            time.sleep(_PAUSE)
        else:
            return True
    return False


def _busy_timeout(seconds: float) -> str:
    return f"PRAGMA busy_timeout = {seconds * 1000:.0f}"


def locks_rows(engine: Engine) -> bool:
    """Whether the database locks single rows; SQLite locks the whole file."""
    return engine.dialect.name != "sqlite"


@contextmanager
def reading(engine: Engine, snapshot: bool = False) -> Iterator[Connection]:
    """A read-only transaction that blocks nobody; with `snapshot` all its queries see the same state."""
    level = {"isolation_level": "REPEATABLE READ"} if snapshot and engine.dialect.name != "sqlite" else {}
    with engine.connect().execution_options(**{_READING: True}, **level) as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine, timeout: float = _LOCK_TIMEOUT) -> Iterator[Connection]:
    """A transaction that commits when the block ends, and is rolled back if it raises.

    `timeout` is how many seconds it waits for SQLite's lock.
    """
    write_lock: FairLock | None = engine.get_execution_options().get(_WRITE_LOCK)
    end = time.monotonic() + timeout
    with write_lock.hold(timeout) if write_lock else nullcontext(), engine.connect() as connection:
        if write_lock and timeout != _LOCK_TIMEOUT:
            connection.execution_options(**{_TIMEOUT: max(end - time.monotonic(), 0.0)})
        with connection.begin() as transaction:
            yield connection
            if connection.get_execution_options().get(_REHEARSING):
                transaction.rollback()


def rehearsing(engine: Engine) -> Engine:
    """The same engine, but every transaction is rolled back."""
    return engine.execution_options(**{_REHEARSING: True})


def truncate_wal(engine: Engine) -> bool:
    """Truncates SQLite's write-ahead log, which still holds secrets that were overwritten in the database.

    Does not wait: returns False if the database is in use.
    """
    if engine.dialect.name != "sqlite":
        return True
    try:
        with closing(engine.raw_connection()) as connection, closing(connection.cursor()) as cursor:
            cursor.execute("PRAGMA busy_timeout = 0")
            try:
                is_busy, _, _ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            finally:
                cursor.execute(_busy_timeout(_LOCK_TIMEOUT))
    except (sqlite3.Error, SQLAlchemyError):
        # Whatever it is, the next writer will run into it too, and report it.
        return False
    return not is_busy


def run_again(run: Callable[[], T], also: type[Exception] | tuple[type[Exception], ...] = ()) -> T:
    """Runs a transaction, up to MOST_ATTEMPTS times: retries if it loses a race or raises `also`."""
    for _ in range(MOST_ATTEMPTS - 1):
        try:
            return run()
        except Exception as error:
            if not is_lost_race(error) and not isinstance(error, also):
                raise
    return run()


def is_lost_race(error: BaseException) -> bool:
    """Whether to retry a transaction at once, after a conflict or a deadlock."""
    if isinstance(error, IntegrityError):
        return True
    return isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", None) in _LOST_RACES


def is_database_trouble(error: BaseException) -> bool:
    """Whether the database was away, full, busy, read-only or damaged: no fault of the mail or of our code."""
    if is_damage(error):
        return True
    if isinstance(error, OperationalError):
        # SQLite reports a wrong statement by this error too.
        return getattr(error.orig, "sqlite_errorcode", None) != sqlite3.SQLITE_ERROR
    if isinstance(error, DBAPIError):
        # A read-only server is a standby that was not promoted yet, or one that its operator has closed.
        return error.connection_invalidated or getattr(error.orig, "sqlstate", None) == _READ_ONLY_TRANSACTION
    return isinstance(error, PoolTimeout)


def is_damage(error: BaseException) -> bool:
    """Whether a file is a damaged SQLite database or none at all, so that waiting does not help."""
    code = getattr(getattr(error, "orig", None), "sqlite_errorcode", None)
    # Extended codes tell more in their higher bytes.
    return code is not None and code & 0xFF in _DAMAGES


def is_database_away(error: BaseException) -> bool:
    """Whether an exception means that the whole database is in trouble, and not just one statement."""
    return is_database_trouble(error) and not _is_about_one_statement(error)


def _is_about_one_statement(error: BaseException) -> bool:
    """Whether a database error concerns only this statement, such as a damaged page or a lock timeout."""
    cause = getattr(error, "orig", None)
    if not isinstance(error, DBAPIError) or error.connection_invalidated:
        return False
    sqlite, postgresql = getattr(cause, "sqlite_errorcode", None), getattr(cause, "sqlstate", None)
    if sqlite is not None:
        return sqlite & 0xFF in _OF_ONE_STATEMENT_OF_SQLITE
    return postgresql is not None and postgresql.startswith(_OF_ONE_STATEMENT)


def first_line(error: BaseException) -> str:
    """The first line of the driver's message, which contains no statement and no value."""
    return (str(getattr(error, "orig", None) or error) or type(error).__name__).partition("\n")[0]


def cause_of(error: BaseException) -> str:
    """What to log of an error: the driver's message for database trouble, else only its class, since its message
    may quote a mail."""
    has_words = isinstance(error, OperationalError) or is_database_trouble(error)
    return first_line(error) if has_words else type(error).__name__


_STATE_OF_SQLITE: Final = "PRAGMA data_version"
_STATE_OF_POSTGRESQL: Final = "SELECT CAST(txid_current_snapshot() AS text)"
"""Changes with each commit of another connection, and is cheap to query."""


class CommitWatch:
    """Tells whether anything was committed since the last call. For one thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._statement = _STATE_OF_SQLITE if engine.dialect.name == "sqlite" else _STATE_OF_POSTGRESQL
        self._connection: Any = None
        self._seen: object = None

    def has_news(self) -> bool:
        """Whether there may be new commits; True as well if the database cannot tell."""
        before = self._seen
        try:
            self._seen = self._state()
        except Exception:  # of either driver, or of SQLAlchemy; the caller's next query meets and reports it
            self.close()
            return True
        return self._seen != before

    def close(self) -> None:
        """Closes the connection. The next call opens another, and returns True."""
        connection, self._connection, self._seen = self._connection, None, None
        if connection is not None:
            with suppress(Exception):
                connection.close()

    def _state(self) -> object:
        if self._connection is None:
            # Not the pool's any longer: its transactions would hide what others commit.
            fairy = self._engine.raw_connection()
            self._connection = fairy.driver_connection
            fairy.detach()
            if self._engine.dialect.name != "sqlite":
                self._connection.autocommit = True
        with closing(self._connection.cursor()) as cursor:
            return cursor.execute(self._statement).fetchone()


def trace(error: BaseException) -> str:
    """The traceback of an exception without values, which may contain secrets."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    return "\n".join([*lines, cause_of(error)])
