"""The poller: fetches mail from a mailbox for as long as the server runs, whatever the provider does."""

import logging
import random
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Final

from pbmserv.entrypoints.bootstrap import utc_now
from pbmserv.entrypoints.parts import Part
from pbmserv.entrypoints.pulse import pulse
from pbmserv.mail.imap.mailbox import LoginRefused, Mailbox, Refused, Silence, Trouble
from pbmserv.mail.imap.sweep import Keep, Sweeper, ToldToStop
from pbmserv.services.house import House
from pbmserv.services.intake import keep
from pbmserv.store.engine import is_database_trouble

RENEW_EVERY: Final = 9 * 60.0
"""Seconds between two looks at everything in the folder, whatever the server told or did not tell."""

SETTLED_AFTER: Final = 10.0
"""Seconds that a connection must last for its trouble to be over, so that one that always breaks is not made anew
in a tight loop, nor told of each time."""

ANSWER_WITHIN: Final = 3.0
LONGEST_PATIENCE: Final = 30.0
"""What a server may take to answer while it idles. Each silence doubles it, until the next renewal: a slow server
must not be taken for a dead one again and again, since providers slow down those who log in often."""

FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 8.0
"""A server that comes back is found within this time; that much refused connections cost nobody anything."""

FIRST_PAUSE_OF_LOGIN: Final = 10.0
LONGEST_PAUSE_OF_LOGIN: Final = 300.0
"""Providers lock out who tries a wrong password too often."""

DATABASE_PAUSE: Final = 0.5
LONGEST_DATABASE_PAUSE: Final = 5.0

log = logging.getLogger(__name__)


def polling(
    open_mailbox: Callable[[], Mailbox], place: str, house: House, max_size: int, bell: threading.Event
) -> Part:
    """Fetches mail from a mailbox until told to stop. No trouble with it, or with the database, ends this part.

    `open_mailbox` connects, and raises Trouble; `place` is what the log calls the mailbox; of a mail of more than
    `max_size` bytes the head alone is kept; `bell` tells the worker.
    """

    def run(stop: threading.Event) -> None:
        course = Course(place, beats=pulse(house, "poller"))
        sweeper = Sweeper(house.server, keeper(house, bell, stop), max_size)
        while not stop.is_set():
            try:
                with closing(open_mailbox()) as mailbox:
                    course.connected()
                    attend(mailbox, sweeper, course, stop)
            except (Trouble, Refused) as error:
                stop.wait(course.pause_after(error))
            except ToldToStop:
                return

    return run


def attend(mailbox: Mailbox, sweeper: Sweeper, course: "Course", stop: threading.Event) -> None:
    """Sweeps the folder, waits for news, and so on, for one connection. Raises Trouble, Refused."""
    sweeper.start_over()
    is_news = True
    while not stop.is_set():
        if course.is_time_to_renew():
            sweeper.start_over(forgive=True)
            is_news = True
        if is_news:
            sweeper.sweep(mailbox, stop)
        course.went_well()
        is_news = mailbox.wait(stop, course.patience)


def keeper(house: House, bell: threading.Event, stop: threading.Event) -> Keep:
    """What a sweep keeps a mail by; waits while the database is away, and raises ToldToStop if told meanwhile."""

    def keep_and_ring(raw: bytes, sender: str, recipients: tuple[str, ...], full_size: int | None) -> int:
        pause = DATABASE_PAUSE
        while True:
            try:
                number = keep(house, raw, sender, recipients, utc_now(), full_size)
                break
            except Exception as error:
                if not is_database_trouble(error):
                    raise
                if pause == DATABASE_PAUSE:
                    log.error("the database is away (%s); waiting for it", type(error).__name__)
                if stop.wait(pause):
                    raise ToldToStop from None
                pause = min(pause * 2, LONGEST_DATABASE_PAUSE)
        if pause != DATABASE_PAUSE:
            log.info("the database is back")
        bell.set()
        return number

    return keep_and_ring


@dataclass
class Course:
    """How it goes with one mailbox, over all its connections: when to try again, and what was told of it."""

    place: str
    beats: Callable[[], None] = lambda: None
    patience: float = field(default_factory=lambda: ANSWER_WITHIN)
    _pause: float = field(default_factory=lambda: FIRST_PAUSE)
    _pause_of_login: float = field(default_factory=lambda: FIRST_PAUSE_OF_LOGIN)
    _connected_at: float = 0.0
    _renew_at: float = field(default_factory=lambda: time.monotonic() + RENEW_EVERY)
    _told: set[str] = field(default_factory=set)

    def connected(self) -> None:
        """There is a connection, and the login was taken."""
        if not self._connected_at:
            self._log(logging.INFO, "connected")
        self._connected_at = time.monotonic()

    def went_well(self) -> None:
        """Everything in the folder was seen to."""
        self.beats()
        if time.monotonic() - self._connected_at > SETTLED_AFTER:
            self._pause, self._pause_of_login = FIRST_PAUSE, FIRST_PAUSE_OF_LOGIN
            if self._told:
                self._log(logging.INFO, "all is well again")
                self._told.clear()

    def is_time_to_renew(self) -> bool:
        """Whether to look at everything again; True once each RENEW_EVERY seconds."""
        if time.monotonic() < self._renew_at:
            return False
        self._renew_at = time.monotonic() + RENEW_EVERY
        self.patience = ANSWER_WITHIN
        return True

    def pause_after(self, error: Exception) -> float:
        """Seconds to wait before the next connection; tells of the trouble, once."""
        if isinstance(error, LoginRefused):
            self._tell(logging.ERROR, f"the login is refused: {error}")
            pause = self._pause_of_login
            self._pause_of_login = min(pause * 2, LONGEST_PAUSE_OF_LOGIN)
        else:
            self._tell(logging.WARNING, str(error))
            pause = self._pause
            self._pause = min(pause * 2, LONGEST_PAUSE)
            if isinstance(error, Silence):
                self.patience = min(self.patience * 2, LONGEST_PATIENCE)
        # So that those who were cut off together do not come back together.
        return pause * random.uniform(0.5, 1.0)  # noqa: S311

    def _tell(self, level: int, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._log(level, text)

    def _log(self, level: int, text: str) -> None:
        log.log(level, "mailbox %s: %s", self.place, text)
