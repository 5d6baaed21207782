"""The parts of a running server: plain loops, one per thread, that stop when told.

Parts of one server wake each other. A part without work sleeps. Twice a second it asks whether anything was
committed by somebody who cannot wake it (`pbmserv receive`, `admin`, another host), which costs next to nothing.
It looks for work when something was, when some is due, and every ten seconds in any case.
"""

import logging
import os
import select
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final, Protocol

from pbmserv.mail.log_words import pairs
from pbmserv.mail.receiving.smtp_handler import IncomingEnvelope, NotNow, StoreMails
from pbmserv.mail.sending.destination import Transport
from pbmserv.server.in_flight import InFlightMarker, IsolatedProcess, MailClaims, abandoned_markers, acquire_marker
from pbmserv.server.listener import Listener
from pbmserv.services.admin.pulse import record_heartbeat, record_trouble
from pbmserv.services.app import App, utc_now
from pbmserv.services.deliver import Sender
from pbmserv.services.failures import set_back
from pbmserv.services.receive import receive_mails
from pbmserv.services.worker import Safeguards, process_some, seconds_until_due
from pbmserv.store.engine import CommitWatch, cause_of, is_database_trouble, truncate_wal
from pbmserv.store.operating import SENDER, WORKER


class Wakeup(Protocol):
    """Wakes those who wait: a `threading.Event` within one process, a `Bell` between several."""

    def set(self) -> None:
        """Wakes those who wait, and the next to wait."""

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for it, at most `timeout` seconds; returns whether it came."""

    def clear(self) -> None:
        """Forgets it."""


_MOST: Final = 2**16


class Bell:
    """A `Wakeup` for processes that are forked after it was made.

    It wakes every process that waits. One may clear it before another has noticed; that one then wakes at its
    timeout, so the bell only saves time.
    """

    def __init__(self) -> None:
        self._read_end, self._write_end = os.pipe()
        for each in (self._read_end, self._write_end):
            os.set_blocking(each, False)

    def set(self) -> None:
        """Wakes those who wait, and the next to wait."""
        with suppress(BlockingIOError):  # the pipe is full, so everybody wakes anyway
            os.write(self._write_end, b"!")

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for it, at most `timeout` seconds; returns whether it came."""
        waiting = select.poll()
        waiting.register(self._read_end, select.POLLIN)
        return bool(waiting.poll(None if timeout is None else timeout * 1000))

    def clear(self) -> None:
        """Forgets it."""
        with suppress(BlockingIOError):
            os.read(self._read_end, _MOST)


HEARTBEAT_EVERY: Final = 60.0
"""Seconds between two heartbeats of a part."""

AGAIN_AFTER: Final = 5.0
"""Seconds until it is tried again to store what could not be."""

log = logging.getLogger(__name__)


def heartbeat(app: App, part: str) -> Callable[[], None]:
    """A function that a part calls while all is well, as often as it likes. Records a heartbeat once a minute.

    It never raises. All parts of one kind share a heartbeat: as long as one of them lives, mail gets in.
    """
    due = 0.0

    def beat() -> None:
        nonlocal due
        if time.monotonic() < due:
            return
        due = time.monotonic() + HEARTBEAT_EVERY
        try:
            record_heartbeat(app, part, utc_now())
        except Exception as error:
            # The part goes on with its work. The next heartbeat records the outage, if there was one.
            log.warning("a heartbeat could not be recorded %s", pairs(part=part, error=cause_of(error)))

    return beat


class Complaint:
    """What keeps a part from its work, where `status` finds it. Stored when it changes."""

    def __init__(self, app: App, part: str) -> None:
        self._app, self._part = app, part
        # What an earlier process has left is not known, so the first word is always stored.
        self._stored: str | None = None
        self._again_at = 0.0

    def say(self, said: str) -> None:
        """Tells it in a sentence without secrets; "": nothing does. May be called as often as one likes."""
        if said == self._stored or time.monotonic() < self._again_at:
            return
        try:
            record_trouble(self._app, self._part, said, utc_now())
        except Exception as error:
            self._again_at = time.monotonic() + AGAIN_AFTER
            told = pairs(part=self._part, error=cause_of(error))
            log.warning("what troubles a part could not be recorded %s", told)
        else:
            self._stored = said


Part = Callable[[threading.Event], None]
"""Runs until the event is set."""

LOOK_EVERY: Final = 0.5
"""Seconds between two questions whether anything was committed."""

LOOK_ANYWAY_AFTER: Final = 10.0
"""Seconds after which a part looks for work whatever it was told."""

IN_HAND: Final = 0.1
"""Seconds between two looks while something is in hand, or due but not to be had yet."""

WORKERS_MAKE_WAY: Final = 4
ROBOTS_MAKE_WAY: Final = 10
"""How much lower the priority of processes of their own is (`nice`): mail is accepted first, then handled; robots
think when nobody waits."""

REST: Final = 1.0
"""Seconds without mail after which a worker empties SQLite's write-ahead log."""

LONGEST_PAUSE: Final = 5.0


def make_way(nice: int) -> None:
    """Lowers the priority of this thread."""
    with suppress(OSError):  # systemd may forbid it
        lowered = os.nice(nice)
        if os.getsid(0) == os.getpid():
            # Linux may weigh whole sessions against each other (autogroup), and then the rest of them only within.
            Path("/proc/self/autogroup").write_text(str(lowered))


def listening(listener: Listener, heartbeat: Callable[[], None] = lambda: None) -> Part:
    """Takes mail in by a listener, which may be started already; `heartbeat` is called as long as it does."""

    def run(stop: threading.Event) -> None:
        if not listener.alive:
            listener.start()
        try:
            while listener.alive and not stop.wait(LOOK_EVERY):
                heartbeat()
        finally:
            listener.stop()

    return run


def batch_store(app: App, wakeup: Wakeup) -> StoreMails:
    """The function by which a listener stores mails; it wakes the worker."""

    is_away = False

    def store_and_wake(mails: Sequence[IncomingEnvelope]) -> list[int | Exception]:
        nonlocal is_away
        outcomes = receive_mails(app, mails, utc_now())
        if any(isinstance(each, int) for each in outcomes):
            wakeup.set()
            if is_away:
                log.info("the database is back %s", pairs(part="listener"))
            is_away = False
            return outcomes
        errors = (each for each in outcomes if isinstance(each, Exception))
        trouble = next((error for error in errors if is_database_trouble(error)), None)
        if trouble is None:
            return outcomes
        if not is_away:
            log.error("the database is away, no mail is taken %s", pairs(part="listener", error=cause_of(trouble)))
        is_away = True
        return [NotNow() for _ in outcomes]

    return store_and_wake


def working(app: App, data: Path, wakeup: Wakeup, done: Wakeup, program: Sequence[str] | None = None) -> Part:
    """Handles received mails. `done` wakes the sender. `program` runs isolated processes, by default our own."""

    def run(stop: threading.Event) -> None:
        marker, claims, beat = acquire_marker(data), MailClaims(data), heartbeat(app, WORKER)

        def handle() -> bool:
            beat()
            return _handle(app, marker, claims, isolated, done, unemptied)

        def rest() -> float:
            return min(REST if unemptied.since else LOOK_ANYWAY_AFTER, seconds_until_due(app, utc_now()))

        isolated, unemptied = IsolatedProcess(stop, program), _Unemptied()
        try:
            repeating(app, stop, wakeup, lambda: _count_kills(app, data, marker), once=True)
            repeating(app, stop, wakeup, handle, rest)
        finally:
            claims.close()
            marker.close()

    return run


def sending(app: App, open_transport: Callable[[], Transport], wakeup: Wakeup) -> Part:
    """Sends what waits in the outbox."""

    def run(stop: threading.Event) -> None:
        sender, beat, complaint = (
            Sender(app, open_transport, utc_now),
            heartbeat(app, SENDER),
            Complaint(app, SENDER),
        )

        def send() -> bool:
            beat()
            sent = sender.send_due(stop.is_set)
            complaint.say(sender.trouble)
            return sent > 0

        try:
            repeating(app, stop, wakeup, send, sender.seconds_of_rest)
        finally:
            sender.close()

    return run


@dataclass(slots=True)
class _Unemptied:
    """Since when SQLite's write-ahead log holds what this worker has written last; None: it was emptied."""

    since: float | None = None

    def has_rested(self) -> bool:
        """Whether that is long enough ago: emptying it holds up all others."""
        return self.since is not None and time.monotonic() - self.since >= REST


def _handle(
    app: App,
    marker: InFlightMarker,
    claims: MailClaims,
    isolated: IsolatedProcess,
    done: Wakeup,
    unemptied: _Unemptied,
) -> bool:
    try:
        handled = process_some(app, utc_now, Safeguards(marker.put, isolated, claims.claim))
    finally:
        claims.release()
        marker.clear()
    if handled:
        done.set()
        unemptied.since = time.monotonic()
    elif unemptied.has_rested() and truncate_wal(app.engine):
        unemptied.since = None
    return handled


def _count_kills(app: App, data: Path, own: InFlightMarker) -> bool:
    for marker in chain([own], abandoned_markers(data)):
        left = marker.left_behind()
        if left is not None:
            set_back(app, left, "a worker ended that had it in hand", utc_now())
            marker.clear()
    return False


def _part() -> str:
    return threading.current_thread().name


def repeating(
    app: App,
    stop: threading.Event,
    wakeup: Wakeup,
    step: Callable[[], bool],
    rest: Callable[[], float] = lambda: LOOK_ANYWAY_AFTER,
    once: bool = False,
) -> None:
    """Repeats a step until told to stop: at once while it finds work, and after a while if the database is away.

    After a step without work it sleeps until it is woken, until something is committed, or for `rest` seconds.
    """
    if not once:
        threading.Thread(target=_wake_at_end, args=(stop, wakeup), daemon=True).start()
    pause = IN_HAND
    with closing(CommitWatch(app.engine)) as watch:
        while not stop.is_set():
            try:
                found = step()
                sleeps = 0.0 if found or once else rest()
            except Exception as error:
                if not is_database_trouble(error):
                    raise
                if pause == IN_HAND:
                    log.error("the database is away %s", pairs(part=_part(), error=cause_of(error)))
                stop.wait(pause)
                pause = min(pause * 2, LONGEST_PAUSE)
                continue
            if pause != IN_HAND:
                log.info("the database is back %s", pairs(part=_part()))
                pause = IN_HAND
            if once:
                return
            if not found:
                _sleep(stop, wakeup, watch, max(min(sleeps, LOOK_ANYWAY_AFTER), IN_HAND))


def _sleep(stop: threading.Event, wakeup: Wakeup, watch: CommitWatch, seconds: float) -> None:
    until = time.monotonic() + seconds
    while not stop.is_set() and (left := until - time.monotonic()) > 0:
        # Whether there is news is asked after each wait, so nothing that is committed from now on is missed.
        if wakeup.wait(min(left, LOOK_EVERY)) or watch.has_news():
            break
    wakeup.clear()


def _wake_at_end(stop: threading.Event, wakeup: Wakeup) -> None:
    stop.wait()
    wakeup.set()
