"""`/boards/101`: one board, with its record and its feed."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from fastapi import Request, Response

from pbmserv.commands.words import is_number
from pbmserv.entrypoints.bootstrap import utc_now
from pbmserv.entrypoints.web.site import ATOM, JSON, TEXT, Site, Ways
from pbmserv.matches.replay import Replayed
from pbmserv.rendering.environment import laid_out
from pbmserv.rendering.record import as_file, record_of
from pbmserv.rendering.web.board import Wish, board_page
from pbmserv.rendering.web.board_feed import board_feed
from pbmserv.rendering.web.question import LONGEST_ECHO
from pbmserv.rendering.web.trouble import Missing
from pbmserv.services.recorded import record_text
from pbmserv.services.views.boards import see_board, see_replayed

Write = Callable[[Replayed], str | bytes]


def ways(site: Site) -> Ways:
    """The page of a board, and the same game in other forms."""
    server = site.house.server

    def show(request: Request, number: str) -> Response:
        return show_board(site, request, number)

    return {
        "/boards/{number}": show,
        "/boards/{number}/record.txt": _written(site, TEXT, lambda board: laid_out(record_text(board, server))),
        "/boards/{number}/record.json": _written(site, JSON, lambda board: as_file(record_of(board, server))),
        "/boards/{number}/feed.atom": _written(site, ATOM, lambda board: board_feed(board, server)),
    }


def show_board(
    site: Site,
    request: Request,
    number: str,
    key: str = "",
    userid: str = "",
    headers: Mapping[str, str] = MappingProxyType({}),
) -> Response:
    """The page of the board with that number, as the query asks for it.

    `key` is that of the personal link by which the player `userid` came, who may play with it; both are empty for
    anybody else.
    """
    seen = see_board(site.house, int(number), utc_now()) if is_number(number) else None
    if seen is None:
        return _missing(site, request, number, headers)
    wish = Wish(
        path=f"/play/{seen.match.number}/{key}" if key else f"/boards/{seen.match.number}",
        ply=request.query_params.get("ply", "").strip(),
        move=request.query_params.get("move", "").strip(),
        may_move=not seen.waits_for_robot and userid in ("", seen.view.to_move),
    )
    page = board_page(seen.view, wish, site.frame(request))
    return site.show(request, page, 404 if isinstance(page, Missing) else 200, headers)


def _missing(
    site: Site, request: Request, number: str, headers: Mapping[str, str] = MappingProxyType({})
) -> Response:
    return site.show(request, Missing("board", number[:LONGEST_ECHO]), 404, headers)


def _written(site: Site, media_type: str, write: Write) -> Callable[..., Response]:
    """A board in another form than its page."""

    def show(request: Request, number: str) -> Response:
        board = see_replayed(site.house, int(number)) if is_number(number) else None
        if board is None:
            return _missing(site, request, number)
        return site.send(request, write(board), media_type)

    return show
