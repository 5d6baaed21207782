"""Games as an Atom feed (RFC 4287): each board is an entry that changes with it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from pbmserv.commands.server import Server
from pbmserv.games.library import titles
from pbmserv.matches.search import Found
from pbmserv.rendering.environment import render
from pbmserv.rendering.web.question import Asked

_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class GamesFeed:
    """The boards that answer a question, those played on last first; `site` begins all links."""

    asked: Asked
    found: Found
    site: str

    @property
    def updated(self) -> datetime:
        """When the last of them changed; long ago where there is none."""
        return max((line.summary.last_at for line in self.found.lines), default=_NEVER)


def games_feed(asked: Asked, found: Found, server: Server, site: str) -> str:
    """The feed as XML."""
    return render("web/games_feed.xml", feed=GamesFeed(asked, found, site), titles=titles(), server=server)
