"""Pictures of boards, such as `/boards/101.svg`, which other sites may show too."""

from collections.abc import Callable
from threading import Lock, Semaphore
from types import MappingProxyType
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from pbmserv.commands.base.vocabulary import is_number
from pbmserv.games import games
from pbmserv.matches.replay import GameState
from pbmserv.rendering.svg.pictures import card_of, film_of, movie_of, picture_of, sample_of
from pbmserv.services.views import load_game_state
from pbmserv.web.layout import ErrorPage, NotFoundPage
from pbmserv.web.query import LONGEST_ECHO
from pbmserv.web.site import Routes, Site

HEADERS: Final = MappingProxyType(
    {
        # An SVG opened by itself is a page: it may only use its own styles.
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        "Cross-Origin-Resource-Policy": "cross-origin",
    }
)

MOST_IN_LINE: Final = 5
"""The most requests for slow pictures that are drawn or wait; more are refused.

A picture takes a tenth of a second, during which this process does nothing else.
"""

RETRY_AFTER: Final = 2

Draw = Callable[[GameState, int | None], str | bytes]


def routes(site: Site) -> Routes:
    """The routes of a position, its preview image, the film of the game, and of what a game looks like."""
    line, pencil = Semaphore(MOST_IN_LINE), Lock()

    def in_line(show: Callable[..., Response]) -> Callable[..., Response]:
        def wait_and_show(request: Request, **place: str) -> Response:
            if not line.acquire(blocking=False):
                return site.show(request, ErrorPage(passing=True), 503, {"Retry-After": str(RETRY_AFTER)})
            try:
                with pencil:
                    return show(request, **place)
            finally:
                line.release()

        return wait_and_show

    def sample(request: Request, name: str) -> Response:
        if name not in games():
            return site.show(request, NotFoundPage("game", name[:LONGEST_ECHO], tuple(games())), 404)
        return site.send(request, sample_of(name), "image/svg+xml", headers=HEADERS)

    def film(request: Request, name: str) -> Response:
        if name not in games():
            return site.show(request, NotFoundPage("game", name[:LONGEST_ECHO], tuple(games())), 404)
        return site.send(request, film_of(name), "image/svg+xml", headers=HEADERS)

    return {
        "/games/{name}/movie.svg": in_line(film),
        "/games/{name}.svg": sample,
        "/boards/{number}.svg": _shown(site, "image/svg+xml", picture_of),
        "/boards/{number}.png": in_line(_shown(site, "image/png", card_of)),
        "/boards/{number}/movie.svg": in_line(_shown(site, "image/svg+xml", lambda board, _: movie_of(board))),
    }


def _shown(site: Site, media_type: str, draw: Draw) -> Callable[..., Response]:
    def show(request: Request, number: str) -> Response:
        board = load_game_state(site.app, int(number)) if is_number(number) else None
        if board is None:
            return site.show(request, NotFoundPage("board", number[:LONGEST_ECHO]), 404)
        asked = request.query_params.get("ply")
        if asked is not None and not (is_number(asked) and int(asked) <= board.state.plies):
            missing = NotFoundPage("ply", asked[:LONGEST_ECHO], board=board.match.number)
            return site.show(request, missing, 404)
        drawn = draw(board, None if asked is None else int(asked))
        return site.send(request, drawn, media_type, headers=HEADERS)

    return show
