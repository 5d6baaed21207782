"""The pages behind the personal link of a board mail: the board with a button, and the result of a move."""

import re
from dataclasses import dataclass, fields
from threading import Semaphore
from types import MappingProxyType
from typing import Final, Literal
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from pbmserv.commands.base.vocabulary import is_number
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.rendering.document import Block
from pbmserv.rendering.markup import document_of
from pbmserv.rendering.templates import render
from pbmserv.services.app import utc_now
from pbmserv.services.play import PlayLink, PostedMove, find_play_link, load_outcome, play, settled
from pbmserv.services.views import load_board
from pbmserv.web.board_page import BoardPage, BoardPageQuery
from pbmserv.web.boards import board_page, show_board
from pbmserv.web.layout import NotFoundPage, Page
from pbmserv.web.query import LONGEST_ECHO
from pbmserv.web.site import HEADERS, Fields, Routes, Site, wait_for

Outcome = Literal["waits", "played", "refused", "twice", "unanswered"]


@dataclass(frozen=True, slots=True)
class Spent(BoardPage):
    """The board behind a link that has expired."""

    template = "web/play.html"


@dataclass(frozen=True, slots=True)
class NoLink(Page):
    """There is no such link to board `number`, or it has been deleted."""

    template = "web/no_link.html"
    number: int


@dataclass(frozen=True, slots=True)
class Played(Page):
    """The result of a move played by a link."""

    template = "web/played.html"
    section = "games"
    outcome: Outcome
    # What its player was mailed.
    answer: tuple[Block, ...]
    # The board as it stands now.
    view: BoardView
    # A sentence about that.
    standing: tuple[Block, ...]
    # The page's own address.
    path: str


def spent_page(board: BoardPage) -> Spent:
    """The page of a board, for a link that has expired."""
    return Spent(**{each.name: getattr(board, each.name) for each in fields(board)})


def played_page(outcome: Outcome, answer: str, view: BoardView, path: str) -> Played:
    """The page with the result of a move, from the text of the mail that answers it."""
    standing = document_of(render("mail/standing.txt", view=view)).blocks
    return Played(outcome, document_of(said_above(answer, view.number)).blocks, view, standing, path)


def said_above(answer: str, board: int) -> str:
    """What an answer says above its board, drawn or in words."""
    begins = re.search(
        rf"(?m)^(?:(?:Summary|Preview) of .* Board {board}$|Board {board}(?:,| as it would stand))", answer
    )
    return answer[: begins.start()] if begins else answer


PATIENCE: Final = 6.0
"""How many seconds the page waits for the result; after that it says that the move is stored."""

MOST_WAITING: Final = 8
"""How many requests may wait at a time; others are told at once that the move is stored. All pages share some
forty threads, and each waiting request occupies one.
"""

PRIVATE: Final = MappingProxyType({"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow"})

_KEY: Final = re.compile(r"[a-z0-9]{1,40}", re.IGNORECASE | re.ASCII)
_MAIL: Final = re.compile(r"[0-9]{1,15}", re.ASCII)


def routes(site: Site) -> Routes:
    """The routes of the board with its button, and of the result."""

    def show(request: Request, number: str, key: str) -> Response:
        link = _link(site, number, key)
        if link is None:
            return _missing(site, request, number)
        if not link.is_open:
            return _show(site, request, _spent(site, request, link))
        return show_board(site, request, number, key.lower(), link.userid, PRIVATE)

    def done(request: Request, number: str, key: str) -> Response:
        link = _link(site, number, key)
        asked = request.query_params.get("mail", "")
        came = load_outcome(site.app, link, int(asked)) if link and _MAIL.fullmatch(asked) else None
        if link is None or came is None:
            return _missing(site, request, number)
        path = f"{_path(link)}/done?{urlencode({'mail': asked})}"
        return _show(site, request, played_page(came.outcome, came.answer, view_board(came.board), path))

    return {"/play/{number}/{key}": show, "/play/{number}/{key}/done": done}


def forms(site: Site) -> Routes:
    """The route of the button: it stores a mail and waits a while for the result."""
    slots = Semaphore(MOST_WAITING)

    def post(request: Request, number: str, key: str, fields: Fields) -> Response:
        link = _link(site, number, key)
        if link is None:
            return _missing(site, request, number)
        move = fields.get("move", "")
        sent = play(site.app, link, move, fields.get("words", ""), utc_now())
        if sent is None:
            asked = f"?{urlencode({'move': move[:LONGEST_ECHO]})}" if link.is_open else ""
            return _see_other(f"{_path(link)}{asked}")
        site.ring()
        return _see_other(f"{_path(link)}/done?mail={_waited_for(site, sent, slots)}")

    return {"/play/{number}/{key}": post}


def _link(site: Site, number: str, key: str) -> PlayLink | None:
    if not is_number(number) or not _KEY.fullmatch(key):
        return None
    return find_play_link(site.app, int(number), key.lower(), utc_now())


def _path(link: PlayLink) -> str:
    return f"/play/{link.board.match.number}/{link.key}"


def _waited_for(site: Site, sent: PostedMove, slots: Semaphore) -> int:
    """The mail that has the result, if it is known in time and there is a free slot to wait in."""
    may_wait = slots.acquire(blocking=False)
    try:
        found = wait_for(
            lambda: settled(site.app, sent), lambda mail: mail is not None, PATIENCE if may_wait else 0
        )
    finally:
        if may_wait:
            slots.release()
    return sent.mail_id if found is None else found


def _spent(site: Site, request: Request, link: PlayLink) -> Page:
    number = link.board.match.number
    seen = load_board(site.app, number, utc_now())
    assert seen is not None, "a play link leads to a board"
    wish = BoardPageQuery(f"/boards/{number}", may_move=link.userid == seen.players.to_move)
    page = board_page(seen, wish, site.frame(request))
    return spent_page(page) if isinstance(page, BoardPage) else page


def _missing(site: Site, request: Request, number: str) -> Response:
    page = NoLink(int(number)) if is_number(number) else NotFoundPage("board", number[:LONGEST_ECHO])
    return _show(site, request, page, 404)


def _show(site: Site, request: Request, page: Page, status: int = 200) -> Response:
    return site.show(request, page, status, PRIVATE)


def _see_other(path: str) -> Response:
    return Response(status_code=303, headers={**HEADERS, **PRIVATE, "Location": path})
