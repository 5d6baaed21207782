"""The first page."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from pbmserv.commands.server import Server
from pbmserv.games import title_with, titles
from pbmserv.games.info import Info
from pbmserv.matches.open_offer import OpenOffer
from pbmserv.matches.queries import MOST_COUNTED, BoardRow, BoardSearch, SearchPage, cursor_of
from pbmserv.rendering.language import moment
from pbmserv.rendering.templates import render
from pbmserv.services.app import utc_now
from pbmserv.services.views import list_offers, resolve_userids, search_boards
from pbmserv.web.layout import Page, games_told
from pbmserv.web.query import SORTS, STATUSES, GamesQuery, read_query
from pbmserv.web.site import ATOM, JSON, Routes, Site

BOARDS_SHOWN: Final = 6


@dataclass(frozen=True, slots=True)
class Home(Page):
    """What this is, how to start, and what is going on: the boards that were played on last, and `offers`.

    `games` are those on offer, `running` how many boards are being played, as far as they are counted.
    """

    template = "web/home.html"
    section = "home"
    games: tuple[Info, ...]
    boards: tuple[BoardRow, ...]
    running: int
    offers: tuple[OpenOffer, ...]
    now: datetime
    most_counted: int = MOST_COUNTED


def home(found: SearchPage, offers: Sequence[OpenOffer], now: datetime, server: Server) -> Home:
    """The first page as of `now`, with the boards that were found and all open offers."""
    return Home(games_told(server), found.lines, found.total, tuple(offers), now)


FORMAT: Final = "pbmserv-games/1"


@dataclass(frozen=True, slots=True)
class Games(Page):
    """A page of the listing of boards as of `now`, with the open offers.

    `titles` are the games' names as people read them. `offers` are told where somebody looks for a game.
    """

    template = "web/games.html"
    section = "games"
    asked: GamesQuery
    found: SearchPage
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


def games_page(asked: GamesQuery, found: SearchPage, now: datetime, offers: Sequence[OpenOffer] = ()) -> Games:
    """The listing that answers a question, and the offers that anybody may accept."""
    return Games(asked, found, titles(), now, tuple(offers))


def games_json(asked: GamesQuery, found: SearchPage, server: Server, site: str) -> str:
    """The same as JSON, as `games-1.schema.json` among the templates has it; `site` begins its links."""
    newer, older = (link(asked, found, "/games.json") for link in (_newer, _older))
    content = {
        "format": FORMAT,
        "server": server.domain,
        "club": server.club_name,
        "total": min(found.total, MOST_COUNTED),
        "total_is_exact": found.total <= MOST_COUNTED,
        "boards": [_board(line, found.winners.get(line.number, ()), site) for line in found.lines],
        "prev": None if newer is None else f"{site}{newer}",
        "next": None if older is None else f"{site}{older}",
        "wrong": [{"name": wrong.name, "value": wrong.value} for wrong in asked.wrong],
    }
    return json.dumps(content, indent=1) + "\n"


def _newer(asked: GamesQuery, found: SearchPage, path: str = "/games") -> str | None:
    if not found.has_earlier:
        return None
    # Beyond the end nothing tells a place: the way leads back to the beginning.
    return asked.link(before=cursor_of(found.lines[0], asked.sort) if found.lines else None, path=path)


def _older(asked: GamesQuery, found: SearchPage, path: str = "/games") -> str | None:
    if not found.has_later or not found.lines:
        return None
    return asked.link(after=cursor_of(found.lines[-1], asked.sort), path=path)


def _board(line: BoardRow, winners: Sequence[str], site: str) -> dict[str, object]:
    return {
        "board": line.number,
        "url": f"{site}/boards/{line.number}",
        "game": line.game,
        "title": title_with(line.game, line.options),
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


def routes(site: Site) -> Routes:
    """`/games?player=&game=&status=&sort=&after=&before=`; what cannot be is said there, and is no error."""

    def show(request: Request) -> Response:
        asked = _asked(site, request)
        # Visitors who search, or page through many, have seen them.
        is_first_look = asked.is_first and not asked.players
        offers = list_offers(site.app, asked.game) if is_first_look else ()
        found = _found(site, asked)
        now = _minute(found)
        page = games_page(asked, found, now, offers)
        key = found.lines, found.total, found.has_earlier, found.has_later, tuple(found.winners.items())
        return site.show_kept(request, page, asked, *key, page.offers, now)

    def follow(request: Request) -> Response:
        asked = replace(_asked(site, request), sort="last", after=None, before=None)
        told = games_feed(asked, _found(site, asked), site.app.server, _begin(site, request))
        return site.send(request, told, ATOM)

    def read(request: Request) -> Response:
        asked = _asked(site, request)
        told = games_json(asked, _found(site, asked), site.app.server, _begin(site, request))
        return site.send(request, told, JSON)

    return {"/games": show, "/games.atom": follow, "/games.json": read}


def _asked(site: Site, request: Request) -> GamesQuery:
    asked = read_query(request.query_params.multi_items())
    return asked.naming(*resolve_userids(site.app, asked.players)) if asked.players else asked


def _found(site: Site, asked: GamesQuery) -> SearchPage:
    return SearchPage((), 0) if asked.finds_nothing else search_boards(site.app, asked.search)


def _minute(found: SearchPage) -> datetime:
    """The time as pages tell it, who say "3 minutes ago": nothing on them changes sooner."""
    return max([utc_now().replace(second=0, microsecond=0), *(line.summary.last_at for line in found.lines)])


def _begin(site: Site, request: Request) -> str:
    """What links begin with that are followed from elsewhere."""
    return site.app.server.site_url or str(request.base_url).rstrip("/")


def home_routes(site: Site) -> Routes:
    """The first page."""

    def show(request: Request) -> Response:
        found, offers = search_boards(site.app, BoardSearch(count=BOARDS_SHOWN)), list_offers(site.app, None)
        now = _minute(found)
        page = home(found, offers, now, site.app.server)
        return site.show_kept(request, page, page.boards, page.running, page.offers, now)

    return {"/": show}


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
