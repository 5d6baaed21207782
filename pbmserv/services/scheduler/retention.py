"""What has had its time: old mails, open offers, standstills that are over; in batches so small that nobody waits.

What stays for good is what the log needs: boards and players; of a mail taken in its content key. A mail about a
board leaves what an answer to it needs, as long as the board is played on or the answer may prove who wrote it. A
quarantined mail stays whole until the operator retries or discards it, and one that waits until it no longer does.
Questions that nobody has answered in time are closed, and accounts that nobody has confirmed are given up.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from pbmserv.commands.changes import EndedOffer
from pbmserv.commands.command import Reply
from pbmserv.mail.log_words import pairs
from pbmserv.matches.open_offer import STAYS_OPEN, OpenOffer
from pbmserv.services.app import App
from pbmserv.services.bounces import notices_about
from pbmserv.services.notices import fixed_notice, notice_to
from pbmserv.services.sender import WORDS_LAST
from pbmserv.services.writer import deciding
from pbmserv.store import (
    accounts,
    clocks,
    confirmations,
    counts,
    letters,
    mail_tokens,
    offers,
    operating,
    players,
    retention,
    seatings,
)
from pbmserv.store.engine import reading, run_again, truncate_wal, writing

log = logging.getLogger(__name__)

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

    The caller may rest between the steps, so that others get at a SQLite file, and stop after any.
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
    """Deletes what mails have left once their board is over and they no longer prove anything."""
    last = b""
    while True:
        with reading(app.engine) as connection:
            gone, last = mail_tokens.expired_tokens(connection, last, now - WORDS_LAST, TOKENS)
        if gone:
            with writing(app.engine) as connection:
                mail_tokens.forget_tokens(connection, gone)
        if not last:
            return


class OfferExpired(Reply):
    """An offer was open for `days`, and not enough have accepted: told to all who had a part in it."""

    offer: OpenOffer
    days: int


OFFERS_AT_ONCE: Final = 20
"""Offers of one transaction."""


def expire(app: App, now: datetime) -> bool:
    """Closes some of those that were open too long; whether there may be more."""
    return run_again(lambda: _expire(app, now))


def _expire(app: App, now: datetime) -> bool:
    with deciding(app, now) as work:
        connection = work.connection
        old = offers.made_before(connection, now - STAYS_OPEN, OFFERS_AT_ONCE)
        for offer in old:
            offers.write(connection, EndedOffer(offer.id, "expired"), now)
            words = OfferExpired(offer, STAYS_OPEN.days)
            waited = (players.find(connection, userid) for userid in offer.players)
            work.say(notice_to(player, words) for player in waited if player is not None)
    return len(old) == OFFERS_AT_ONCE


LAST_MAIL_AFTER: Final = timedelta(hours=1)
"""When a player learns that they get no more mail: a passing fault of their mailbox may be over by then."""


def tell_over(app: App, now: datetime) -> bool:
    """Tells of a standstill that is over; False when there is none."""
    return run_again(partial(_tell_next, app, now))


def tell_suspended(app: App, now: datetime) -> bool:
    """Sends a last mail that is due; False when there is none."""
    return run_again(partial(_send_last_mail, app, now))


def _send_last_mail(app: App, now: datetime) -> bool:
    with deciding(app, now) as work:
        connection = work.connection
        due = clocks.next_last_mail(connection, now - LAST_MAIL_AFTER)
        if due is None:
            return False
        player = players.find_at(connection, due.address)
        if player is not None:
            last = fixed_notice(player, "mail/last.txt", "mail to you bounces", since=due.since)
            work.say([replace(last, kind="last")])
        clocks.mark_last_mail(connection, due.address, now)
    return True


def _tell_next(app: App, now: datetime) -> bool:
    with deciding(app, now) as work:
        connection = work.connection
        over = clocks.next_standstill_over(connection, now)
        if over is None:
            return False
        player = players.find_at(connection, over.address)
        if player is not None:
            work.say(notices_about(work, player, "mail/time_runs_on.txt"))
        clocks.mark_standstill_notified(connection, over.id, now)
    log.info("the clocks of a player run on, though mail to them comes back %s", pairs(player=over.player_id))
    return True
