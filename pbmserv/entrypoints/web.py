"""The web pages: addresses to pages, and the part that serves them. No cookies, no scripts, no third parties."""

import asyncio
import contextlib
import logging
import socket
import threading
from collections.abc import Iterator
from types import MappingProxyType
from typing import Final, Literal
from urllib.parse import quote

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.telemetry import TelemetryConfig
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException

from pbmserv.commands.words import is_number
from pbmserv.entrypoints.bootstrap import utc_now
from pbmserv.matches.records import Listing
from pbmserv.rendering.pages import (
    AssetName,
    Games,
    Missing,
    Page,
    Trouble,
    asset,
    board_page,
    games_page,
    help_page,
    home,
    html,
)
from pbmserv.rendering.question import LONGEST_ECHO, Asked, read_query
from pbmserv.services.house import House
from pbmserv.services.views import see_board, see_boards, see_offers, see_similar_userids, see_userid

LOOK_EVERY: Final = 0.1
LONGEST_GOODBYE: Final = 3
RETRY_AFTER: Final = 10
A_YEAR: Final = 31_536_000

HEADERS: Final = MappingProxyType(
    {
        "Content-Security-Policy": (
            "default-src 'none'; style-src 'self'; img-src 'self'; "
            "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }
)

log = logging.getLogger(__name__)


class Site:
    """A method for each address, and for each way in which one can fail."""

    def __init__(self, house: House) -> None:
        self._house = house
        # Made beforehand, so that no fault can keep them from being sent.
        self._fault = html(Trouble(passing=False), house.server)
        self._away = html(Trouble(passing=True), house.server)

    def home(self) -> Response:
        """`/`"""
        return self._sent(home())

    def games(self, request: Request) -> Response:
        """`/games?player=&game=&status=&page=`; what cannot be is said on the page, and is no error."""
        asked = read_query(request.query_params.multi_items())
        found = {typed: see_userid(self._house, typed) for typed in asked.players}
        unknown = [typed for typed, userid in found.items() if userid is None]
        asked = asked.naming(found, {typed: see_similar_userids(self._house, typed) for typed in unknown})
        page = self._listed(asked)
        if asked.page > page.pages and not asked.finds_nothing:
            page = self._listed(asked.on_last(page.pages))
        return self._sent(page)

    def board(self, number: str) -> Response:
        """`/boards/101`"""
        seen = see_board(self._house, int(number), utc_now()) if is_number(number) else None
        if seen is None:
            return self._sent(Missing("board", number[:LONGEST_ECHO]), 404)
        return self._sent(board_page(seen.match, seen.state, seen.view))

    def help(self, subject: str = "") -> Response:
        """`/help` and `/help/move`"""
        page = help_page(subject, self._house.server)
        return self._sent(page, 404 if isinstance(page, Missing) else 200)

    def style(self) -> Response:
        """`/style.css`"""
        return self._asset("style.css")

    def icon(self) -> Response:
        """`/icon.svg`"""
        return self._asset("icon.svg")

    def refused(self, request: Request, error: Exception) -> Response:
        """An address that nothing is at, or a method that is not for looking."""
        assert isinstance(error, HTTPException)
        path = request.scope["path"]
        if error.status_code == 404 and path.endswith("/") and path.strip("/"):
            # One slash in front and quoted: the answer must not lead to another host.
            asked = request.url.query
            location = quote("/" + path.strip("/")) + (f"?{asked}" if asked else "")
            return Response(status_code=308, headers={**HEADERS, "Location": location})
        what: Literal["method", "page"] = "method" if error.status_code == 405 else "page"
        sent = self._sent(Missing(what), error.status_code)
        sent.headers.update(error.headers or {})
        return sent

    def fault(self, request: Request, error: Exception) -> Response:
        """Our own fault; the traceback goes to the log, and nothing of it to the page."""
        return Response(self._fault, 500, headers=HEADERS, media_type="text/html")

    def away(self, request: Request, error: Exception) -> Response:
        """The database is away or busy."""
        log.error("a page could not be shown: the database is away (%s)", type(error).__name__)
        headers = {**HEADERS, "Retry-After": str(RETRY_AFTER)}
        return Response(self._away, 503, headers=headers, media_type="text/html")

    def _listed(self, asked: Asked) -> Games:
        found = Listing((), 0) if asked.finds_nothing else see_boards(self._house, asked.wanted)
        # Whoever looks for certain boards, or through many, has seen them.
        is_first_look = asked.page == 1 and not asked.players
        return games_page(asked, found, see_offers(self._house, asked.game) if is_first_look else ())

    def _sent(self, page: Page, status: int = 200) -> Response:
        headers = {**HEADERS, "Cache-Control": "no-cache"}
        return Response(html(page, self._house.server), status, headers=headers, media_type="text/html")

    def _asset(self, name: AssetName) -> Response:
        found = asset(name)
        headers = {**HEADERS, "Cache-Control": f"public, max-age={A_YEAR}, immutable"}
        return Response(found.content, headers=headers, media_type=found.media_type)


def make_app(house: House) -> FastAPI:
    """The application that answers for a house."""
    # Nothing about visitors is reported anywhere, whatever the environment says.
    silent = TelemetryConfig(tracing=False, metrics=False, logs=False, operation_spans=False, auto_configure=False)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False, telemetry=silent)
    site = Site(house)
    for path, answer in (
        ("/", site.home),
        ("/games", site.games),
        ("/boards/{number}", site.board),
        ("/help", site.help),
        ("/help/{subject}", site.help),
        ("/style.css", site.style),
        ("/icon.svg", site.icon),
    ):
        app.add_api_route(path, answer, methods=["GET", "HEAD"])
    app.add_exception_handler(HTTPException, site.refused)
    for away in (OperationalError, PoolTimeout):
        app.add_exception_handler(away, site.away)
    app.add_exception_handler(Exception, site.fault)
    return app


class WebPart:
    """Shows the pages at a host and port; port 0 lets the system choose, and `url` tells which.

    From the start it holds the port: visitors who come before `run` wait. Raises OSError when it cannot be had.
    """

    def __init__(self, house: House, host: str, port: int) -> None:
        self._house = house
        self._socket = _listening(host, port)
        self.url = _url(host, self._socket.getsockname()[1])

    def run(self, stop: threading.Event) -> None:
        """Shows the pages until `stop` is set, then lets go of the port."""
        config = uvicorn.Config(
            make_app(self._house),
            lifespan="off",
            ws="none",
            http="h11",
            log_config=None,
            log_level="warning",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=LONGEST_GOODBYE,
        )
        with self._socket:
            asyncio.run(self._serve(_Server(config), stop))

    async def _serve(self, server: uvicorn.Server, stop: threading.Event) -> None:
        serving = asyncio.create_task(server.serve(sockets=[self._socket]))
        while not (serving.done() or stop.is_set()):
            await asyncio.sleep(LOOK_EVERY)
        server.should_exit = True
        await serving


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leaves signals to those who run the parts."""
        yield


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(place)
            listening.listen(100)
        except OSError:
            listening.close()
            raise
    except OSError as error:
        raise OSError(f"cannot show the pages at {_url(host, port)}: {error.strerror or error}") from error
    return listening


def _url(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
