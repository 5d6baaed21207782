"""`/privacy`: what is kept of people and what is shown, in the words of `help privacy`, and who runs the club.

It is linked from every page, for visitors who have never sent a mail.
"""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from pbmserv.web.help import Help, help_page
from pbmserv.web.layout import Page
from pbmserv.web.site import Routes, Site

SUBJECT = "privacy"


@dataclass(frozen=True, slots=True)
class Privacy(Page):
    """The page; `told` is the page of the manual that has its words."""

    template = "web/privacy.html"
    told: Help


def routes(site: Site) -> Routes:
    """The route of the page."""

    def show(request: Request) -> Response:
        told = help_page(SUBJECT, site.frame(request))
        assert isinstance(told, Help), "the manual has a page about it"
        return site.show_kept(request, Privacy(told))

    return {"/privacy": show}
