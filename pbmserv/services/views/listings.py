"""Boards and offers by the page."""

from collections.abc import Sequence

from pbmserv.matches.open_offer import OpenOffer
from pbmserv.matches.records import Listing, Wanted
from pbmserv.matches.search import Found, Search
from pbmserv.services.house import House
from pbmserv.store import listing, offers
from pbmserv.store.engine import reading


def see_boards(house: House, wanted: Wanted) -> Listing:
    """A page of the listing of boards."""
    with reading(house.engine) as connection:
        return listing.listing(connection, wanted)


def search_boards(house: House, wanted: Search) -> Found:
    """A page of the boards that are sought; what it costs does not grow with how many boards there are."""
    with reading(house.engine) as connection:
        return listing.search(connection, wanted)


def see_offers(house: House, game: str | None) -> Sequence[OpenOffer]:
    """The open offers of a game, or of all, by number."""
    with reading(house.engine) as connection:
        return [offer for offer in offers.all_open(connection) if game in (None, offer.game)]
