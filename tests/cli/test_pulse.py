"""Parts that are alive say so, and nothing that goes wrong with that hurts them."""

import threading
import time

import pytest
from sqlalchemy import select

from pbmserv.server import parts as pulses
from pbmserv.server.listener import Listener
from pbmserv.server.parts import Part, listening
from pbmserv.server.scheduler import scheduling
from pbmserv.services.app import App
from pbmserv.store.engine import reading
from pbmserv.store.tables import heartbeats
from tests.cli.processes import wait_for
from tests.conftest import Clock


def heard_of(house: App) -> set[str]:
    with reading(house.engine) as connection:
        return set(connection.execute(select(heartbeats.c.part)).scalars())


def run_until_heard(house: App, name: str, part: Part) -> None:
    stop = threading.Event()
    thread = threading.Thread(target=part, args=(stop,))
    thread.start()
    try:
        wait_for(lambda: name in heard_of(house))
    finally:
        stop.set()
        thread.join()


def test_the_steward_and_the_listener_beat(sqlite_house: App) -> None:
    """As soon as they run."""
    run_until_heard(sqlite_house, "scheduler", scheduling(sqlite_house, ()))
    listener = Listener("smtp://127.0.0.1:0", sqlite_house.server, lambda mails: [1 for _ in mails])
    listener.start()
    run_until_heard(sqlite_house, "listener", listening(listener, pulses.heartbeat(sqlite_house, "listener")))


def test_once_a_minute(sqlite_house: App, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often a part calls."""
    seconds, beaten = [1000.0], []
    monkeypatch.setattr(time, "monotonic", lambda: seconds[0])
    monkeypatch.setattr(pulses, "record_heartbeat", lambda house, part, now: beaten.append(part))
    beat = pulses.heartbeat(sqlite_house, "poller")
    for _ in range(600):
        beat()
        seconds[0] += 1
    assert len(beaten) == 10


def test_a_database_that_is_away_ends_no_part(sqlite_house: App, caplog: pytest.LogCaptureFixture) -> None:
    """It is told, and tried again."""
    with sqlite_house.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE heartbeats RENAME TO gone")
    pulses.heartbeat(sqlite_house, "listener")()
    with sqlite_house.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE gone RENAME TO heartbeats")
    assert "a heartbeat could not be recorded part=listener" in caplog.text
