"""Pictures of boards, such as `/boards/101.svg`, which other sites may show too."""

from collections.abc import Callable
from types import MappingProxyType
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from pbmserv.commands.vocabulary import is_number
from pbmserv.games import games
from pbmserv.matches.replay import GameState
from pbmserv.rendering.svg.pictures import card_of, film_of, movie_of, picture_of, sample_of
from pbmserv.services.views import load_game_state
from pbmserv.web.kept import key_of
from pbmserv.web.layout import NotFoundPage
from pbmserv.web.query import LONGEST_ECHO
from pbmserv.web.site import Routes, Site

HEADERS: Final = MappingProxyType(
    {
        # An SVG opened by itself is a page: it may only use its own styles.
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        "Cross-Origin-Resource-Policy": "cross-origin",
    }
)

Draw = Callable[[GameState, int | None], str | bytes]
Send = Callable[..., Response]
"""How it is sent: `Site.draw` what takes long to make, else `Site.send_kept`."""


def routes(site: Site) -> Routes:
    """The routes of a position, its preview image, the film of the game, and of what a game looks like."""
    return {
        "/games/{name}/movie.svg": _of_game(site, film_of, site.draw),
        "/games/{name}.svg": _of_game(site, sample_of, site.send_kept),
        "/boards/{number}.svg": _of_board(site, "image/svg+xml", picture_of, site.send_kept),
        "/boards/{number}.png": _of_board(site, "image/png", card_of, site.draw),
        "/boards/{number}/movie.svg": _of_board(site, "image/svg+xml", None, site.draw),
    }


def _of_game(site: Site, draw: Callable[[str], str], send: Send) -> Callable[..., Response]:
    def show(request: Request, name: str) -> Response:
        if name not in games():
            return site.show(request, NotFoundPage("game", name[:LONGEST_ECHO], tuple(games())), 404)
        return send(request, "game", (draw, name), lambda: draw(name), "image/svg+xml", HEADERS)

    return show


def _of_board(site: Site, media_type: str, draw: Draw | None, send: Send) -> Callable[..., Response]:
    """A picture of a moment, or without `draw` the film."""

    def show(request: Request, number: str) -> Response:
        board = load_game_state(site.app, int(number)) if is_number(number) else None
        if board is None:
            return site.show(request, NotFoundPage("board", number[:LONGEST_ECHO]), 404)
        asked = request.query_params.get("ply")
        if asked is not None and not (is_number(asked) and int(asked) <= board.state.plies):
            missing = NotFoundPage("ply", asked[:LONGEST_ECHO], board=board.match.number)
            return site.show(request, missing, 404)
        ply = int(asked) if asked is not None and draw else None

        def make() -> str | bytes:
            return draw(board, ply) if draw else movie_of(board)

        return send(request, "picture" if draw else "film", (draw, key_of(board), ply), make, media_type, HEADERS)

    return show
