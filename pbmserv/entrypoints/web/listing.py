"""`/games`: boards by the page, and open offers; the same as a feed and as JSON."""

from dataclasses import replace

from fastapi import Request, Response

from pbmserv.entrypoints.bootstrap import utc_now
from pbmserv.entrypoints.web.site import ATOM, JSON, Site, Ways
from pbmserv.matches.search import Found
from pbmserv.rendering.web.games_feed import games_feed
from pbmserv.rendering.web.listing import games_json, games_page
from pbmserv.rendering.web.question import Asked, read_query
from pbmserv.services.views.listings import search_boards, see_offers
from pbmserv.services.views.people import see_userids


def ways(site: Site) -> Ways:
    """`/games?player=&game=&status=&sort=&after=&before=`; what cannot be is said there, and is no error."""

    def show(request: Request) -> Response:
        asked = _asked(site, request)
        # Whoever looks for certain boards, or through many, has seen them.
        is_first_look = asked.is_first and not asked.players
        offers = see_offers(site.house, asked.game) if is_first_look else ()
        return site.show(request, games_page(asked, _found(site, asked), utc_now(), offers))

    def follow(request: Request) -> Response:
        asked = replace(_asked(site, request), sort="last", after=None, before=None)
        told = games_feed(asked, _found(site, asked), site.house.server, _begin(site, request))
        return site.send(request, told, ATOM)

    def read(request: Request) -> Response:
        asked = _asked(site, request)
        told = games_json(asked, _found(site, asked), site.house.server, _begin(site, request))
        return site.send(request, told, JSON)

    return {"/games": show, "/games.atom": follow, "/games.json": read}


def _asked(site: Site, request: Request) -> Asked:
    asked = read_query(request.query_params.multi_items())
    return asked.naming(*see_userids(site.house, asked.players)) if asked.players else asked


def _found(site: Site, asked: Asked) -> Found:
    return Found((), 0) if asked.finds_nothing else search_boards(site.house, asked.search)


def _begin(site: Site, request: Request) -> str:
    """What links begin with that are followed from elsewhere."""
    return site.house.server.site_url or str(request.base_url).rstrip("/")
