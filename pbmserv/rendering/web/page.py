"""What all web pages have in common, and the files that they refer to.

A page's class names its template and the entry of the navigation that it stands under; the value itself is
`page` in the template, beside `server`, `style`, `script` and `icon` (versions of those assets), `mailto(command)`
and `help_path(subject)`.
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import ClassVar, Final, Literal
from urllib.parse import quote, urlencode

from pbmserv.commands.server import Server
from pbmserv.rendering.environment import render, templates_folder
from pbmserv.rendering.picture.sheet import SHEET

AssetName = Literal["style.css", "script.js", "icon.svg"]

_SHEETS: Final = (
    *("base", "tables", "forms"),
    *("listing", "board", "home", "people", "help", "play", "mailbox"),
    "last",
)
_MEDIA_TYPES: Final = {"css": "text/css; charset=utf-8", "js": "text/javascript", "svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class Page:
    """The root of all pages."""

    template: ClassVar[str]
    section: ClassVar[Literal["home", "games", "standings", "help", "mailbox", ""]] = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """What a page is set in: the server that it is about, and whether mails are written here.

    Where the visitor is at the machine itself and its mail goes nowhere (`writes_here`), the mailbox page stands
    for a mail program: links that begin a mail lead there.
    """

    server: Server
    writes_here: bool = False


@dataclass(frozen=True, slots=True)
class Asset:
    """A file that pages refer to; `version` changes with its content."""

    content: bytes
    media_type: str
    version: str


@lru_cache(maxsize=8)
def asset(name: AssetName) -> Asset:
    """The stylesheet, the script or the icon."""
    content = _style() if name == "style.css" else (templates_folder() / "web" / name).read_bytes()
    return Asset(content, _MEDIA_TYPES[name.rpartition(".")[2]], hashlib.sha256(content).hexdigest()[:12])


def html(page: Page, frame: Frame) -> str:
    """A page, ready to be sent."""
    return render(
        page.template,
        page=page,
        server=frame.server,
        writes_here=frame.writes_here,
        style=asset("style.css").version,
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


def help_path(subject: str) -> str:
    """The address of a help page.

    >>> help_path("change password")
    '/help/change-password'
    """
    return f"/help/{slug(subject)}".rstrip("/")


def slug(subject: str) -> str:
    """A subject of help as it stands in an address."""
    return subject.replace(" ", "-").replace("_", "-")


def _style() -> bytes:
    """One sheet for all pages: each room has its own, the pictures bring theirs."""
    folder = templates_folder() / "web" / "style"
    return b"\n".join([*((folder / f"{name}.css").read_bytes() for name in _SHEETS), SHEET.encode()])
