"""The parts of a running server: plain loops, one a thread, that stop when told.

Whoever waits for work looks every 100 ms; inside one process a bell spares even that.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from pbmserv.entrypoints.apart import Apart
from pbmserv.entrypoints.bootstrap import utc_now
from pbmserv.entrypoints.listener import Listener
from pbmserv.entrypoints.mark import Mark, abandoned_marks, free_mark
from pbmserv.mail.road import Road
from pbmserv.mail.together import Arrival, Keep, NotNow
from pbmserv.services.deliver import Sender
from pbmserv.services.handle import handle_some
from pbmserv.services.house import House
from pbmserv.services.intake import keep_all
from pbmserv.services.mishaps import set_back
from pbmserv.store.engine import forget_overwritten, is_database_trouble, locks_rows

Part = Callable[[threading.Event], None]
"""Runs until the event is set."""

LOOK_EVERY: Final = 0.1
LONGEST_PAUSE: Final = 5.0

REST: Final = 0.002
"""Seconds between two transactions of a worker on SQLite, in which other processes can get hold of the file."""

log = logging.getLogger(__name__)


def listening(listener: Listener, beats: Callable[[], None] = lambda: None) -> Part:
    """Takes mail in by a listener, which is started already; `beats` is called as long as it does."""

    def run(stop: threading.Event) -> None:
        try:
            while listener.alive and not stop.wait(LOOK_EVERY):
                beats()
        finally:
            listener.stop()

    return run


def keeper(house: House, bell: threading.Event) -> Keep:
    """What a listener keeps mails by; the bell tells the worker."""

    is_away = False

    def keep_and_ring(mails: Sequence[Arrival]) -> list[Exception | None]:
        nonlocal is_away
        outcomes = keep_all(house, mails, utc_now())
        if None in outcomes:
            bell.set()
            if is_away:
                log.info("the database is back for the listener")
            is_away = False
            return outcomes
        trouble = next((error for error in outcomes if error is not None and is_database_trouble(error)), None)
        if trouble is None:
            return outcomes
        if not is_away:
            log.error("the database is away (%s); the listener takes no mail", type(trouble).__name__)
        is_away = True
        return [NotNow() for _ in outcomes]

    return keep_and_ring


def working(
    house: House, data: Path, bell: threading.Event, done: threading.Event, program: Sequence[str] | None = None
) -> Part:
    """Handles what was kept; `done` tells the sender. `program`, if not ours, runs processes of mails' own."""

    def run(stop: threading.Event) -> None:
        mark = free_mark(data)
        apart, has_handled = Apart(stop, program), threading.Event()
        try:
            _loop(stop, bell, lambda: _count_kills(house, data, mark), once=True)
            _loop(stop, bell, lambda: _handle(house, mark, apart, done, has_handled))
        finally:
            mark.close()

    return run


def sending(house: House, open_road: Callable[[], Road], bell: threading.Event) -> Part:
    """Hands over what waits in the outbox."""

    def run(stop: threading.Event) -> None:
        sender = Sender(house, open_road, utc_now)
        try:
            _loop(stop, bell, lambda: sender.send_due(stop.is_set) > 0)
        finally:
            sender.close()

    return run


def _handle(house: House, mark: Mark, apart: Apart, done: threading.Event, has_handled: threading.Event) -> bool:
    try:
        handled = handle_some(house, utc_now, mark.put, apart)
    finally:
        mark.clear()
    if handled:
        done.set()
        has_handled.set()
        if not locks_rows(house.engine):
            time.sleep(REST)
    elif has_handled.is_set() and forget_overwritten(house.engine):
        has_handled.clear()
    return handled


def _count_kills(house: House, data: Path, own: Mark) -> bool:
    for mark in chain([own], abandoned_marks(data)):
        left = mark.left_behind()
        if left is not None:
            set_back(house, left, "a worker ended that had it in hand", utc_now())
            mark.clear()
    return False


def _part() -> str:
    return threading.current_thread().name


def _loop(stop: threading.Event, bell: threading.Event, step: Callable[[], bool], once: bool = False) -> None:
    """Steps until told to stop; a step that found nothing to do is followed by a wait, trouble by a longer one."""
    pause = LOOK_EVERY
    while not stop.is_set():
        try:
            found = step()
        except Exception as error:
            if not is_database_trouble(error):
                raise
            if pause == LOOK_EVERY:
                log.error("the database is away (%s); the %s waits for it", type(error).__name__, _part())
            stop.wait(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
            continue
        if pause != LOOK_EVERY:
            log.info("the database is back for the %s", _part())
            pause = LOOK_EVERY
        if once:
            return
        if not found:
            bell.wait(LOOK_EVERY)
            bell.clear()
