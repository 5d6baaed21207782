"""`/play/101/KEY`: a move by the personal link of a board mail.

Looking (GET) never plays: what mail programs and their guards open beforehand does nothing. Nothing of these pages
is stored by caches or found by search engines, and no line of ours logs their address.
"""

import re
from threading import Semaphore
from types import MappingProxyType
from typing import Final
from urllib.parse import urlencode

from fastapi import Request, Response

from pbmserv.commands.words import is_number
from pbmserv.entrypoints.bootstrap import utc_now
from pbmserv.entrypoints.web.boards import show_board
from pbmserv.entrypoints.web.forms import Fields
from pbmserv.entrypoints.web.site import HEADERS, Site, Ways
from pbmserv.entrypoints.web.waiting import wait_for
from pbmserv.rendering.board import view_board
from pbmserv.rendering.web.board import Board, Wish, board_page
from pbmserv.rendering.web.page import Page
from pbmserv.rendering.web.play import NoLink, played_page, spent_page
from pbmserv.rendering.web.question import LONGEST_ECHO
from pbmserv.rendering.web.trouble import Missing
from pbmserv.services.play import Door, Sent, find_door, play, see_outcome, settled
from pbmserv.services.views.boards import see_board

PATIENCE: Final = 6.0
"""Seconds that whoever plays waits for what comes of it; then the page says that the move is kept."""

MOST_WAITING: Final = 8
"""So many wait at a time; whoever comes beyond them is told at once that the move is kept. All pages are made by
some forty threads, and whoever waits keeps one of them.
"""

PRIVATE: Final = MappingProxyType({"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow"})

_KEY: Final = re.compile(r"[a-z0-9]{1,40}", re.IGNORECASE | re.ASCII)
_MAIL: Final = re.compile(r"[0-9]{1,15}", re.ASCII)


def ways(site: Site) -> Ways:
    """The board with a button that plays, and what came of it."""

    def show(request: Request, number: str, key: str) -> Response:
        door = _door(site, number, key)
        if door is None:
            return _missing(site, request, number)
        if not door.is_open:
            return _show(site, request, _spent(site, request, door))
        return show_board(site, request, number, key.lower(), door.userid, PRIVATE)

    def done(request: Request, number: str, key: str) -> Response:
        door = _door(site, number, key)
        asked = request.query_params.get("mail", "")
        came = see_outcome(site.house, door, int(asked)) if door and _MAIL.fullmatch(asked) else None
        if door is None or came is None:
            return _missing(site, request, number)
        path = f"{_path(door)}/done?{urlencode({'mail': asked})}"
        return _show(site, request, played_page(came.outcome, came.answer, view_board(came.board), path))

    return {"/play/{number}/{key}": show, "/play/{number}/{key}/done": done}


def forms(site: Site) -> Ways:
    """The button: a mail is kept, and the page waits a while for what comes of it."""
    chairs = Semaphore(MOST_WAITING)

    def post(request: Request, number: str, key: str, fields: Fields) -> Response:
        door = _door(site, number, key)
        if door is None:
            return _missing(site, request, number)
        move = fields.get("move", "")
        sent = play(site.house, door, move, fields.get("words", ""), utc_now())
        if sent is None:
            asked = f"?{urlencode({'move': move[:LONGEST_ECHO]})}" if door.is_open else ""
            return _see_other(f"{_path(door)}{asked}")
        site.ring()
        return _see_other(f"{_path(door)}/done?mail={_waited_for(site, sent, chairs)}")

    return {"/play/{number}/{key}": post}


def _door(site: Site, number: str, key: str) -> Door | None:
    if not is_number(number) or not _KEY.fullmatch(key):
        return None
    return find_door(site.house, int(number), key.lower(), utc_now())


def _path(door: Door) -> str:
    return f"/play/{door.board.match.number}/{door.key}"


def _waited_for(site: Site, sent: Sent, chairs: Semaphore) -> int:
    """The mail that tells what became of it, as far as that is known in time and there is a chair to wait on."""
    may_wait = chairs.acquire(blocking=False)
    try:
        found = wait_for(
            lambda: settled(site.house, sent), lambda mail: mail is not None, PATIENCE if may_wait else 0
        )
    finally:
        if may_wait:
            chairs.release()
    return sent.mail_id if found is None else found


def _spent(site: Site, request: Request, door: Door) -> Page:
    number = door.board.match.number
    seen = see_board(site.house, number, utc_now())
    assert seen is not None, "a door leads to a board"
    wish = Wish(f"/boards/{number}", may_move=door.userid == seen.view.to_move)
    page = board_page(seen.view, wish, site.frame(request))
    return spent_page(page) if isinstance(page, Board) else page


def _missing(site: Site, request: Request, number: str) -> Response:
    page = NoLink(int(number)) if is_number(number) else Missing("board", number[:LONGEST_ECHO])
    return _show(site, request, page, 404)


def _show(site: Site, request: Request, page: Page, status: int = 200) -> Response:
    return site.show(request, page, status, PRIVATE)


def _see_other(path: str) -> Response:
    return Response(status_code=303, headers={**HEADERS, **PRIVATE, "Location": path})
