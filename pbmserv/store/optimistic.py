"""Deciding on SQLite without its write lock, which all processes share.

A transaction reads from a snapshot and keeps its writes back. Later, under the write lock, each of its queries is
executed once more. If all of them give the same rows as before, it would decide the same again, so its writes are
executed; otherwise it has lost a race and is run again. This check can miss nothing that was read, not even rows
that were not there: no table needs a version, and no command has to name what it depends on.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from pbmserv.store.engine import reading
from pbmserv.store.recording import Reads, Recording, RecordingConnection


@contextmanager
def recording(engine: Engine) -> Iterator[tuple[Connection, Recording]]:
    """A transaction on a SQLite snapshot, and what it reads and would write; nothing is written.

    Asking for the effect of a write raises NeedsLock: how many rows it has changed, what it returns, and any query
    of the same table.
    """
    with reading(engine) as connection:
        driver = _driver(connection)
        driver.recording = found = Recording()
        try:
            yield connection, found
        finally:
            driver.recording = None


def write_if_unchanged(connection: Connection, recorded: Recording) -> bool:
    """Executes the writes of a recording in a writing transaction, all or none.

    False, and nothing written, if a query of it gives other rows now, or a write violates a constraint. Raises
    OperationalError.
    """
    if not still_holds(connection, recorded.reads):
        return False
    with _checked(connection) as cursor:
        cursor.execute("SAVEPOINT decided")
        try:
            for write in recorded.writes:
                execute = cursor.executemany if isinstance(write.parameters, list) else cursor.execute
                execute(write.sql, write.parameters)
        except sqlite3.IntegrityError:
            cursor.execute("ROLLBACK TO decided")
            return False
        finally:
            cursor.execute("RELEASE decided")
    return True


def still_holds(connection: Connection, reads: Reads) -> bool:
    """Whether queries made on a snapshot give the same rows in this transaction. Raises OperationalError."""
    with _checked(connection) as cursor:
        return all(cursor.execute(*query).fetchall() == rows for query, rows in reads.items())


@contextmanager
def _checked(connection: Connection) -> Iterator[sqlite3.Cursor]:
    """The driver's cursor, with its errors as SQLAlchemy would raise them."""
    try:
        yield _driver(connection).cursor()
    except sqlite3.Error as error:
        # SQLite may have rolled back the whole transaction: what was written before is not to be committed either.
        raise OperationalError("a decision on a snapshot", None, error) from error


def _driver(connection: Connection) -> RecordingConnection:
    return cast(RecordingConnection, connection.connection.dbapi_connection)
