"""The first page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pbmserv.games.game import Info
from pbmserv.games.library import games, titles
from pbmserv.matches.open_offer import OpenOffer
from pbmserv.matches.records import Listed
from pbmserv.matches.search import MOST_COUNTED, Found
from pbmserv.rendering.web.page import Page

BOARDS_SHOWN: Final = 6


@dataclass(frozen=True, slots=True)
class Home(Page):
    """What this is, how to start, and what is going on: the boards that were played on last, and `offers`.

    `games` are those on offer, `titles` their names as people read them, `running` how many boards are being
    played, as far as they are counted.
    """

    template = "web/home.html"
    section = "home"
    games: tuple[Info, ...]
    titles: Mapping[str, str]
    boards: tuple[Listed, ...]
    running: int
    offers: tuple[OpenOffer, ...]
    most_counted: int = MOST_COUNTED


def home(found: Found, offers: Sequence[OpenOffer]) -> Home:
    """The first page, with the boards that were found and all open offers."""
    infos = tuple(game.info for game in games().values())
    return Home(infos, titles(), found.lines, found.total, tuple(offers))
