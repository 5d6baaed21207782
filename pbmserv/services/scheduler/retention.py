"""Tidying: after a while a mail's words are let go of, in batches so small that nobody waits for them.

What stays for good is what the log needs: boards and players; of a mail taken in its number, times, fate and
content key; of a mail about a board its board, player and its token's digest. A mail that was set aside stays
whole until the operator retries or discards it, and one that waits until it no longer does. Questions that nobody
has answered in time are closed, and accounts that nobody has confirmed are none any more.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from pbmserv.services.app import App
from pbmserv.store import accounts, confirmations, rate_limits, retention, subscriptions, wordy_mails
from pbmserv.store.engine import reading, truncate_wal, writing

BATCH: Final = 100
"""Mails of a transaction: some ten milliseconds, in which SQLite keeps other writers waiting."""


TALK_COUNTS: Final = timedelta(days=2)
"""No limit looks further back at who has spoken to others; a mail may wait a while until it is handled."""


WEB_SIGN_UPS: Final = timedelta(days=1)
"""No limit looks further back at who has signed up on the page."""


@dataclass(frozen=True, slots=True)
class Purged:
    """How many mails taken in were emptied, mails sent emptied and deleted, and bounces deleted."""

    taken_in: int = 0
    sent_emptied: int = 0
    sent_deleted: int = 0
    bounces: int = 0

    def __add__(self, other: "Purged") -> "Purged":
        return Purged(
            self.taken_in + other.taken_in,
            self.sent_emptied + other.sent_emptied,
            self.sent_deleted + other.sent_deleted,
            self.bounces + other.bounces,
        )

    @property
    def mails(self) -> int:
        """All mails, taken in or sent."""
        return self.taken_in + self.sent_emptied + self.sent_deleted


def count_old(app: App, before: datetime) -> int:
    """How many mails are older than that and to be tidied."""
    with reading(app.engine) as connection:
        return retention.count_due(connection, before)


def purge(app: App, before: datetime, now: datetime) -> Iterator[Purged]:
    """Lets go of what is older than `before`, one batch a step; gives what each did.

    Whoever takes the steps may rest between them, so that others get at a SQLite file, and stop after any.
    """
    while (done := _batch(app, before, now)) != Purged():
        yield done
    with writing(app.engine) as connection:
        confirmations.purge(connection, now)
        accounts.delete_unconfirmed(connection, now)
        rate_limits.purge_failed_logins(connection, now)
        rate_limits.purge_web_sign_ups(connection, now - WEB_SIGN_UPS)
        rate_limits.purge_talk(connection, now - TALK_COUNTS)
        subscriptions.purge(connection)
        wordy_mails.purge(connection, now)
    truncate_wal(app.engine)


def discard(app: App, mail_id: int, now: datetime) -> bool:
    """Lets go of a mail that was set aside, without handling it; False when no such mail is set aside."""
    with writing(app.engine) as connection:
        discarded = retention.discard(connection, mail_id, now)
    truncate_wal(app.engine)
    return discarded


def _batch(app: App, before: datetime, now: datetime) -> Purged:
    with writing(app.engine) as connection:
        taken_in = retention.purge_inbox(connection, before, now, BATCH)
        # One kind a transaction, so that none grows long.
        emptied, deleted = (0, 0) if taken_in else retention.purge_outbox(connection, before, now, BATCH)
        bounces = 0 if taken_in or emptied or deleted else retention.purge_bounces(connection, before)
    return Purged(taken_in, emptied, deleted, bounces)
