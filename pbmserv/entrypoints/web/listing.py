"""`/games`: boards by the page, and open offers."""

from fastapi import Request, Response

from pbmserv.entrypoints.web.site import Site, Ways
from pbmserv.matches.records import Listing
from pbmserv.rendering.web.listing import Games, games_page
from pbmserv.rendering.web.question import Asked, read_query
from pbmserv.services.views.listings import see_boards, see_offers
from pbmserv.services.views.people import see_similar_userids, see_userid


def ways(site: Site) -> Ways:
    """`/games?player=&game=&status=&page=`; what cannot be is said on the page, and is no error."""

    def show(request: Request) -> Response:
        asked = read_query(request.query_params.multi_items())
        found = {typed: see_userid(site.house, typed) for typed in asked.players}
        unknown = [typed for typed, userid in found.items() if userid is None]
        asked = asked.naming(found, {typed: see_similar_userids(site.house, typed) for typed in unknown})
        page = _listed(site, asked)
        if asked.page > page.pages and not asked.finds_nothing:
            page = _listed(site, asked.on_last(page.pages))
        return site.show(request, page)

    return {"/games": show}


def _listed(site: Site, asked: Asked) -> Games:
    found = Listing((), 0) if asked.finds_nothing else see_boards(site.house, asked.wanted)
    # Whoever looks for certain boards, or through many, has seen them.
    is_first_look = asked.page == 1 and not asked.players
    return games_page(asked, found, see_offers(site.house, asked.game) if is_first_look else ())
