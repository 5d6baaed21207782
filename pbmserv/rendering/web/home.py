"""The first page."""

from dataclasses import dataclass

from pbmserv.games.game import Info
from pbmserv.games.library import games
from pbmserv.rendering.web.page import Page


@dataclass(frozen=True, slots=True)
class Home(Page):
    """What this is and how to start; `games` are those on offer."""

    template = "web/home.html"
    section = "home"
    games: tuple[Info, ...]


def home() -> Home:
    """The first page."""
    return Home(tuple(game.info for game in games().values()))
