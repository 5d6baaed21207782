"""The parts of a running server: plain loops, one a thread, that stop when told.

Whoever waits for work looks every 100 ms; inside one process a bell spares even that.
"""

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pbmserv.entrypoints.bootstrap import utc_now
from pbmserv.entrypoints.listener import Listener
from pbmserv.entrypoints.mark import Mark
from pbmserv.mail.road import Road
from pbmserv.services.deliver import deliver_due
from pbmserv.services.handle import count_kill, handle_next
from pbmserv.services.house import House
from pbmserv.services.intake import keep
from pbmserv.store.engine import forget_overwritten, is_database_trouble

Part = Callable[[threading.Event], None]
"""Runs until the event is set."""

LOOK_EVERY: Final = 0.1
LONGEST_PAUSE: Final = 5.0

log = logging.getLogger(__name__)


def listening(listener: Listener) -> Part:
    """Takes mail in by a listener, which is started already."""

    def run(stop: threading.Event) -> None:
        try:
            while listener.alive and not stop.wait(LOOK_EVERY):
                pass
        finally:
            listener.stop()

    return run


def keeper(house: House, bell: threading.Event) -> Callable[[bytes, str, tuple[str, ...]], None]:
    """What a listener keeps a mail by; the bell tells the worker."""

    def keep_and_ring(raw: bytes, envelope_sender: str, recipients: tuple[str, ...]) -> None:
        keep(house, raw, envelope_sender, recipients, utc_now())
        bell.set()

    return keep_and_ring


def working(house: House, data: Path, bell: threading.Event, done: threading.Event) -> Part:
    """Handles what was kept; `done` tells the sender."""

    def run(stop: threading.Event) -> None:
        mark = Mark(data)
        has_handled = threading.Event()
        try:
            _loop(stop, bell, lambda: _count_kill(house, mark), once=True)
            _loop(stop, bell, lambda: _handle(house, mark, done, has_handled))
        finally:
            mark.close()

    return run


def sending(house: House, road: Road, bell: threading.Event) -> Part:
    """Hands over what waits in the outbox."""

    def run(stop: threading.Event) -> None:
        try:
            _loop(stop, bell, lambda: deliver_due(house, road, utc_now, stop.is_set) > 0)
        finally:
            road.close()

    return run


def _handle(house: House, mark: Mark, done: threading.Event, has_handled: threading.Event) -> bool:
    try:
        handled = handle_next(house, utc_now, mark.put)
    finally:
        mark.clear()
    if handled:
        done.set()
        has_handled.set()
    elif has_handled.is_set() and forget_overwritten(house.engine):
        has_handled.clear()
    return handled


def _count_kill(house: House, mark: Mark) -> bool:
    left = mark.left_behind()
    if left is not None:
        log.warning("mail %d was in hand when an earlier worker ended", left)
        count_kill(house, left, utc_now())
        mark.clear()
    return False


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
                log.error("the database is away (%s); waiting for it", type(error).__name__)
            stop.wait(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
            continue
        if pause != LOOK_EVERY:
            log.info("the database is back")
            pause = LOOK_EVERY
        if once:
            return
        if not found:
            bell.wait(LOOK_EVERY)
            bell.clear()
