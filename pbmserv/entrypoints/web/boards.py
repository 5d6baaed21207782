"""`/boards/101`: one board."""

from fastapi import Request, Response

from pbmserv.commands.words import is_number
from pbmserv.entrypoints.bootstrap import utc_now
from pbmserv.entrypoints.web.site import Site, Ways
from pbmserv.rendering.web.board import board_page
from pbmserv.rendering.web.question import LONGEST_ECHO
from pbmserv.rendering.web.trouble import Missing
from pbmserv.services.views.boards import see_board


def ways(site: Site) -> Ways:
    """The page of a board."""

    def show(request: Request, number: str) -> Response:
        return show_board(site, request, number)

    return {"/boards/{number}": show}


def show_board(site: Site, request: Request, number: str, key: str = "") -> Response:
    """The page of the board with that number, as the query asks for it.

    `key` is that of the personal link by which a player came, who may play with it; empty for anybody else.
    """
    seen = see_board(site.house, int(number), utc_now()) if is_number(number) else None
    if seen is None:
        return site.show(request, Missing("board", number[:LONGEST_ECHO]), 404)
    return site.show(request, board_page(seen.match, seen.state, seen.view))
