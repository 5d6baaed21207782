"""The pages behind a personal link: a board where its player plays, move after move, and what became of a move."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from threading import Semaphore
from types import MappingProxyType
from typing import Final, Literal
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from pbmserv.commands.vocabulary import is_number
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.rendering.document import Block
from pbmserv.rendering.markup import document_of
from pbmserv.rendering.templates import render
from pbmserv.services.app import utc_now
from pbmserv.services.play import (
    MoveForm,
    PlayLink,
    PostedMove,
    find_play_link,
    is_current,
    is_done,
    load_outcome,
    play,
    settled,
)
from pbmserv.web.board_page import Personal
from pbmserv.web.boards import show_board
from pbmserv.web.layout import NotFoundPage, Page
from pbmserv.web.query import LONGEST_ECHO
from pbmserv.web.site import HEADERS, Fields, Routes, Site, wait_for

Outcome = Literal["waits", "refused", "twice", "unanswered"]


@dataclass(frozen=True, slots=True)
class NoLink(Page):
    """There is no such link to board `number`, or it has been deleted; None: to a desk."""

    template = "web/no_link.html"
    number: int | None


@dataclass(frozen=True, slots=True)
class Played(Page):
    """What became of a move sent by a link, where that is not simply played."""

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
    # Where the board can be played on.
    board_path: str


def played_page(outcome: Outcome, answer: str, view: BoardView, path: str, board_path: str) -> Played:
    """The page with the result of a move, from the text of the mail that answers it."""
    standing = document_of(render("mail/standing.txt", view=view)).blocks
    return Played(outcome, document_of(said_above(answer, view.number)).blocks, view, standing, path, board_path)


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

KEY: Final = re.compile(r"[a-z0-9]{1,40}", re.IGNORECASE | re.ASCII)
_MAIL: Final = re.compile(r"[0-9]{1,15}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Walk:
    """How one goes about the boards of a link: one board for good, or from each to the next."""

    # The address of a board's page, by its number and the key.
    path: Callable[[int, str], str]
    # Where one goes after a move.
    after: Callable[[PlayLink], str]
    # The address of the desk, if one came from there.
    desk: Callable[[str], str]


def _board_path(number: int, key: str) -> str:
    return f"/play/{number}/{key}"


_ONE_BOARD: Final = Walk(
    _board_path, lambda link: f"{_board_path(link.board.match.number, link.key)}#turn", lambda _: ""
)


def routes(site: Site) -> Routes:
    """The routes of the board with its button, and of what became of a move."""
    show, done = pages(site, _ONE_BOARD)
    return {"/play/{number}/{key}": show, "/play/{number}/{key}/done": done}


def forms(site: Site) -> Routes:
    """The route of the button."""
    return {"/play/{number}/{key}": form(site, _ONE_BOARD)}


def pages(site: Site, walk: Walk) -> tuple[Callable[..., Response], Callable[..., Response]]:
    """The handlers of a board's page, and of the page that tells what became of a move."""

    def show(request: Request, number: str, key: str) -> Response:
        link = _link(site, number, key)
        if link is None:
            return missing_link(site, request, number)
        asked = request.query_params
        before = asked.get("after", "")
        personal = Personal(
            link.userid,
            walk.desk(link.key),
            link.is_past,
            is_late=asked.get("late") == "1",
            played_on=int(before) if is_number(before) else None,
            is_suspended=link.is_suspended,
        )
        return show_board(site, request, number, walk.path(int(number), link.key), personal, PRIVATE)

    def done(request: Request, number: str, key: str) -> Response:
        link = _link(site, number, key)
        asked = request.query_params.get("mail", "")
        came = load_outcome(site.app, link, int(asked)) if link and _MAIL.fullmatch(asked) else None
        if link is None or came is None:
            return missing_link(site, request, number)
        if came.outcome == "played":
            return _see_other(walk.after(link))
        board_path = walk.path(int(number), link.key)
        path = f"{board_path}/done?{urlencode({'mail': asked})}"
        page = played_page(came.outcome, came.answer, view_board(came.board), path, board_path)
        return site.show(request, page, headers=PRIVATE)

    return show, done


def form(site: Site, walk: Walk) -> Callable[..., Response]:
    """The handler of the button: it stores a mail and waits a while for the result."""
    slots = Semaphore(MOST_WAITING)

    def post(request: Request, number: str, key: str, fields: Fields) -> Response:
        link = _link(site, number, key)
        if link is None:
            return missing_link(site, request, number)
        path, sent_form = walk.path(int(number), link.key), _read(fields)
        if link.is_past:
            return _see_other(path)
        if not is_current(link, sent_form):
            return _see_other(walk.after(link) if is_done(link, sent_form) else f"{path}?late=1")
        sent = play(site.app, link, sent_form, utc_now())
        if sent is None:
            asked = f"?{urlencode({'move': sent_form.move[:LONGEST_ECHO]})}" if link.is_open else ""
            return _see_other(f"{path}{asked}")
        site.ring()
        mail = _waited_for(site, sent, slots)
        came = load_outcome(site.app, link, mail)
        is_played = came is not None and came.outcome == "played"
        return _see_other(walk.after(link) if is_played else f"{path}/done?mail={mail}")

    return post


def missing_link(site: Site, request: Request, number: str = "") -> Response:
    """There is no such link: to a board, or to a desk where no number is given."""
    page = NoLink(int(number) if number else None) if is_number(number or "0") else None
    return site.show(request, page or NotFoundPage("board", number[:LONGEST_ECHO]), 404, PRIVATE)


def _link(site: Site, number: str, key: str) -> PlayLink | None:
    if not is_number(number) or not KEY.fullmatch(key):
        return None
    return find_play_link(site.app, int(number), key.lower(), utc_now())


def _read(fields: Fields) -> MoveForm:
    """The form; one without the plies, as older pages sent it, is from no current page."""
    plies, played = (int(text) if is_number(text := fields.get(name, "")) else -1 for name in ("plies", "played"))
    return MoveForm(fields.get("move", ""), fields.get("words", ""), plies, played)


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


def _see_other(path: str) -> Response:
    return Response(status_code=303, headers={**HEADERS, **PRIVATE, "Location": path})
