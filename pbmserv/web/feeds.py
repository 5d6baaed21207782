"""Atom feeds (RFC 4287) of a board and of a search for boards."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from pbmserv.commands.server import Server
from pbmserv.games import titles
from pbmserv.matches.queries import SearchPage
from pbmserv.matches.replay import GameState
from pbmserv.rendering.record import game_log
from pbmserv.rendering.templates import render
from pbmserv.web.layout import board_preview
from pbmserv.web.query import GamesQuery

MOST_ENTRIES: Final = 50


def board_feed(board: GameState, server: Server) -> str:
    """The feed of a board as XML, the latest entry first.

    The id of an entry is its place in the log, which is append-only, so an id never changes its meaning.
    """
    story = game_log(board)
    newest = [*enumerate(story.log, 1)][: -MOST_ENTRIES - 1 : -1]
    preview = board_preview(story.view)
    return render("web/board_feed.xml", story=story, newest=newest, preview=preview, server=server)


_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class GamesFeed:
    """The boards found by a query, the latest moves first."""

    asked: GamesQuery
    found: SearchPage
    # The start of all links.
    site: str

    @property
    def updated(self) -> datetime:
        """When the last of them changed; long ago if there is none."""
        return max((line.summary.last_at for line in self.found.lines), default=_NEVER)


def games_feed(asked: GamesQuery, found: SearchPage, server: Server, site: str) -> str:
    """The feed of a query as XML."""
    return render("web/games_feed.xml", feed=GamesFeed(asked, found, site), titles=titles(), server=server)
