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
from sqlalchemy.exc import IntegrityError

from pbmserv.store.engine import reading
from pbmserv.store.recording import Recording, RecordingConnection


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

    False, and nothing written, if a query of it gives other rows now, or a write violates a constraint.
    """
    try:
        cursor = _driver(connection).cursor()
        for (sql, parameters), rows in recorded.reads.items():
            if cursor.execute(sql, parameters).fetchall() != rows:
                return False
    except sqlite3.Error:
        # Run again under the lock, it meets the same error, where it is told from a fault of the mail.
        return False
    try:
        with connection.begin_nested():
            for write in recorded.writes:
                connection.exec_driver_sql(write.sql, write.parameters)
    except IntegrityError:
        return False
    return True


def _driver(connection: Connection) -> RecordingConnection:
    return cast(RecordingConnection, connection.connection.dbapi_connection)
