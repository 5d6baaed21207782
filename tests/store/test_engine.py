"""How databases are opened, how transactions begin and end, and which trouble is whose."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, MetaData, Table, insert, select, text
from sqlalchemy.exc import (
    DataError,
    IntegrityError,
    OperationalError,
    ProgrammingError,
    SQLAlchemyError,
    StatementError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout

from pbmserv.services.app import App
from pbmserv.store.engine import (
    is_database_trouble,
    is_lost_race,
    open_engine,
    reading,
    truncate_wal,
    writing,
)
from pbmserv.store.tables import players

NOON = datetime(2026, 1, 1, 12, 0, 0, 123456, tzinfo=UTC)
PLAYER = {"userid": "alice", "userid_lower": "alice", "password_hash": "secret!", "created_at": NOON}


def player_names(engine: Engine) -> list[str]:
    """Who is in the table."""
    with reading(engine) as connection:
        return [*connection.execute(select(players.c.userid)).scalars()]


@pytest.fixture
def rival(sqlite_house: App) -> Iterator[sqlite3.Connection]:
    """Another process at the same SQLite file, that does not wait for locks."""
    file = sqlite_house.engine.url.database
    assert file is not None
    connection = sqlite3.connect(file, timeout=0, isolation_level=None)
    yield connection
    connection.close()


def test_pragmas_hold_on_every_connection(sqlite_house: App) -> None:
    wanted = {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1, "foreign_keys": 1}
    with sqlite_house.engine.connect() as first, sqlite_house.engine.connect() as second:
        for connection in (first, second):
            found = {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in wanted}
            assert found == wanted
            connection.rollback()


def test_writing_takes_the_lock_at_once(sqlite_house: App, rival: sqlite3.Connection) -> None:
    with writing(sqlite_house.engine), pytest.raises(sqlite3.OperationalError, match="locked"):
        rival.execute("BEGIN IMMEDIATE")
    rival.execute("BEGIN IMMEDIATE")


def test_whoever_is_in_a_hurry_does_not_wait_for_long(sqlite_house: App, rival: sqlite3.Connection) -> None:
    """And the connection is as patient as before when the next one has it."""
    rival.execute("BEGIN IMMEDIATE")
    with pytest.raises(OperationalError, match="locked"), writing(sqlite_house.engine, 0.1):
        pass
    rival.execute("COMMIT")
    with writing(sqlite_house.engine, 0.1) as connection:
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar_one() == 30_000


def test_waiting_for_a_turn_and_for_the_lock_are_one_wait(
    sqlite_house: App, rival: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left of it when the turn has come is waited for the lock, if a few quick tries do not get it."""
    asked = list[float]()

    def note(seconds: float) -> str:
        asked.append(seconds)
        return "PRAGMA busy_timeout = 0"

    moments = iter([0.0, 3.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(moments))
    monkeypatch.setattr("pbmserv.store.engine._busy_timeout", note)
    rival.execute("BEGIN IMMEDIATE")
    with pytest.raises(OperationalError, match="locked"), writing(sqlite_house.engine, 8.0):
        pass
    # Of one that is opened, then the quick tries, then the wait; the next one has all its patience again.
    assert asked[-3:] == [0, 5.0, 30.0]


def test_reading_keeps_nobody_waiting(sqlite_house: App, rival: sqlite3.Connection) -> None:
    rival.execute("BEGIN IMMEDIATE")
    columns = "userid, userid_lower, password_hash, created_at"
    rival.execute(f"INSERT INTO players ({columns}) VALUES ('bob', 'bob', '', '2026-01-01')")
    assert player_names(sqlite_house.engine) == []
    rival.execute("COMMIT")
    with reading(sqlite_house.engine) as connection:
        assert connection.execute(select(players.c.userid)).scalar_one() == "bob"
        rival.execute("BEGIN IMMEDIATE")
        rival.execute("DELETE FROM players")
        rival.execute("COMMIT")
        assert connection.execute(select(players.c.userid)).scalar_one() == "bob"


def test_the_write_ahead_log_is_emptied_when_nobody_works(sqlite_house: App, rival: sqlite3.Connection) -> None:
    engine = sqlite_house.engine
    log = Path(f"{engine.url.database}-wal")
    rival.execute("BEGIN")
    rival.execute("SELECT * FROM players").fetchall()
    with writing(engine) as connection:
        connection.execute(insert(players).values(PLAYER))
    assert not truncate_wal(engine)
    assert log.stat().st_size > 0
    rival.execute("COMMIT")
    rival.execute("BEGIN EXCLUSIVE")
    assert not truncate_wal(engine)
    rival.execute("COMMIT")
    assert truncate_wal(engine)
    assert log.stat().st_size == 0
    assert player_names(engine) == ["alice"]
    with reading(engine) as connection:
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar_one() == 30_000


def test_a_database_that_cannot_be_opened_is_no_reason_to_end(tmp_path: Path) -> None:
    """Whoever has something to write will tell."""
    engine = open_engine(f"sqlite:///{tmp_path / 'x.db'}")
    tmp_path.joinpath("x.db").mkdir()
    assert not truncate_wal(engine)


def test_postgresql_has_no_such_log(postgresql_house: App) -> None:
    assert truncate_wal(postgresql_house.engine)


def test_a_snapshot_sees_one_moment(house: App) -> None:
    with reading(house.engine, snapshot=True) as connection:
        assert connection.execute(select(players.c.userid)).all() == []
        with writing(house.engine) as other:
            other.execute(insert(players).values(PLAYER))
        assert connection.execute(select(players.c.userid)).all() == []
    assert player_names(house.engine) == ["alice"]


def test_what_raises_leaves_nothing(house: App) -> None:
    def write_and_fail(connection: Connection) -> None:
        connection.execute(insert(players).values(PLAYER))
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError), writing(house.engine) as connection:
        write_and_fail(connection)
    assert player_names(house.engine) == []


def test_errors_do_not_tell_values(house: App) -> None:
    """The text of an error gets into logs; the values are mails, with passwords in them."""

    def break_uniqueness() -> None:
        with writing(house.engine) as connection:
            connection.execute(insert(players).values(PLAYER))
            connection.execute(insert(players).values(PLAYER))

    with pytest.raises(IntegrityError) as raised:
        break_uniqueness()
    assert is_lost_race(raised.value)
    assert not is_database_trouble(raised.value)
    assert "secret!" not in str(raised.value)
    assert "secret!" not in repr(raised.value)


def test_foreign_keys_are_kept(house: App) -> None:
    def write() -> None:
        with writing(house.engine) as connection:
            connection.execute(
                text("INSERT INTO addresses (address, player_id, is_first) VALUES ('a@b.test', 999, :first)"),
                {"first": True},
            )

    with pytest.raises(IntegrityError):
        write()


def test_a_folder_is_made_for_the_file(tmp_path: object) -> None:
    engine = open_engine(f"sqlite:///{tmp_path}/new/deep/x.db")
    with writing(engine) as connection:
        connection.execute(text("CREATE TABLE t (x)"))
    engine.dispose()


@pytest.mark.parametrize(
    "url",
    ["postgresql+psycopg://nobody@127.0.0.1:1/nothing?connect_timeout=5", "sqlite:////proc/self/status/x.db"],
)
def test_a_database_that_is_away(url: str) -> None:
    with pytest.raises((SQLAlchemyError, OSError)) as raised, reading(open_engine(url)):
        pass
    error = raised.value
    assert isinstance(error, OSError) or (is_database_trouble(error) and not is_lost_race(error))


def test_a_locked_sqlite_file_is_trouble(sqlite_house: App, rival: sqlite3.Connection) -> None:
    with sqlite_house.engine.connect().execution_options(pbmserv_reading=True) as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 0")
    rival.execute("BEGIN EXCLUSIVE")
    with pytest.raises(OperationalError) as raised, writing(sqlite_house.engine):
        pass
    assert is_database_trouble(raised.value)
    assert not is_lost_race(raised.value)


def test_waiting_in_vain_for_a_connection_is_trouble() -> None:
    """More parts than connections are no fault of the mail that is in hand."""
    assert is_database_trouble(PoolTimeout())


def test_a_fault_of_ours_is_no_trouble(house: App) -> None:
    nowhere = Table("nowhere", MetaData())
    with pytest.raises((ProgrammingError, OperationalError)) as raised, reading(house.engine) as connection:
        connection.execute(select(text("*")).select_from(nowhere))
    assert not is_database_trouble(raised.value)
    assert not is_database_trouble(ValueError())
    assert not is_lost_race(ValueError())


def test_nul_is_no_trouble_of_the_database(postgresql_house: App) -> None:
    """PostgreSQL takes no NUL in a text: such a value must never come so far, and would be our fault."""
    with pytest.raises(DataError) as raised, reading(postgresql_house.engine) as connection:
        connection.execute(select(players.c.id).where(players.c.userid == "a\0b"))
    assert not is_database_trouble(raised.value)


def test_a_deadlock_is_a_lost_race(postgresql_house: App) -> None:
    """Two transactions that wait for each other: PostgreSQL ends one, which is to be run again."""
    engine = postgresql_house.engine
    with writing(engine) as connection:
        connection.execute(insert(players).values(PLAYER))
        connection.execute(insert(players).values(PLAYER | {"userid": "bob", "userid_lower": "bob"}))
    met, errors = threading.Barrier(2, timeout=30), list[BaseException]()

    def lock(*userids: str) -> None:
        query = select(players.c.id).with_for_update()
        try:
            with writing(engine) as connection:
                connection.execute(query.where(players.c.userid == userids[0]))
                met.wait()
                connection.execute(query.where(players.c.userid == userids[1]))
        except OperationalError as error:
            errors.append(error)

    both = [threading.Thread(target=lock, args=order) for order in (("alice", "bob"), ("bob", "alice"))]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join(30)
    assert [is_lost_race(error) for error in errors] == [True]


MOMENTS = [
    NOON,
    datetime(2026, 7, 1, 0, 30, tzinfo=timezone(timedelta(hours=-11))),
    datetime(1999, 12, 31, 23, 59, 59, 999999, tzinfo=timezone(timedelta(hours=5, minutes=45))),
]


@pytest.mark.parametrize("moment", MOMENTS)
def test_moments_come_back_as_utc(house: App, moment: datetime) -> None:
    with writing(house.engine) as connection:
        connection.execute(insert(players).values(PLAYER | {"created_at": moment}))
        found = connection.execute(select(players.c.created_at)).scalar_one()
        assert connection.execute(select(players.c.id).where(players.c.created_at == moment)).all()
        later = moment + timedelta(microseconds=1)
        assert not connection.execute(select(players.c.id).where(players.c.created_at >= later)).all()
    assert found == moment
    assert found.tzinfo is UTC or found.utcoffset() == timedelta(0)


def test_a_time_without_a_zone_is_refused(house: App) -> None:
    naive = datetime(2026, 1, 1)  # noqa: DTZ001
    with pytest.raises(StatementError, match="without a zone"), writing(house.engine) as connection:
        connection.execute(insert(players).values(PLAYER | {"created_at": naive}))
