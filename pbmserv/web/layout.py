"""What all web pages have in common: layout, assets, links, error pages, previews.

A page's class names its template and the entry of the navigation that it stands under; the value itself is
`page` in the template, beside `server`, `style`, `script` and `icon` (versions of those assets), `mailto(command)`
and `help_path(subject)`.
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import ClassVar, Final, Literal
from urllib.parse import quote, urlencode

from pbmserv.commands.new_game import games_offered
from pbmserv.commands.server import Server
from pbmserv.games.info import Info
from pbmserv.rendering.board import BoardView
from pbmserv.rendering.svg.pictures import sentence_of, title_of
from pbmserv.rendering.svg.stylesheet import SHEET
from pbmserv.rendering.templates import render, templates_folder
from pbmserv.web.accent import sheet_of

AssetName = Literal["style.css", "script.js", "icon.svg"]

_SHEETS: Final = ("base", "boards", "pages")
_MEDIA_TYPES: Final = {"css": "text/css; charset=utf-8", "js": "text/javascript", "svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class Page:
    """The root of all pages."""

    template: ClassVar[str]
    section: ClassVar[Literal["home", "games", "standings", "help", "join", "mailbox", ""]] = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """What every page needs for its layout."""

    server: Server
    # Whether links that begin a mail lead to the mailbox page: for a visitor on this machine who tries it out.
    writes_here: bool = False


@dataclass(frozen=True, slots=True)
class Asset:
    """A file that pages refer to; its version changes with its content."""

    content: bytes
    media_type: str
    version: str


@lru_cache(maxsize=8)
def asset(name: AssetName, accent: str = "") -> Asset:
    """The stylesheet, the script or the icon; `accent` is the colour of the club ("": none of its own)."""
    content = _style(accent) if name == "style.css" else (templates_folder() / "assets" / name).read_bytes()
    return Asset(content, _MEDIA_TYPES[name.rpartition(".")[2]], hashlib.sha256(content).hexdigest()[:12])


def html(page: Page, frame: Frame) -> str:
    """A page, ready to be sent."""
    return render(
        page.template,
        page=page,
        server=frame.server,
        writes_here=frame.writes_here,
        style=asset("style.css", frame.server.accent).version,
        script=asset("script.js").version,
        icon=asset("icon.svg").version,
        mailto=partial(mailto, frame),
        help_path=help_path,
    )


def mailto(frame: Frame, command: str = "") -> str:
    """A link that begins a mail to the server with a command in its Subject.

    >>> mailto(Frame(Server("pbm@club.test")), "help tutorial")
    'mailto:pbm@club.test?subject=help%20tutorial'
    >>> mailto(Frame(Server("pbm@club.test"), writes_here=True), "help tutorial")
    '/mailbox/write?subject=help+tutorial'
    """
    if frame.writes_here:
        return f"/mailbox/write?{urlencode({'subject': command})}" if command else "/mailbox/write"
    address = quote(frame.server.address, safe="@")
    return f"mailto:{address}?subject={quote(command, safe='')}" if command else f"mailto:{address}"


def games_told(server: Server) -> tuple[Info, ...]:
    """The games that can be begun, first the one that is meant where none is named."""
    offered = [game.info for game in games_offered(server).values()]
    return tuple(sorted(offered, key=lambda info: info.name != server.default_game))


def help_path(subject: str) -> str:
    """The address of a help page.

    >>> help_path("change password")
    '/help/change-password'
    """
    return f"/help/{slug(subject)}".rstrip("/")


def slug(subject: str) -> str:
    """A help subject as it is written in an address."""
    return subject.replace(" ", "-").replace("_", "-")


def _style(accent: str) -> bytes:
    """One sheet for all pages; the diagrams bring theirs."""
    folder = templates_folder() / "assets" / "style"
    return b"\n".join(
        [*((folder / f"{name}.css").read_bytes() for name in _SHEETS), SHEET.encode(), sheet_of(accent).encode()]
    )


@dataclass(frozen=True, slots=True)
class NotFoundPage(Page):
    """There is nothing at that address."""

    template = "web/missing.html"
    what: Literal["board", "game_missing", "ply", "player", "game", "help", "page", "method", "too_large"]
    # What was asked for.
    word: str = ""
    suggestions: tuple[str, ...] = ()
    # For a ply: the board that does not have it.
    board: int = 0


@dataclass(frozen=True, slots=True)
class ErrorPage(Page):
    """Not now: something went wrong on our side, is away for a moment, or the visitor has asked for very much."""

    template = "web/trouble.html"
    why: Literal["fault", "passing", "share"]


@dataclass(frozen=True, slots=True)
class Preview:
    """The preview of a page: its own path, and that of its image of 1200 by 630 pixels."""

    title: str
    description: str
    path: str
    image_path: str


def board_preview(view: BoardView) -> Preview:
    """The preview of a board, now or after the ply that is viewed."""
    asked = "" if view.ply is None else f"?ply={view.ply}"
    path = f"/boards/{view.number}"
    return Preview(title_of(view), sentence_of(view), f"{path}{asked}", f"{path}.png{asked}")
