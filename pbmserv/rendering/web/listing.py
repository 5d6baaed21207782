"""The listing of boards: as a page, as a feed, and as JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pbmserv.commands.server import Server
from pbmserv.games.library import titles
from pbmserv.matches.open_offer import OpenOffer
from pbmserv.matches.records import Listed
from pbmserv.matches.search import MOST_COUNTED, Found, place_of
from pbmserv.rendering.environment import moment
from pbmserv.rendering.web.page import Page
from pbmserv.rendering.web.question import SORTS, STATUSES, Asked

FORMAT: Final = "pbmserv-games/1"


@dataclass(frozen=True, slots=True)
class Games(Page):
    """A page of the listing of boards as of `now`, with the open offers.

    `titles` are the games' names as people read them. `offers` are told where somebody looks for a game.
    """

    template = "web/games.html"
    section = "games"
    asked: Asked
    found: Found
    titles: Mapping[str, str]
    now: datetime
    offers: tuple[OpenOffer, ...] = ()
    statuses: tuple[str, ...] = tuple(STATUSES)
    sorts: tuple[str, ...] = SORTS
    most_counted: int = MOST_COUNTED

    @property
    def newer(self) -> str | None:
        """The address of the page before this one."""
        return _newer(self.asked, self.found)

    @property
    def older(self) -> str | None:
        """The address of the page after this one."""
        return _older(self.asked, self.found)

    @property
    def shows_time_left(self) -> bool:
        """Whether some clock runs."""
        return any(line.deadline for line in self.found.lines)


def games_page(asked: Asked, found: Found, now: datetime, offers: Sequence[OpenOffer] = ()) -> Games:
    """The listing that answers a question, and the offers that anybody may accept."""
    return Games(asked, found, titles(), now, tuple(offers))


def games_json(asked: Asked, found: Found, server: Server, site: str) -> str:
    """The same as JSON, as `games-1.schema.json` among the templates has it; `site` begins its links."""
    newer, older = (link(asked, found, "/games.json") for link in (_newer, _older))
    content = {
        "format": FORMAT,
        "server": server.domain,
        "total": min(found.total, MOST_COUNTED),
        "total_is_exact": found.total <= MOST_COUNTED,
        "boards": [_board(line, found.winners.get(line.number, ()), site) for line in found.lines],
        "prev": None if newer is None else f"{site}{newer}",
        "next": None if older is None else f"{site}{older}",
        "wrong": [{"name": wrong.name, "value": wrong.value} for wrong in asked.wrong],
    }
    return json.dumps(content, indent=1) + "\n"


def _newer(asked: Asked, found: Found, path: str = "/games") -> str | None:
    if not found.has_earlier:
        return None
    # Beyond the end nothing tells a place: the way leads back to the beginning.
    return asked.link(before=place_of(found.lines[0], asked.sort) if found.lines else None, path=path)


def _older(asked: Asked, found: Found, path: str = "/games") -> str | None:
    if not found.has_later or not found.lines:
        return None
    return asked.link(after=place_of(found.lines[-1], asked.sort), path=path)


def _board(line: Listed, winners: Sequence[str], site: str) -> dict[str, object]:
    return {
        "board": line.number,
        "url": f"{site}/boards/{line.number}",
        "game": line.game,
        "options": dict(line.options),
        "players": list(line.userids),
        "status": line.summary.status,
        "to_move": line.to_move,
        "winners": list(winners),
        "plies": line.summary.plies,
        "started": moment(line.started),
        "last_at": moment(line.summary.last_at),
        "last_move": line.summary.last_move or None,
        "time_until": None if line.deadline is None else moment(line.deadline),
    }
