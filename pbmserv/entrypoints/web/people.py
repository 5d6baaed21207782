"""`/players/alice` and `/standings/cephalopod`."""

from types import MappingProxyType
from typing import Final
from urllib.parse import quote

from fastapi import Request, Response

from pbmserv.commands.verbs.standings import MOST_LINES
from pbmserv.commands.words import is_userid
from pbmserv.entrypoints.bootstrap import utc_now
from pbmserv.entrypoints.web.site import HEADERS, Site, Ways
from pbmserv.games.library import games
from pbmserv.rendering.web.people import Sought, StandingsPage, player_page, read_sought, standings_page
from pbmserv.rendering.web.question import LONGEST_ECHO
from pbmserv.rendering.web.trouble import Missing
from pbmserv.services.views.people import see_player, see_similar_userids, see_standings

_NOT_TO_BE_FOUND: Final = MappingProxyType({"X-Robots-Tag": "noindex"})
"""Search engines are asked to leave people alone."""


def ways(site: Site) -> Ways:
    """The pages of players, and the standings; `/standings` are those of the game that is told of first."""

    def show_player(request: Request, userid: str) -> Response:
        profile = see_player(site.house, userid, utc_now())
        if profile is None:
            similar = tuple(see_similar_userids(site.house, userid)) if is_userid(userid) else ()
            return site.show(request, Missing("player", userid[:LONGEST_ECHO], similar), 404, _NOT_TO_BE_FOUND)
        if userid != profile.userid:
            location = f"/players/{quote(profile.userid, safe='')}"
            return Response(status_code=308, headers={**HEADERS, **_NOT_TO_BE_FOUND, "Location": location})
        return site.show(request, player_page(profile), headers=_NOT_TO_BE_FOUND)

    def show_standings(request: Request, game: str = next(iter(games()))) -> Response:
        known = game.lower()
        if known not in games():
            return site.show(request, Missing("game", game[:LONGEST_ECHO], tuple(games())), 404)
        sought = read_sought(request.query_params.multi_items())
        page = _standings(site, known, sought)
        if sought.page > page.pages:
            page = _standings(site, known, sought.on_last(page.pages))
        return site.show(request, page)

    return {
        "/players/{userid}": show_player,
        "/standings": show_standings,
        "/standings/{game}": show_standings,
    }


def _standings(site: Site, game: str, sought: Sought) -> StandingsPage:
    found = see_standings(site.house, game, sought.sections, utc_now(), sought.first, MOST_LINES)
    return standings_page(game, sought, found)
