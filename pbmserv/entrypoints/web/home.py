"""`/`"""

from fastapi import Request, Response

from pbmserv.entrypoints.web.site import Site, Ways
from pbmserv.matches.search import Search
from pbmserv.rendering.web.home import BOARDS_SHOWN, home
from pbmserv.services.views.listings import search_boards, see_offers


def ways(site: Site) -> Ways:
    """The first page."""

    def show(request: Request) -> Response:
        found = search_boards(site.house, Search(count=BOARDS_SHOWN))
        return site.show(request, home(found, see_offers(site.house, None)))

    return {"/": show}
