"""The application: the rooms of the site under their addresses, and an answer for each way to fail."""

import logging
from collections.abc import Callable
from typing import Final, Literal
from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from fastapi.telemetry import TelemetryConfig
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

from pbmserv.entrypoints.web import boards, home, listing, mailbox, manual, people, pictures, play
from pbmserv.entrypoints.web.site import HEADERS, Site
from pbmserv.rendering.web.page import AssetName, Frame, html
from pbmserv.rendering.web.trouble import Missing, Trouble

RETRY_AFTER: Final = 10
LEAST_TO_COMPRESS: Final = 1000
COMPRESSION: Final = 5

_ASSETS: Final[tuple[AssetName, ...]] = ("style.css", "script.js", "icon.svg")

log = logging.getLogger(__name__)


def make_app(site: Site) -> FastAPI:
    """The application that answers for a site."""
    # Nothing about visitors is reported anywhere, whatever the environment says.
    silent = TelemetryConfig(tracing=False, metrics=False, logs=False, operation_spans=False, auto_configure=False)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False, telemetry=silent)
    app.add_middleware(GZipMiddleware, minimum_size=LEAST_TO_COMPRESS, compresslevel=COMPRESSION)
    for room in (home, listing, pictures, boards, people, manual, play, mailbox):
        for path, answer in room.ways(site).items():
            app.add_api_route(path, answer, methods=["GET", "HEAD"])
    for room_of_forms in (play, mailbox):
        for path, answer in room_of_forms.forms(site).items():
            app.add_api_route(path, answer, methods=["POST"])
    for name in _ASSETS:
        app.add_api_route(f"/{name}", _asset(site, name), methods=["GET", "HEAD"])
    failing = _Failing(site)
    app.add_exception_handler(HTTPException, failing.refused)
    for away in (OperationalError, PoolTimeout):
        app.add_exception_handler(away, failing.away)
    app.add_exception_handler(Exception, failing.fault)
    return app


def _asset(site: Site, name: AssetName) -> Callable[[], Response]:
    def answer() -> Response:
        return site.asset(name)

    return answer


class _Failing:
    """An answer for each way in which one can fail."""

    def __init__(self, site: Site) -> None:
        self._site = site
        # Made beforehand, so that no fault can keep them from being sent.
        self._fault = html(Trouble(passing=False), Frame(site.house.server))
        self._away = html(Trouble(passing=True), Frame(site.house.server))

    def refused(self, request: Request, error: Exception) -> Response:
        """An address that nothing is at, or a method that is not for looking."""
        assert isinstance(error, HTTPException)
        path = request.scope["path"]
        if error.status_code == 404 and path.endswith("/") and path.strip("/"):
            # One slash in front and quoted: the answer must not lead to another host.
            asked = request.url.query
            location = quote("/" + path.strip("/")) + (f"?{asked}" if asked else "")
            return Response(status_code=308, headers={**HEADERS, "Location": location})
        if mailbox.is_hidden(self._site, request):
            return self._site.show(request, Missing("page"), 404)
        what: Literal["method", "page"] = "method" if error.status_code == 405 else "page"
        sent = self._site.show(request, Missing(what), error.status_code)
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
