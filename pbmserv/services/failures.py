"""What happens to a mail that cannot be processed: retries, isolation in its own process, quarantine.

Two things count against a mail: an exception in our code, and the death of the mail's own process. Five of either
quarantine it. Other setbacks never do: a worker that was killed while it processed the mail (everything may have
been killed), or a database that refused the mail but took the note about it. Such a mail is processed in isolation
and then retried for ever, at growing intervals; later mails of the same sender wait for it.
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, Literal

from sqlalchemy import Connection

from pbmserv.mail.log_words import pairs
from pbmserv.parser.parsed import IncomingMail
from pbmserv.services.app import App
from pbmserv.services.compose import ReplyContext
from pbmserv.services.limits import may_be_mailed, send
from pbmserv.services.opening import read_message
from pbmserv.services.unit_of_work import UnitOfWork
from pbmserv.services.writer import deciding
from pbmserv.store import inbox, players
from pbmserv.store.engine import reading, trace, writing
from pbmserv.store.inbox import InboxMessage

WAITS_BETWEEN_TRIES: Final = tuple(timedelta(seconds=seconds) for seconds in (0, 1, 10, 60, 600))
"""A mail that raises, or kills its own processes, is tried this often and then quarantined."""

APART_FROM: Final = 2
"""Setbacks after which a mail is isolated. These setbacks cause no extra wait."""

FIRST_REST: Final = timedelta(minutes=1)
LONGEST_REST: Final = timedelta(hours=6)
"""The first and the longest wait after a setback; each wait is twice as long as the one before."""

IsolatedEnd = Literal["well", "killed", "broken off", "stopped"]
"""How the process of an isolated mail ended. Only "killed" counts against the mail; "stopped": with its worker."""

Isolate = Callable[[Literal["handle", "tell"], int], IsolatedEnd]
"""Runs `process_one` or `tell_quarantined` for a mail in a process of its own."""

log = logging.getLogger(__name__)


def is_suspect(message: InboxMessage) -> bool:
    """Whether to process a mail in isolation."""
    return message.setbacks >= APART_FROM


def process_isolated(app: App, message: InboxMessage, isolate: Isolate, clock: Callable[[], datetime]) -> None:
    """Has a mail processed in its own process, and notes how that ended."""
    log.info("processing a mail in isolation %s", pairs(mail=message.id))
    match isolate("handle", message.id):
        case "killed":
            _killed(app, message, isolate, clock())
        case "broken off":
            set_back(app, message.id, "its own process was interrupted", clock())


def _killed(app: App, message: InboxMessage, isolate: Isolate, now: datetime) -> None:
    kills = message.kills + 1
    log.error("a mail killed its own process %s", pairs(mail=message.id, tries=kills))
    error = f"killed {kills} {'process' if kills == 1 else 'processes'} of its own"
    with writing(app.engine) as connection:
        aside = inbox.count_kill(connection, message.id, message.kills, error, _again_at(kills, now))
    if aside is not None:
        log.error("a mail is quarantined; see `pbmserv admin inbox` %s", pairs(mail=message.id))
        # Reading it again, to notify its sender, may kill a process too.
        if isolate("tell", message.id) != "well":
            log.error("the sender of a quarantined mail cannot be notified %s", pairs(mail=message.id))


def failed(app: App, message: InboxMessage, error: Exception, now: datetime) -> None:
    """Counts an exception against a mail."""
    tried = message.tries + 1
    again_at = _again_at(tried, now)
    told = pairs(mail=message.id, tries=tried, error=type(error).__name__)
    log.error("a mail could not be handled %s", told)
    mail = _read_once_more(app, message) if again_at is None else None
    with deciding(app, now) as work:
        if inbox.fail(work.connection, message.id, trace(error), again_at) and again_at is None:
            log.error("a mail is quarantined; see `pbmserv admin inbox` %s", pairs(mail=message.id))
            _apologise(work, message.id, mail)


def _again_at(tried: int, now: datetime) -> datetime | None:
    return now + WAITS_BETWEEN_TRIES[tried] if tried < len(WAITS_BETWEEN_TRIES) else None


def set_back(app: App, mail_id: int, error: str, now: datetime) -> None:
    """Notes a setback that does not count against the mail, which is retried for ever."""

    def again_at(setbacks: int) -> datetime:
        rests = setbacks - APART_FROM
        return now + min(FIRST_REST * (1 << min(rests - 1, 16)), LONGEST_REST) if rests > 0 else now

    with writing(app.engine) as connection:
        setbacks = inbox.set_back(connection, mail_id, error, again_at)
    if setbacks:
        reason = error.rpartition("\n")[2]
        told = pairs(mail=mail_id, tries=setbacks, again=again_at(setbacks), error=reason)
        log.warning("a mail was set back %s", told)


def tell_quarantined(app: App, mail_id: int, now: datetime) -> None:
    """Tells the sender of a mail that it was quarantined."""
    with reading(app.engine) as connection:
        message = inbox.find_quarantined(connection, mail_id)
    mail = None if message is None else _read_once_more(app, message)
    with deciding(app, now) as work:
        if inbox.find_quarantined(work.connection, mail_id) is not None:
            _apologise(work, mail_id, mail)


def _read_once_more(app: App, message: InboxMessage) -> IncomingMail | None:
    """A mail that failed, for its sender's sake; None if reading it fails too."""
    try:
        return read_message(app, message)
    except Exception as error:
        _cannot_be_told(message.id, error)
        return None


def _apologise(work: UnitOfWork, mail_id: int, mail: IncomingMail | None) -> None:
    """Has the fixed text sent to the sender of a mail, unless nobody may be mailed."""
    if mail is None or mail.sender is None or mail.automatic is not None:
        return
    if _may_be_mailed(work.connection, mail.sender, work.now):
        to = ReplyContext(mail_id, mail, mail.sender, None, "answer", proven=False, now=work.now)
        send(work, to.fixed_answer("mail/set_aside.txt", "your mail", "answer"))


def _cannot_be_told(mail_id: int, error: Exception) -> None:
    told = pairs(mail=mail_id, error=type(error).__name__)
    log.error("the sender of a quarantined mail cannot be notified %s", told)


def _may_be_mailed(connection: Connection, address: str, now: datetime) -> bool:
    owner = players.owner_of(connection, address)
    return (owner is None or owner.is_confirmed) and may_be_mailed(connection, address, now)
