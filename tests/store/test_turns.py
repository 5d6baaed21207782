"""The write lock: first come, first served, whatever happens while it is held; nobody waits for ever."""

import threading
from collections.abc import Callable

import pytest

from pbmserv.services.app import App
from pbmserv.store.engine import FairLock, writing
from tests.cli.processes import wait_for

LONG = 30.0


def in_thread(run: Callable[[], None]) -> threading.Thread:
    """Runs it beside us."""
    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_first_come_first_served() -> None:
    """Also for whoever has just had a turn and wants the next."""
    turns, told, begin = FairLock(), list[str](), threading.Event()

    def twice() -> None:
        with turns.hold(LONG):
            begin.set()
            wait_for(lambda: len(turns._waiting) == 2)
            told.append("a")
        with turns.hold(LONG):
            told.append("a again")

    def once(name: str) -> Callable[[], None]:
        def run() -> None:
            with turns.hold(LONG):
                wait_for(lambda: len(turns._waiting) == (2 if name == "b" else 1))
                told.append(name)

        return run

    threads = [in_thread(twice)]
    begin.wait(LONG)
    threads.append(in_thread(once("b")))
    wait_for(lambda: len(turns._waiting) == 1)
    threads.append(in_thread(once("c")))
    for thread in threads:
        thread.join(LONG)
    assert told == ["a", "b", "c", "a again"]


def test_a_turn_ends_with_an_error_too() -> None:
    turns = FairLock()
    with pytest.raises(ValueError, match="bug"), turns.hold(LONG):
        raise ValueError("bug")
    with turns.hold(0.0):
        assert turns._is_taken
    assert not turns._is_taken


def test_who_is_out_of_patience_goes_on_without() -> None:
    """The lock behind it tells then; and nobody else's turn is given away."""
    turns = FairLock()
    with turns.hold(LONG):
        with turns.hold(0.01):
            pass
        assert turns._is_taken
        assert not turns._waiting
    assert not turns._is_taken


def test_a_writer_that_never_rests_lets_others_write(sqlite_house: App) -> None:
    """One transaction after the other, without a pause: another thread gets every second one."""
    engine, stop = sqlite_house.engine, threading.Event()
    written = {"busy": 0, "other": 0}

    def busy() -> None:
        while not stop.is_set():
            with writing(engine) as connection:
                connection.exec_driver_sql("UPDATE players SET userid = userid")
                written["busy"] += 1

    thread = in_thread(busy)
    try:
        wait_for(lambda: written["busy"] > 5)
        begun = written["busy"]
        for _ in range(50):
            with writing(engine) as connection:
                connection.exec_driver_sql("UPDATE players SET userid = userid")
        between = written["busy"] - begun
    finally:
        stop.set()
        thread.join(LONG)
    assert between <= 110
