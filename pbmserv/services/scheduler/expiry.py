"""What is said of open offers and of rematches. As in `replies`, each class's name names its template."""

import logging
from dataclasses import replace
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
from pbmserv.services.writer import deciding
from pbmserv.store import clocks, offers, players
from pbmserv.store.engine import run_again


class OfferExpired(Reply):
    """An offer was open so many `days`, and not enough have accepted: told to all who had a part in it."""

    offer: OpenOffer
    days: int


AT_ONCE: Final = 20
"""Offers of one transaction."""


def expire(app: App, now: datetime) -> bool:
    """Closes some of those that were open too long; whether there may be more."""
    return run_again(lambda: _expire(app, now))


def _expire(app: App, now: datetime) -> bool:
    with deciding(app, now) as work:
        connection = work.connection
        old = offers.made_before(connection, now - STAYS_OPEN, AT_ONCE)
        for offer in old:
            offers.write(connection, EndedOffer(offer.id, "expired"), now)
            words = OfferExpired(offer, STAYS_OPEN.days)
            waited = (players.find(connection, userid) for userid in offer.players)
            work.say(notice_to(player, words) for player in waited if player is not None)
    return len(old) == AT_ONCE


BATCH: Final = 50

log = logging.getLogger(__name__)


LAST_MAIL_AFTER: Final = timedelta(hours=1)
"""When whoever gets no mail any longer is told so: a passing fault of their mailbox may be over by then."""


def tell_over(app: App, now: datetime) -> bool:
    """Tells of standstills that are over, each in a transaction of its own; whether there may be more."""
    return all(run_again(partial(_tell_next, app, now)) for _ in range(BATCH))


def tell_suspended(app: App, now: datetime) -> bool:
    """Sends last mails, each in a transaction of its own; whether there may be more."""
    return all(run_again(partial(_send_last_mail, app, now)) for _ in range(BATCH))


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
