"""`/leave/KEY`: the page behind the link to unsubscribe in the head of a mail, and what mail programs ask of it.

Looking at it does nothing: programs that check links open them all. The button sends what a mail program sends for
its reader with one click (RFC 8058), and a form of any kind will do. There is no redirect, which that forbids.
"""

import re
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from pbmserv.commands.set import returning_command
from pbmserv.services.app import utc_now
from pbmserv.services.unsubscribe import LeaveLink, find_leave_link, unsubscribe
from pbmserv.web.layout import Page
from pbmserv.web.play import PRIVATE
from pbmserv.web.site import Fields, Routes, Site

_KEY: Final = re.compile(r"[a-z0-9]{1,40}", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Leaving(Page):
    """What a link to unsubscribe stops: before the button is pressed, or when it is done. `path` is its own."""

    template = "web/leave.html"
    link: LeaveLink
    is_done: bool
    path: str

    @property
    def way_back(self) -> str:
        """The command that brings the mails back."""
        return returning_command(self.link.kind, self.link.player, self.link.board)


@dataclass(frozen=True, slots=True)
class NothingToLeave(Page):
    """A link to unsubscribe that is known no more."""

    template = "web/leave_nothing.html"


def routes(site: Site) -> Routes:
    """The route of the page with the button."""

    def ask(request: Request, key: str) -> Response:
        link = find_leave_link(site.app, key.lower(), utc_now()) if _KEY.fullmatch(key) else None
        return _show(site, request, key, link, is_done=False)

    return {"/leave/{key}": ask}


def forms(site: Site) -> Routes:
    """The route of the button, and of mail programs."""

    def leave(request: Request, key: str, fields: Fields) -> Response:
        link = unsubscribe(site.app, key.lower(), utc_now()) if _KEY.fullmatch(key) else None
        site.ring()
        return _show(site, request, key, link, is_done=True)

    return {"/leave/{key}": leave}


def _show(site: Site, request: Request, key: str, link: LeaveLink | None, *, is_done: bool) -> Response:
    if link is None:
        return site.show(request, NothingToLeave(), 404, PRIVATE)
    return site.show(request, Leaving(link, is_done, f"/leave/{key}"), headers=PRIVATE)
