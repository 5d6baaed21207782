"""Sending: what waits in the outbox is handed over at least once, with the Message-ID it was queued with."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from pbmserv.mail.road import Road
from pbmserv.mail.smtp import Deferred, Failed, Outcome, Outgoing, Sent
from pbmserv.services.house import House
from pbmserv.store import outbox
from pbmserv.store.engine import writing
from pbmserv.store.outbox import Queued

BATCH: Final = 20
"""Mails tried before others get a look at the clock; each is leased, tried and noted by itself."""

LEASE: Final = timedelta(minutes=5)
"""How long a sender that died keeps the one mail it had in hand from the others. A relay that takes longer to
answer may get the mail twice, with the same Message-ID."""

FIRST_WAIT: Final = timedelta(minutes=1)
LONGEST_WAIT: Final = timedelta(hours=6)
GIVE_UP_AFTER: Final = timedelta(days=5)

log = logging.getLogger(__name__)


def deliver_due(
    house: House, road: Road, clock: Callable[[], datetime], stopping: Callable[[], bool] = lambda: False
) -> int:
    """Tries the mails that are due, oldest first, and gives how many were tried."""
    tried = 0
    tried_mail: tuple[Queued, Outcome] | None = None
    while True:
        now = clock()
        with writing(house.engine) as connection:
            if tried_mail is not None:
                _note(connection, *tried_mail, now)
            may_go_on = tried < BATCH and not stopping()
            mail = outbox.lease(connection, now, now + LEASE) if may_go_on else None
        if mail is None:
            return tried
        tried_mail = mail, _try(road, mail)
        tried += 1


def next_wait(tries: int) -> timedelta:
    """How long to wait after so many tries: a minute, doubling to six hours.

    >>> [str(next_wait(tries)) for tries in (1, 2, 3, 20)]
    ['0:01:00', '0:02:00', '0:04:00', '6:00:00']
    """
    return min(FIRST_WAIT * (1 << min(tries - 1, 16)), LONGEST_WAIT)


def waited(tries: int) -> timedelta:
    """How long a mail was kept waiting between so many tries; counted so, a sender that slept costs none.

    >>> [str(waited(tries)) for tries in (1, 2, 3, 28)]
    ['0:00:00', '0:01:00', '0:03:00', '4 days, 20:31:00']
    """
    return sum(map(next_wait, range(1, tries)), timedelta())


def _try(road: Road, mail: Queued) -> Outcome:
    try:
        return road.deliver(Outgoing(mail.envelope_sender, mail.recipient, mail.raw))
    except Exception as error:
        # No road raises; should one all the same, it must not keep all others from being sent.
        return Deferred(f"a fault of this server: {type(error).__name__}")


def _note(connection: Connection, mail: Queued, outcome: Outcome, now: datetime) -> None:
    match outcome:
        case Sent():
            outbox.sent(connection, mail.id, now)
        case Deferred(reason) if waited(mail.tries + 1) < GIVE_UP_AFTER:
            log.warning("outgoing mail %d is deferred: %s", mail.id, reason)
            outbox.deferred(connection, mail.id, reason, now + next_wait(mail.tries + 1))
        case Deferred(reason) | Failed(reason):
            log.error("outgoing mail %d has failed: %s", mail.id, reason)
            outbox.failed(connection, mail.id, reason)
