"""`/`"""

from fastapi import Request, Response

from pbmserv.entrypoints.web.site import Site, Ways
from pbmserv.rendering.web.home import home


def ways(site: Site) -> Ways:
    """The first page."""

    def show(request: Request) -> Response:
        return site.show(request, home())

    return {"/": show}
