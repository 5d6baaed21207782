"""Retention: old mails are deleted, in batches so small that nobody waits for them.

What stays for good is what the log needs: boards and players; of a mail taken in its content key. A mail about a
board leaves what an answer to it needs, as long as the board is played on or the answer may prove who wrote it. A
quarantined mail stays whole until the operator retries or discards it, and one that waits until it no longer does.
Questions that nobody has answered in time are closed, and accounts that nobody has confirmed are none any more.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pbmserv.services.app import App
from pbmserv.services.sender import WORDS_LAST
from pbmserv.store import accounts, confirmations, counts, letters, mail_tokens, operating, retention, seatings
from pbmserv.store.engine import reading, truncate_wal, writing

BATCH: Final = 100
"""Mails of a transaction: some ten milliseconds, in which SQLite keeps other writers waiting."""


TOKENS: Final = 1000
"""Rows of deleted mails that are looked at together."""


@dataclass(frozen=True, slots=True)
class Purged:
    """How many received mails, sent mails and bounces were deleted."""

    received: int = 0
    sent: int = 0
    bounces: int = 0

    def __add__(self, other: "Purged") -> "Purged":
        return Purged(self.received + other.received, self.sent + other.sent, self.bounces + other.bounces)

    @property
    def mails(self) -> int:
        """All mails, received or sent."""
        return self.received + self.sent


def count_old(app: App, before: datetime) -> int:
    """How many mails are older than that and to be deleted."""
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
        counts.purge(connection, now)
        letters.purge(connection, before)
        seatings.purge_subscriptions(connection)
        operating.purge_doctor_mails(connection, now)
    _purge_tokens(app, now)
    truncate_wal(app.engine)


def discard(app: App, mail_id: int, now: datetime) -> bool:
    """Lets go of a mail that was set aside, without handling it; False when no such mail is set aside."""
    with writing(app.engine) as connection:
        discarded = retention.discard(connection, mail_id, now)
    truncate_wal(app.engine)
    return discarded


def _batch(app: App, before: datetime, now: datetime) -> Purged:
    with writing(app.engine) as connection:
        received = retention.purge_inbox(connection, before, now, BATCH)
        # One kind a transaction, so that none grows long.
        sent = 0 if received else retention.purge_outbox(connection, before, now - WORDS_LAST, now, BATCH)
        bounces = 0 if received or sent else retention.purge_bounces(connection, before)
    return Purged(received, sent, bounces)


def _purge_tokens(app: App, now: datetime) -> None:
    """Deletes what mails have left once their board is over and they prove nothing any more."""
    last = b""
    while True:
        with reading(app.engine) as connection:
            gone, last = mail_tokens.expired_tokens(connection, last, now - WORDS_LAST, TOKENS)
        if gone:
            with writing(app.engine) as connection:
                mail_tokens.forget_tokens(connection, gone)
        if not last:
            return
