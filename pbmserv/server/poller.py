"""The poller: fetches mail from a mailbox as long as the server runs, whatever the provider does."""

import logging
import random
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Final

from pbmserv.mail.log_words import pairs
from pbmserv.mail.receiving import imap_mailbox
from pbmserv.mail.receiving.imap_fetch import MailFetcher, ShutdownRequested, StoreMail
from pbmserv.mail.receiving.imap_mailbox import ImapMailbox
from pbmserv.server.parts import Complaint, Part, Wakeup, heartbeat
from pbmserv.services.app import App, utc_now
from pbmserv.services.receive import receive_mail
from pbmserv.store.engine import cause_of, is_database_trouble
from pbmserv.store.operating import POLLER

RENEW_EVERY: Final = 9 * 60.0
"""Seconds between two checks of the whole folder, whatever the server has announced."""

SETTLED_AFTER: Final = 10.0
"""Seconds that a connection must last before its errors count as over. One that keeps breaking is then not
reopened in a tight loop, and not logged each time."""

ANSWER_WITHIN: Final = 3.0
LONGEST_PATIENCE: Final = 30.0
"""Seconds that an idling server has to answer. Each timeout doubles it, until the next full check: a slow server
must not be taken for dead again and again, since providers throttle frequent logins."""

FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 8.0
"""A server that is back is found within this time. Refused connections at this rate harm nobody."""

FIRST_PAUSE_OF_LOGIN: Final = 10.0
LONGEST_PAUSE_OF_LOGIN: Final = 300.0
"""Providers lock accounts after too many wrong passwords."""

DATABASE_PAUSE: Final = 0.5
LONGEST_DATABASE_PAUSE: Final = 5.0

log = logging.getLogger(__name__)


def polling(open_mailbox: Callable[[], ImapMailbox], name: str, app: App, max_size: int, wakeup: Wakeup) -> Part:
    """Fetches mail from a mailbox until told to stop. No failure of it, or of the database, ends this part.

    `open_mailbox` connects, and raises ImapError. `name` is what the log calls the mailbox. Of mails larger than
    `max_size` bytes only the head is stored. `wakeup` wakes the worker.
    """

    def run(stop: threading.Event) -> None:
        health = MailboxHealth(name, beat=heartbeat(app, POLLER), complain=Complaint(app, POLLER).say)
        fetcher = MailFetcher(app.server, single_store(app, wakeup, stop), max_size)
        while not stop.is_set():
            try:
                with closing(open_mailbox()) as mailbox:
                    health.connected()
                    fetch_and_wait(mailbox, fetcher, health, stop)
            except (imap_mailbox.ImapError, imap_mailbox.ImapRefused) as error:
                stop.wait(health.pause_after(error))
            except ShutdownRequested:
                return

    return run


def fetch_and_wait(
    mailbox: ImapMailbox, fetcher: MailFetcher, health: "MailboxHealth", stop: threading.Event
) -> None:
    """Fetches new mail and waits for more, for one connection. Raises ImapError and ImapRefused."""
    fetcher.start_over()
    is_news = True
    while not stop.is_set():
        if health.is_time_to_renew():
            fetcher.start_over(retry_failed=True)
            is_news = True
        if is_news:
            fetcher.fetch_new(mailbox, stop)
        health.fetched_all()
        is_news = mailbox.wait(stop, health.patience)


def single_store(app: App, wakeup: Wakeup, stop: threading.Event) -> StoreMail:
    """The function by which fetched mails are stored. Waits while the database is away.

    Raises ShutdownRequested if the server stops meanwhile.
    """

    def store_and_wake(raw: bytes, sender: str, recipients: tuple[str, ...], full_size: int | None) -> int:
        pause = DATABASE_PAUSE
        while True:
            try:
                number = receive_mail(app, raw, sender, recipients, utc_now(), full_size)
                break
            except Exception as error:
                if not is_database_trouble(error):
                    raise
                if pause == DATABASE_PAUSE:
                    log.error("the database is away %s", pairs(part="poller", error=cause_of(error)))
                if stop.wait(pause):
                    raise ShutdownRequested from None
                pause = min(pause * 2, LONGEST_DATABASE_PAUSE)
        if pause != DATABASE_PAUSE:
            log.info("the database is back %s", pairs(part="poller"))
        wakeup.set()
        return number

    return store_and_wake


@dataclass
class MailboxHealth:
    """The state of one mailbox over all its connections: when to try again, and what was logged."""

    name: str
    beat: Callable[[], None] = lambda: None
    complain: Callable[[str], None] = lambda said: None
    """Told what keeps the mailbox from being read, and "" when nothing does."""
    patience: float = field(default_factory=lambda: ANSWER_WITHIN)
    _pause: float = field(default_factory=lambda: FIRST_PAUSE)
    _pause_of_login: float = field(default_factory=lambda: FIRST_PAUSE_OF_LOGIN)
    _connected_at: float = 0.0
    _renew_at: float = field(default_factory=lambda: time.monotonic() + RENEW_EVERY)
    _logged: set[str] = field(default_factory=set)

    def connected(self) -> None:
        """Records that the login succeeded."""
        if not self._connected_at:
            log.info("connected to the mailbox %s", pairs(mailbox=self.name))
        self._connected_at = time.monotonic()

    def fetched_all(self) -> None:
        """Records that everything in the folder was fetched."""
        self.beat()
        self.complain("")
        if time.monotonic() - self._connected_at > SETTLED_AFTER:
            self._pause, self._pause_of_login = FIRST_PAUSE, FIRST_PAUSE_OF_LOGIN
            if self._logged:
                log.info("all is well again with the mailbox %s", pairs(mailbox=self.name))
                self._logged.clear()

    def is_time_to_renew(self) -> bool:
        """Whether to check the whole folder again: True once every RENEW_EVERY seconds."""
        if time.monotonic() < self._renew_at:
            return False
        self._renew_at = time.monotonic() + RENEW_EVERY
        self.patience = ANSWER_WITHIN
        return True

    def pause_after(self, error: Exception) -> float:
        """Seconds to wait before the next connection. Logs the error, once."""
        if isinstance(error, imap_mailbox.LoginRefused):
            if self._is_new(f"login: {error}"):
                log.error("the login is refused %s", pairs(mailbox=self.name, error=str(error)))
            self.complain(f"{self.name}: the login is refused: {error}")
            pause = self._pause_of_login
            self._pause_of_login = min(pause * 2, LONGEST_PAUSE_OF_LOGIN)
        else:
            if self._is_new(str(error)):
                # What has never worked is most likely a setting, such as the host; no certificate mends itself.
                passes = self._connected_at and not isinstance(error, imap_mailbox.UntrustedCertificate)
                level = logging.WARNING if passes else logging.ERROR
                log.log(level, "trouble with the mailbox %s", pairs(mailbox=self.name, error=str(error)))
            self.complain(f"{self.name}: {error}")
            pause = self._pause
            self._pause = min(pause * 2, LONGEST_PAUSE)
            if isinstance(error, imap_mailbox.Silence):
                self.patience = min(self.patience * 2, LONGEST_PATIENCE)
        # Clients that were disconnected together should not reconnect together.
        return pause * random.uniform(0.5, 1.0)  # noqa: S311

    def _is_new(self, text: str) -> bool:
        """Whether this was not logged yet; from now on it was."""
        is_new = text not in self._logged
        self._logged.add(text)
        return is_new
