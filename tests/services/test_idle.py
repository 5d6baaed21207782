"""What a server does while there is nothing to do: how often its parts look, by a clock that tests move."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import event, update

from pbmserv.mail.sending.transport import Delivered, Outcome, Outgoing
from pbmserv.server import parts, robots
from pbmserv.server.parts import Part, sending, working
from pbmserv.server.robots import SPARE_SHARE, playing
from pbmserv.services.app import App
from pbmserv.services.deliver import Sender
from pbmserv.services.failures import set_back
from pbmserv.services.receive import receive_mail
from pbmserv.services.robots import play_robots
from pbmserv.services.teaching import find_puzzle
from pbmserv.services.views import list_outbox
from pbmserv.services.worker import seconds_until_due
from pbmserv.store import clocks as stored_clocks
from pbmserv.store.engine import CommitWatch, reading, writing
from pbmserv.store.tables import clocks, outbox
from tests.mail.one_by_one import OneByOne
from tests.services.post import Post

MINUTE = 60.0
ALICE = "alice@example.org"


class Nights:
    """A clock and a bell in one: whoever waits for the bell moves the clock, and nobody rings it."""

    def __init__(self, end: float = MINUTE, at: Callable[[float], None] = lambda now: None) -> None:
        self.now, self.thought, self._end, self._at = 0.0, 0.0, end, at
        self.stop = threading.Event()

    def monotonic(self) -> float:
        """Seconds since the beginning."""
        return self.now

    def thread_time(self) -> float:
        """Seconds of thinking."""
        return self.thought

    def wait(self, timeout: float | None = None) -> bool:
        """Time passes."""
        assert timeout is not None
        assert timeout > 0
        self.now += timeout
        self._at(self.now)
        if self.now >= self._end:
            self.stop.set()
        return False

    def set(self) -> None:
        """Nobody needs to be woken."""

    def clear(self) -> None:
        """There is nothing to forget."""


@contextmanager
def counted(house: App) -> Iterator[list[str]]:
    """The statements that are run meanwhile."""
    found: list[str] = []

    def note(connection: object, cursor: object, statement: str, *rest: object) -> None:
        found.append(statement)

    event.listen(house.engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(house.engine, "before_cursor_execute", note)


class Way(OneByOne):
    """A relay that takes everything."""

    def outcome_of(self, mail: Outgoing) -> Outcome:
        """It is taken."""
        return Delivered()


def one_worker(post: Post, folder: Path, night: Nights) -> Part:
    return working(post.house, folder, night, night)


def one_sender(post: Post, folder: Path, night: Nights) -> Part:
    return sending(post.house, Way, night)


@pytest.mark.parametrize("make", [one_worker, one_sender])
def test_an_idle_minute(
    post: Post, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Post, Path, Nights], Part]
) -> None:
    """Seven looks: nothing comes, and no bell is rung. There were 600."""
    post.people(alice="sesame")
    with closing(Sender(post.house, Way, post.clock)) as sender:
        sender.send_due()
    night = Nights()
    monkeypatch.setattr(parts, "time", night)
    with counted(post.house) as statements:
        make(post, tmp_path, night)(night.stop)
    looks = sum(" outbox" in each or " inbox" in each for each in statements)
    assert 7 <= looks <= 8 * 5, statements


def test_an_idle_minute_of_robots(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a look at what waits they ask what has come, and do not count the puzzles of each game."""
    play_robots(post.house, post.clock())
    night = Nights()
    monkeypatch.setattr(parts, "time", night)
    monkeypatch.setattr(robots, "time", night)
    monkeypatch.setattr(robots, "threading", SimpleNamespace(Event=lambda: night))
    with counted(post.house) as statements:
        playing(post.house)(night.stop)
    assert len(statements) <= 8 * 15
    with counted(post.house) as statements:
        find_puzzle(post.house, post.clock())
    assert len(statements) <= 5


def test_spare_time_is_a_small_share(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thought of a tenth of a second is followed by a minute of rest, though there is more to think about; what
    people wait for is looked after all the while."""
    urgent: list[float] = []
    spare: list[float] = []
    night = Nights(3 * MINUTE)

    def look(app: App, now: datetime) -> bool:
        urgent.append(night.now)
        return False

    def think(app: App, now: datetime) -> bool:
        spare.append(night.now)
        night.thought += MINUTE * SPARE_SHARE
        return True

    monkeypatch.setattr(parts, "time", night)
    monkeypatch.setattr(robots, "time", night)
    monkeypatch.setattr(robots, "threading", SimpleNamespace(Event=lambda: night))
    playing(post.house, (look,), (think,))(night.stop)
    assert spare == pytest.approx([0, 60, 120], abs=1)
    assert len(urgent) >= 18


def test_what_nobody_rings_for_is_found_within_half_a_second(
    post: Post, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mail that another program has stored (`pbmserv receive`, another host)."""
    post.people(alice="sesame")
    found: list[float] = []
    came: list[float] = []

    def at(now: float) -> None:
        if now > 30 and not came:
            came.append(now)
            raw = post.write(ALICE, "help")
            receive_mail(post.house, raw, ALICE, ["pbmserv@club.test"], post.clock())
        if came and not found and list_outbox(post.house, "waiting", 1)[0].created_at > before:
            found.append(now)

    before = list_outbox(post.house, None, 1)[0].created_at
    night = Nights(at=at)
    monkeypatch.setattr(parts, "time", night)
    one_worker(post, tmp_path, night)(night.stop)
    assert found[0] - came[0] <= 2 * parts.LOOK_EVERY


def test_what_is_due_is_known(post: Post) -> None:
    """A mail that has failed, and a mail that was put off: neither needs to be looked for before its time."""
    post.people(alice="sesame")
    assert seconds_until_due(post.house, post.clock()) == float("inf")
    number = post.put(post.write(ALICE, "help"), ALICE)
    for _ in range(3):
        set_back(post.house, number, "a fault", post.clock())
    assert seconds_until_due(post.house, post.clock()) == 60
    sender = Sender(post.house, Way, post.clock)
    assert sender.seconds_of_rest() <= 0
    later = post.clock() + timedelta(seconds=90)
    with writing(post.house.engine) as connection:
        connection.execute(update(outbox).where(outbox.c.status == "waiting").values(not_before=later))
    assert sender.seconds_of_rest() == 90


def test_commits_are_noticed(house: App) -> None:
    """Each once, whoever makes it; a transaction that only reads is none."""
    with closing(CommitWatch(house.engine)) as watch:
        assert watch.has_news()
        assert not watch.has_news()
        with reading(house.engine) as connection:
            connection.execute(clocks.select())
        assert not watch.has_news()
        with writing(house.engine) as connection:
            connection.execute(update(outbox).values(tries=0))
            connection.exec_driver_sql("INSERT INTO bans VALUES ('x', CURRENT_TIMESTAMP, '')")
        assert watch.has_news()
        assert not watch.has_news()


def test_a_watch_outlives_its_connection(sqlite_house: App) -> None:
    """It counts as news that nothing can be told, so that somebody looks, and says what is wrong."""

    class Broken:
        def cursor(self) -> None:
            raise sqlite3.OperationalError

        def close(self) -> None:
            pass

    with closing(CommitWatch(sqlite_house.engine)) as watch:
        assert watch.has_news()
        watch._connection = Broken()
        assert watch.has_news()
        assert watch.has_news()
        assert not watch.has_news()


def test_a_long_turn_that_has_just_begun_is_not_looked_at(post: Post) -> None:
    """Until ten minutes have passed: quick players have moved by then. A short one is."""
    post.people(alice="sesame", bob="poppy")
    post.mail(ALICE, "cephalopod challenge alice bob")
    now = post.clock()
    with writing(post.house.engine) as connection:
        connection.execute(update(clocks).values(started_at=now, next_at=now))
        minute, later = now + timedelta(minutes=1), now + timedelta(minutes=10)
        assert stored_clocks.due(connection, minute, 9) == []
        assert stored_clocks.due(connection, later, 9) == [101]
        connection.execute(update(clocks).values(lasts=3600))
        assert stored_clocks.due(connection, minute, 9) == [101]
        connection.execute(update(clocks).values(lasts=None, started_at=None))
        assert stored_clocks.due(connection, minute, 9) == [101]
