"""What all routes share: the context of the site, answers with their headers, and the fields of forms."""

import re
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from secrets import token_bytes
from types import MappingProxyType
from typing import Final, TypeAlias, TypeVar
from urllib.parse import parse_qsl, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from pbmserv.server.connections import address_in, host_of
from pbmserv.services.app import App
from pbmserv.web.kept import Kept, NoTurn, Pencil, tag_of
from pbmserv.web.layout import AssetName, ErrorPage, Frame, Page, asset, html

LARGEST: Final = 60_000
"""The largest form, in bytes: a comment has up to 4,000 characters, and each may take twelve bytes."""

MOST_FIELDS: Final = 20


Fields: TypeAlias = Mapping[str, str]
"""The fields of a form, by name."""


async def read_fields(request: Request) -> Fields:
    """Reads the form of a request. Raises HTTPException: 413 if it is too large, 400 if it is not a form."""
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > LARGEST:
                raise HTTPException(413)
    except ClientDisconnect:
        # Nobody reads this answer. Without it, a client that hangs up would leave a traceback in the log.
        raise HTTPException(400) from None
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise HTTPException(400) from None
    return dict(pairs)


LOOK_EVERY: Final = 0.05

Seen = TypeVar("Seen")


def wait_for(look: Callable[[], Seen], is_enough: Callable[[Seen], bool], seconds: float) -> Seen:
    """Looks until what is seen is enough, or time is up, but at least once; returns what was seen last."""
    end = time.monotonic() + seconds
    while not is_enough(seen := look()) and time.monotonic() < end:
        time.sleep(LOOK_EVERY)
    return seen


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

Routes = Mapping[str, Callable[..., Response]]
"""Handlers by path, as Starlette writes it; they take the request and the parameters of the path."""


@dataclass(frozen=True)
class Site:
    """The context of the web pages."""

    app: App
    # The Maildir that mails go to, if they go nowhere else.
    outgoing: Path | None = None
    # Tells a worker in the same process that a mail was stored.
    ring: Callable[[], object] = field(default=lambda: None, repr=False)
    # The address of the proxy that is believed who asks for a page; empty: none is.
    trusted_proxy: str = ""
    # Signs what the pages of this process hand out and take back.
    secret: bytes = field(default_factory=lambda: token_bytes(32), repr=False)
    kept: defaultdict[str, Kept] = field(default_factory=lambda: defaultdict(Kept), repr=False)
    pencil: Pencil = field(default_factory=Pencil, repr=False)

    def show(
        self, request: Request, page: Page, status: int = 200, headers: Mapping[str, str] = MappingProxyType({})
    ) -> Response:
        """Answers with a page, or with 304 if the client has it already."""
        return self.send(request, html(page, self.frame(request)), HTML, status, headers)

    def show_kept(self, request: Request, page: Page, *key: Hashable) -> Response:
        """The same, with a page that is made once for each `key` of its class."""
        frame = self.frame(request)
        return self.send_kept(request, page.template, (key, frame), lambda: html(page, frame), HTML)

    def send_kept(
        self,
        request: Request,
        kind: str,
        key: Hashable,
        make: Callable[[], str | bytes],
        media_type: str,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> Response:
        """Answers with content of a kind that is made once for each key."""
        kept = self.kept[kind].find_or_make(key, make)
        told = {**HEADERS, "Cache-Control": "no-cache", "Vary": "Accept-Encoding", **headers, "ETag": kept.tag}
        if kept.tag in _tags(request):
            return Response(status_code=304, headers=told)
        if kept.is_packed and "gzip" in request.headers.get("accept-encoding", ""):
            return Response(kept.body, headers={**told, "Content-Encoding": "gzip"}, media_type=media_type)
        return Response(kept.plain, headers=told, media_type=media_type)

    def draw(
        self,
        request: Request,
        kind: str,
        key: Hashable,
        make: Callable[[], str | bytes],
        media_type: str,
        headers: Mapping[str, str],
    ) -> Response:
        """The same with what takes long to make: for that a visitor waits for a turn."""
        if self.kept[kind].find(key) is None:
            try:
                with self.pencil.turn(self.visitor(request)):
                    self.kept[kind].find_or_make(key, make)
            except NoTurn as refused:
                again = {"Retry-After": str(refused.again_in)}
                page = ErrorPage("share" if refused.is_visitors else "passing")
                return self.show(
                    request, page, 429 if refused.is_visitors else 503, {"Cache-Control": "no-store", **again}
                )
        return self.send_kept(request, kind, key, make, media_type, headers)

    def send(
        self,
        request: Request,
        content: str | bytes,
        media_type: str,
        status: int = 200,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> Response:
        """Answers with any content; `headers` override those that all answers have."""
        whole = content.encode() if isinstance(content, str) else content
        tag = tag_of(whole)
        told = {**HEADERS, "Cache-Control": "no-cache", **headers}
        if status == 200 and told["Cache-Control"] != "no-store":
            told["ETag"] = tag
            if tag in _tags(request):
                return Response(status_code=304, headers=told)
        return Response(whole, status, headers=told, media_type=media_type)

    def asset(self, request: Request, name: AssetName) -> Response:
        """Answers with a file that pages refer to by its version, so that it may be cached for ever."""
        found = asset(name, self.app.server.accent)
        headers = {"Cache-Control": f"public, max-age={A_YEAR}, immutable"}
        return self.send_kept(request, "asset", found.version, lambda: found.content, found.media_type, headers)

    def frame(self, request: Request) -> Frame:
        """The layout of pages for this visitor."""
        return Frame(self.app.server, self.is_at_home(request))

    def is_at_home(self, request: Request) -> bool:
        """Whether mail goes to a Maildir only, and the visitor is on this machine and uses one of its own names.

        The Host is checked because any website can make its own name resolve to this machine. A proxy is on this
        machine too, whatever sends the request. Some proxies add no header and rewrite the Host: nginx does by
        default, but it speaks HTTP/1.0, which browsers do not. If people reach the pages from elsewhere, nobody
        is at home, whatever a request looks like.
        """
        if self.outgoing is None or self._is_reached_from_elsewhere:
            return False
        client = request.client.host if request.client else ""
        is_old = request.scope.get("http_version") == "1.0"
        is_direct = not is_old and not any(map(_WRITTEN_BY_PROXIES.fullmatch, request.headers))
        return is_direct and _is_loopback(client) and _is_loopback(_host(request))

    def visitor(self, request: Request) -> str:
        """The host that asks, as limits count it; of IPv6 the network that one customer has.

        It is the other end of the connection, unless that is the proxy that is believed. Nothing else that is
        written in a request changes it: anybody can write that.
        """
        peer = request.client.host if request.client else ""
        if self.trusted_proxy and address_in(peer) == address_in(self.trusted_proxy):
            # The last word is the proxy's own, and some proxies add a line instead of a word.
            told = ",".join(request.headers.getlist("x-forwarded-for")).rpartition(",")[2].strip()
            peer = told if address_in(told) else peer
        return host_of(peer).name

    @property
    def _is_reached_from_elsewhere(self) -> bool:
        try:
            told = urlsplit(self.app.server.site_url)
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
