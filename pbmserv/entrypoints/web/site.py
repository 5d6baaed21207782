"""What every answer has: headers that protect, a tag of its content, a page set for whoever asks."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

from fastapi import Request, Response

from pbmserv.rendering.web.page import AssetName, Frame, Page, asset, html
from pbmserv.services.house import House

A_YEAR: Final = 31_536_000

HTML: Final = "text/html; charset=utf-8"
TEXT: Final = "text/plain; charset=utf-8"
JSON: Final = "application/json"
ATOM: Final = "application/atom+xml; charset=utf-8"

HEADERS: Final = MappingProxyType(
    {
        "Content-Security-Policy": (
            "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; "
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

_WRITTEN_BY_PROXIES: Final = re.compile(
    r"via|forwarded|x-(?:original-)?forwarded.*|x-real-ip|(?:.+-)?(?:client|connecting)-ip|"
    r"x-envoy-external-address|cdn-loop|x-scheme"
)
_HOST: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z.-]+)(?::[0-9]+)?")

Ways = Mapping[str, Callable[..., Response]]
"""What answers at which addresses, in the form of FastAPI's paths; asked with GET and HEAD."""


@dataclass(frozen=True)
class Site:
    """The house that is looked at. `outgoing` is the Maildir that mails go out to, where there is nowhere else.

    `ring` tells a worker in the same process that a mail was kept.
    """

    house: House
    outgoing: Path | None = None
    ring: Callable[[], object] = field(default=lambda: None, repr=False)

    def show(
        self, request: Request, page: Page, status: int = 200, headers: Mapping[str, str] = MappingProxyType({})
    ) -> Response:
        """A page as an answer; whoever has the same one already is told so."""
        return self.send(request, html(page, self.frame(request)), HTML, status, headers)

    def send(
        self,
        request: Request,
        content: str | bytes,
        media_type: str,
        status: int = 200,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> Response:
        """Any content as an answer; `headers` go before those that all answers have."""
        whole = content.encode() if isinstance(content, str) else content
        tag = f'W/"{hashlib.sha256(whole).hexdigest()[:20]}"'
        told = {**HEADERS, "Cache-Control": "no-cache", **headers}
        if status == 200 and told["Cache-Control"] != "no-store":
            told["ETag"] = tag
            if tag in _tags(request):
                return Response(status_code=304, headers=told)
        return Response(whole, status, headers=told, media_type=media_type)

    def asset(self, name: AssetName) -> Response:
        """A file that pages refer to by its version: it may be kept for ever."""
        found = asset(name)
        headers = {**HEADERS, "Cache-Control": f"public, max-age={A_YEAR}, immutable"}
        return Response(found.content, headers=headers, media_type=found.media_type)

    def frame(self, request: Request) -> Frame:
        """What a page for this visitor is set in."""
        return Frame(self.house.server, self.is_at_home(request))

    def is_at_home(self, request: Request) -> bool:
        """Whether mail goes nowhere, and the visitor sits at this machine and knows it by a name of its own.

        The Host is looked at since any page of the world can make a name of its own mean this machine; what a
        proxy passes on comes from this machine too, whoever asks. Some add no header, and write the Host anew:
        nginx as it comes asks by HTTP/1.0, which browsers do not. Where people reach the pages from elsewhere
        nobody is at home, whatever a request looks like.
        """
        if self.outgoing is None or self._is_reached_from_elsewhere:
            return False
        client = request.client.host if request.client else ""
        is_old = request.scope.get("http_version") == "1.0"
        is_direct = not is_old and not any(map(_WRITTEN_BY_PROXIES.fullmatch, request.headers))
        return is_direct and _is_loopback(client) and _is_loopback(_host(request))

    @property
    def _is_reached_from_elsewhere(self) -> bool:
        try:
            told = urlsplit(self.house.server.site_url)
        except ValueError:
            return True
        return bool(told.geturl()) and not _is_loopback(told.hostname or "")


def _tags(request: Request) -> list[str]:
    return [tag.strip() for tag in request.headers.get("if-none-match", "").split(",")]


def _host(request: Request) -> str:
    found = _HOST.fullmatch(request.headers.get("host", ""))
    return found[1].lower() if found else ""


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
