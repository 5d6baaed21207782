"""`/help` and `/help/move`: the manual."""

from fastapi import Request, Response

from pbmserv.entrypoints.web.site import Site, Ways
from pbmserv.rendering.web.help import help_page
from pbmserv.rendering.web.trouble import Missing


def ways(site: Site) -> Ways:
    """The help pages."""

    def show(request: Request, subject: str = "") -> Response:
        page = help_page(subject, site.frame(request))
        return site.show(request, page, 404 if isinstance(page, Missing) else 200)

    return {"/help": show, "/help/{subject}": show}
