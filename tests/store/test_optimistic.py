"""What a transaction on a SQLite snapshot may ask, and what becomes of its writes."""

from sqlite3 import OperationalError as DriverError

import pytest
from sqlalchemy import Connection, func, insert, select, text, update
from sqlalchemy.exc import OperationalError

from pbmserv.services.app import App
from pbmserv.store.engine import reading, writing
from pbmserv.store.optimistic import recording, write_if_unchanged
from pbmserv.store.recording import DeferredWrite, NeedsLock
from pbmserv.store.tables import heartbeats, recounts
from tests.conftest import NOON


def count(connection: Connection) -> int:
    """How many recounts there are."""
    return connection.execute(select(func.count()).select_from(recounts)).scalar_one()


def rows(house: App) -> int:
    """The same as everybody sees it."""
    with reading(house.engine) as connection:
        return count(connection)


ADD = insert(recounts).values(pool="cephalopod", at=NOON, match=101)


def test_a_write_waits_for_the_lock(sqlite_house: App) -> None:
    """And is done then, if what was read is still so; a second time it is not."""
    with recording(sqlite_house.engine) as (connection, recorded):
        assert count(connection) == 0
        connection.execute(ADD)
    assert rows(sqlite_house) == 0
    with writing(sqlite_house.engine) as connection:
        assert write_if_unchanged(connection, recorded)
    with writing(sqlite_house.engine) as connection:
        assert not write_if_unchanged(connection, recorded)
    assert rows(sqlite_house) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT OR IGNORE INTO recounts SELECT 'x', 101, '2026-01-01' WHERE 1",
        "REPLACE INTO recounts SELECT 'x', 101, '2026-01-01' WHERE 1",
        "WITH one AS (SELECT 1) DELETE FROM recounts",
        "DELETE FROM recounts RETURNING pool",
        "PRAGMA user_version = 7",
    ],
)
def test_what_cannot_be_put_off_is_refused(sqlite_house: App, statement: str) -> None:
    """Nothing of it is done meanwhile."""
    with writing(sqlite_house.engine) as connection:
        connection.execute(ADD)
    with pytest.raises(NeedsLock), recording(sqlite_house.engine) as (connection, _):
        connection.execute(text(statement))
    assert rows(sqlite_house) == 1


def test_nobody_asks_what_a_write_has_done(sqlite_house: App) -> None:
    """Neither by a query of its table nor by the number of its rows; other tables may be asked."""
    with recording(sqlite_house.engine) as (connection, _):
        changed = connection.execute(update(recounts).values(match=102))
        connection.execute(select(heartbeats))
        with pytest.raises(NeedsLock):
            count(connection)
        with pytest.raises(NeedsLock):
            bool(changed.rowcount)


def test_a_fault_lets_nothing_be_committed(sqlite_house: App) -> None:
    """SQLite may have rolled back all that came before it."""
    with recording(sqlite_house.engine) as (connection, recorded):
        connection.execute(ADD)
    recorded.writes.append(DeferredWrite("INSERT INTO nowhere VALUES (1)", ()))
    with pytest.raises(OperationalError) as caught, writing(sqlite_house.engine) as connection:
        write_if_unchanged(connection, recorded)
    assert isinstance(caught.value.orig, DriverError)
    assert rows(sqlite_house) == 0
