"""The web application: the routers of all pages, and an answer for each kind of error."""

import logging
from collections.abc import Awaitable, Callable
from typing import Final, Literal
from urllib.parse import quote

from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pbmserv.mail.log_words import pairs
from pbmserv.matches.log import MissingRules
from pbmserv.store.engine import cause_of, is_database_trouble
from pbmserv.web import boards, desk, dev_mailbox, games, join, leave, pictures, play, players
from pbmserv.web import help as help_pages
from pbmserv.web.kept import COMPRESSION, LEAST_TO_COMPRESS
from pbmserv.web.layout import AssetName, ErrorPage, Frame, NotFoundPage, html
from pbmserv.web.query import LONGEST_ECHO
from pbmserv.web.site import HEADERS, Site, read_fields
from pbmserv.web.streams import PATH as STREAM_PATH
from pbmserv.web.streams import stream_route, streams_of

RETRY_AFTER: Final = 10

_ASSETS: Final[tuple[AssetName, ...]] = ("style.css", "script.js", "icon.svg")

log = logging.getLogger(__name__)


def make_app(site: Site) -> Starlette:
    """Builds the application; `state.streams` are its streams, which its server has to close."""
    pages = (games, pictures, boards, players, help_pages, play, desk, join, leave, dev_mailbox)
    shown = (games.home_routes, *(page.routes for page in pages))
    errors, streams = _ErrorPages(site), streams_of(site)
    app = Starlette(
        routes=[
            *(Route(path, _page(answer)) for routes in shown for path, answer in routes(site).items()),
            *(
                Route(path, _form(answer), methods=["POST"])
                for page in (play, desk, join, leave, dev_mailbox)
                for path, answer in page.forms(site).items()
            ),
            Route(STREAM_PATH, stream_route(site, streams)),
            *(Route(f"/{name}", _asset(site, name)) for name in _ASSETS),
        ],
        middleware=[Middleware(GZipMiddleware, minimum_size=LEAST_TO_COMPRESS, compresslevel=COMPRESSION)],
        exception_handlers={
            HTTPException: errors.refused,
            DatabaseError: errors.away,
            PoolTimeout: errors.away,
            MissingRules: errors.missing_game,
            Exception: errors.fault,
        },
    )
    # `_ErrorPages.refused` does it, and leads to no other host.
    app.router.redirect_slashes = False
    app.state.streams = streams
    return app


def _page(answer: Callable[..., Response]) -> Callable[[Request], Response]:
    """A handler of GET and HEAD, run in a thread; the parameters of the path are passed by name."""

    def look(request: Request) -> Response:
        return answer(request, **request.path_params)

    return look


def _form(answer: Callable[..., Response]) -> Callable[[Request], Awaitable[Response]]:
    """A handler of POST; the fields of the form are passed as `fields`."""

    async def send(request: Request) -> Response:
        fields = await read_fields(request)
        return await run_in_threadpool(answer, request, fields=fields, **request.path_params)

    return send


def _asset(site: Site, name: AssetName) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        return site.asset(request, name)

    return answer


class _ErrorPages:
    """An answer for each kind of error."""

    def __init__(self, site: Site) -> None:
        self._site = site
        # Rendered in advance, so that no fault can keep them from being sent.
        self._fault = html(ErrorPage("fault"), Frame(site.app.server))
        self._away = html(ErrorPage("passing"), Frame(site.app.server))

    def refused(self, request: Request, error: Exception) -> Response:
        """There is no such page, or the method is not allowed."""
        assert isinstance(error, HTTPException)
        path = request.scope["path"]
        if error.status_code == 404 and path.endswith("/") and path.strip("/"):
            # Quoted, with one slash in front: the redirect must not lead to another host.
            asked = request.url.query
            location = quote("/" + path.strip("/")) + (f"?{asked}" if asked else "")
            return Response(status_code=308, headers={**HEADERS, "Location": location})
        if dev_mailbox.is_hidden(self._site, request):
            return self._site.show(request, NotFoundPage("page"), 404)
        what: Literal["method", "page"] = "method" if error.status_code == 405 else "page"
        sent = self._site.show(request, NotFoundPage(what), error.status_code)
        sent.headers.update(error.headers or {})
        return sent

    def missing_game(self, request: Request, error: Exception) -> Response:
        """The game of a board is no longer installed: the log tells the operator, the page says so."""
        log.error("a page could not be shown %s", pairs(part="web", error=str(error)))
        number = request.path_params.get("number", "")
        return self._site.show(request, NotFoundPage("game_missing", str(number)[:LONGEST_ECHO]), 404)

    def fault(self, request: Request, error: Exception) -> Response:
        """Our own fault. The traceback goes to the log, never to the page."""
        return Response(self._fault, 500, headers=HEADERS, media_type="text/html")

    def away(self, request: Request, error: Exception) -> Response:
        """The database is away or busy: try again later. What is our own fault is raised."""
        if not (isinstance(error, OperationalError) or is_database_trouble(error)):
            raise error
        log.error("the database is away %s", pairs(part="web", error=cause_of(error)))
        headers = {**HEADERS, "Retry-After": str(RETRY_AFTER)}
        return Response(self._away, 503, headers=headers, media_type="text/html")
