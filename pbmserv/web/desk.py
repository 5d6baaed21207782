"""The desk (`/desk/KEY`): all boards that wait for a player, and the way from each to the next."""

from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from pbmserv.commands.vocabulary import is_number
from pbmserv.rendering.overview import OverviewRow, overview_rows
from pbmserv.services.app import utc_now
from pbmserv.services.play import Desk, PlayLink, load_desk
from pbmserv.services.views import count_entries
from pbmserv.web.layout import Page
from pbmserv.web.play import KEY, PRIVATE, Walk, form, missing_link, pages
from pbmserv.web.site import Routes, Site
from pbmserv.web.streams import stream_address

MOST_OTHERS: Final = 12
"""Boards of other people's turns that are shown."""


@dataclass(frozen=True, slots=True)
class DeskPage(Page):
    """The boards of a player: what waits for them, and what waits for others."""

    template = "web/desk.html"
    userid: str
    # The page's own address.
    path: str
    waiting: tuple[OverviewRow, ...]
    # How many wait in all.
    total: int
    others: tuple[OverviewRow, ...]
    # Where the page learns that something has changed; empty where there are no boards.
    changes: str
    # Whether mail to the player bounces.
    is_suspended: bool
    # The board on which the visitor has just played.
    played_on: int | None = None


def desk_page(desk: Desk, entries: dict[int, int], played_on: int | None = None) -> DeskPage:
    """The page of a desk as it is now; `entries` are those of the logs of its boards."""
    key, userid, now = desk.link.key, desk.userid, utc_now()

    def link(number: int) -> str:
        return desk_board_path(number, key) if desk.link.plays_on(number) else f"/boards/{number}"

    return DeskPage(
        userid,
        desk_path(key),
        overview_rows(desk.waiting, userid, now, link, desk.link.plays_on),
        desk.total,
        overview_rows(desk.others[:MOST_OTHERS], userid, now, link, desk.link.plays_on),
        stream_address(entries) if entries else "",
        desk.link.player.is_suspended,
        played_on,
    )


def desk_path(key: str) -> str:
    """The address of a desk."""
    return f"/desk/{key}"


def desk_board_path(number: int, key: str) -> str:
    """The address of a board on a desk."""
    return f"/desk/{key}/{number}"


def routes(site: Site) -> Routes:
    """The routes of the desk, and of a board on it."""
    show, done = pages(site, _walk(site))

    def overview(request: Request, key: str) -> Response:
        desk = load_desk(site.app, key.lower(), utc_now()) if KEY.fullmatch(key) else None
        if desk is None:
            return missing_link(site, request)
        before = request.query_params.get("after", "")
        numbers = [line.number for line in (*desk.others[:MOST_OTHERS], *desk.waiting)]
        counted = count_entries(site.app, numbers)
        entries = {number: counted[number] for number in numbers if number in counted}
        page = desk_page(desk, entries, int(before) if is_number(before) else None)
        return site.show(request, page, headers=PRIVATE)

    return {"/desk/{key}": overview, "/desk/{key}/{number}": show, "/desk/{key}/{number}/done": done}


def forms(site: Site) -> Routes:
    """The route of the button."""
    return {"/desk/{key}/{number}": form(site, _walk(site))}


def _walk(site: Site) -> Walk:
    def after(link: PlayLink) -> str:
        number = link.board.match.number
        desk = load_desk(site.app, link.key, utc_now())
        following = None if desk is None else desk.next_after(number)
        if following is None:
            return f"{desk_path(link.key)}?after={number}"
        return f"{desk_board_path(following, link.key)}?after={number}#position"

    return Walk(desk_board_path, after, desk_path)
