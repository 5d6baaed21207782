"""`/join`: a form with a name and an address, which sends the mail that a newcomer would have sent.

The page says the same whether or not the address has an account. It needs no cookie and no script: a form is good
for two hours from three seconds after its page was asked for, which a signed time in it proves. Another process
does not know that signature; then the form comes back as it was filled in, with a new one.
"""

import hashlib
import hmac
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final, Literal

from starlette.requests import Request
from starlette.responses import Response

from pbmserv.services.app import utc_now
from pbmserv.services.posting import Wish, WishFlaws, flaws_of_wish, join
from pbmserv.web.layout import Page
from pbmserv.web.site import HEADERS, Fields, Routes, Site

LEAST_WAIT: Final = timedelta(seconds=3)
"""A person needs longer to fill in the form."""

LASTS: Final = timedelta(hours=2)

_LONGEST_TYPED: Final = 254
_PRIVATE: Final = MappingProxyType({"Cache-Control": "no-store"})

NOTHING: Final = Wish("", "")
NO_FLAWS: Final = WishFlaws()

Trouble = Literal["", "stale", "quick", "full"]
"""Why a form without flaws was not taken: its page is too old, or too new, or there were too many of them."""


@dataclass(frozen=True, slots=True)
class JoinPage(Page):
    """The form, with what was typed already and what is wrong with it."""

    template = "web/join.html"
    section = "join"
    token: str = field(repr=False)
    wish: Wish = NOTHING
    flaws: WishFlaws = NO_FLAWS
    trouble: Trouble = ""


@dataclass(frozen=True, slots=True)
class JoinedPage(Page):
    """A mail is on its way, or is not: the page does not know."""

    template = "web/joined.html"
    section = "join"


def routes(site: Site) -> Routes:
    """The form, and what comes after it; none where accounts are opened by mail alone."""

    def show(request: Request) -> Response:
        return site.show(request, JoinPage(token_at(site.secret, utc_now())), headers=_PRIVATE)

    def joined(request: Request) -> Response:
        return site.show_kept(request, JoinedPage())

    return {"/join": show, "/join/sent": joined} if site.app.server.has_join_page else {}


def forms(site: Site) -> Routes:
    """The form, filled in."""

    def post(request: Request, fields: Fields) -> Response:
        now, token = utc_now(), fields.get("token", "")
        wish = Wish(*(fields.get(name, "").strip()[:_LONGEST_TYPED] for name in ("userid", "address")))
        made = time_of(site.secret, token)
        is_stale = made is None or now - made > LASTS
        flaws = flaws_of_wish(site.app, wish)
        trouble: Trouble = "stale" if is_stale else "quick" if made and now - made < LEAST_WAIT else ""
        if not trouble and not flaws.any and not join(site.app, wish, site.visitor(request), now):
            trouble = "full"
        if flaws.any or trouble:
            again = token_at(site.secret, now) if is_stale else token
            page = JoinPage(again, wish, flaws, trouble)
            return site.show(request, page, 429 if trouble == "full" else 422, _PRIVATE)
        site.ring()
        return Response(status_code=303, headers={**HEADERS, **_PRIVATE, "Location": "/join/sent"})

    return {"/join": post} if site.app.server.has_join_page else {}


def token_at(secret: bytes, now: datetime) -> str:
    """The time, signed."""
    at = str(int(now.timestamp() * 1000))
    return f"{at}.{_signature(secret, at)}"


def time_of(secret: bytes, token: str) -> datetime | None:
    """The time in a token; None if it is not signed with that secret.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> time_of(b"secret", token_at(b"secret", noon)) == noon, time_of(b"other", token_at(b"secret", noon))
    (True, None)
    """
    at, _, signature = token.partition(".")
    if not hmac.compare_digest(signature.encode(), _signature(secret, at).encode()):
        return None
    return datetime.fromtimestamp(int(at) / 1000, utc_now().tzinfo)


def _signature(secret: bytes, at: str) -> str:
    return hmac.new(secret, f"join {at}".encode(), hashlib.sha256).hexdigest()[:32]
