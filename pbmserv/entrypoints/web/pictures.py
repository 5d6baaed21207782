"""`/boards/101.svg` and its like: boards as pictures, which other sites may show too."""

from collections.abc import Callable
from threading import Lock, Semaphore
from types import MappingProxyType
from typing import Final

from fastapi import Request, Response

from pbmserv.commands.words import is_number
from pbmserv.entrypoints.web.site import Site, Ways
from pbmserv.matches.replay import Replayed
from pbmserv.rendering.picture.draw import card_of, movie_of, picture_of
from pbmserv.rendering.web.question import LONGEST_ECHO
from pbmserv.rendering.web.trouble import Missing, Trouble
from pbmserv.services.views.boards import see_replayed

HEADERS: Final = MappingProxyType(
    {
        # Opened by itself an SVG is a page: it may do nothing but bring its own colours.
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        "Cross-Origin-Resource-Policy": "cross-origin",
    }
)

MOST_IN_LINE: Final = 5
"""So many wait for a slow picture or have it drawn, one after the other; whoever comes beyond them is sent away.

One takes a tenth of a second, in which nothing else of this process goes on.
"""

RETRY_AFTER: Final = 2

Draw = Callable[[Replayed, int | None], str | bytes]


def ways(site: Site) -> Ways:
    """A position, a preview of it, and the whole game."""
    line, pencil = Semaphore(MOST_IN_LINE), Lock()

    def in_line(show: Callable[..., Response]) -> Callable[..., Response]:
        def wait_and_show(request: Request, number: str) -> Response:
            if not line.acquire(blocking=False):
                return site.show(request, Trouble(passing=True), 503, {"Retry-After": str(RETRY_AFTER)})
            try:
                with pencil:
                    return show(request, number)
            finally:
                line.release()

        return wait_and_show

    return {
        "/boards/{number}.svg": _shown(site, "image/svg+xml", picture_of),
        "/boards/{number}.png": in_line(_shown(site, "image/png", card_of)),
        "/boards/{number}/movie.svg": in_line(_shown(site, "image/svg+xml", lambda board, _: movie_of(board))),
    }


def _shown(site: Site, media_type: str, draw: Draw) -> Callable[..., Response]:
    def show(request: Request, number: str) -> Response:
        board = see_replayed(site.house, int(number)) if is_number(number) else None
        if board is None:
            return site.show(request, Missing("board", number[:LONGEST_ECHO]), 404)
        asked = request.query_params.get("ply")
        if asked is not None and not (is_number(asked) and int(asked) <= board.state.plies):
            missing = Missing("ply", asked[:LONGEST_ECHO], board=board.match.number)
            return site.show(request, missing, 404)
        drawn = draw(board, None if asked is None else int(asked))
        return site.send(request, drawn, media_type, headers=HEADERS)

    return show
