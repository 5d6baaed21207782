"""Open offers that nobody has accepted in time: they are closed, and those who waited are told."""

from datetime import datetime
from typing import Final

from pbmserv.commands.changes import EndedOffer
from pbmserv.commands.replies.offer import OfferExpired
from pbmserv.matches.open_offer import STAYS_OPEN
from pbmserv.services.house import House
from pbmserv.services.letters import tell_letter
from pbmserv.store import offers, outbox, players
from pbmserv.store.engine import run_again, writing

AT_ONCE: Final = 20
"""Offers of one transaction."""


def expire(house: House, now: datetime) -> bool:
    """Closes some of those that were open too long; whether there may be more."""
    return run_again(lambda: _expire(house, now))


def _expire(house: House, now: datetime) -> bool:
    with writing(house.engine) as connection:
        old = offers.made_before(connection, now - STAYS_OPEN, AT_ONCE)
        for offer in old:
            offers.keep(connection, EndedOffer(offer.id, "expired"), now)
            words = OfferExpired(offer, STAYS_OPEN.days)
            waited = (players.find(connection, userid) for userid in offer.players)
            letters = [tell_letter(house, player, words, None, now) for player in waited if player is not None]
            outbox.queue(connection, letters, now)
    return len(old) == AT_ONCE
