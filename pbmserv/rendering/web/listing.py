"""The listing of boards."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pbmserv.games.library import games
from pbmserv.matches.open_offer import OpenOffer
from pbmserv.matches.records import Filter, Listing
from pbmserv.rendering.web.page import Page
from pbmserv.rendering.web.question import BOARDS_A_PAGE, STATUSES, Asked


@dataclass(frozen=True, slots=True)
class Games(Page):
    """A page of the listing of boards, with the open offers; `titles` are the games' names as people read them."""

    template = "web/games.html"
    section = "games"
    asked: Asked
    listing: Listing
    titles: Mapping[str, str]
    offers: tuple[OpenOffer, ...] = ()
    statuses: tuple[Filter, ...] = STATUSES

    @property
    def pages(self) -> int:
        """How many pages there are, at least one."""
        return max(1, -(-self.listing.total // BOARDS_A_PAGE))


def games_page(asked: Asked, listing: Listing, offers: Sequence[OpenOffer] = ()) -> Games:
    """The listing that answers a question, and the offers that anybody may accept."""
    titles = {name: game.info.title for name, game in games().items()}
    return Games(asked, listing, titles, tuple(offers))
