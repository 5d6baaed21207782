"""The HTML part of a mail: the sentences of its text as paragraphs, its boards as tables, all of it below 90 kB.

Gmail cuts a mail off at about 102 kB; a board that finds no room stands there as it does in the text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pbmserv.commands.server import Server
from pbmserv.rendering.blocks import Block, blocks_of
from pbmserv.rendering.board import BoardView
from pbmserv.rendering.environment import laid_out, render, without_controls
from pbmserv.rendering.html_board import draw_board
from pbmserv.rendering.looks import LOOKS
from pbmserv.rendering.mailto import mailto
from pbmserv.rendering.sendable import sendable

LARGEST = 88_000
"""Bytes of HTML; the headers of the part come to it."""

_LISTED = re.compile(r"([0-9]{3,9})  \S")
_NUMBERED = re.compile(r"(?m)^(\[[0-9]+\] .*)$")


@dataclass(frozen=True, slots=True)
class Said:
    """Sentences, not yet laid out, and whether something is refused in them."""

    text: str
    holds_refusal: bool = False


@dataclass(frozen=True, slots=True)
class Content:
    """What a mail holds: sentences, and boards below them; `asks` whether it waits for a `yes`."""

    said: Said
    views: tuple[BoardView, ...] = ()
    asks: bool = False


@dataclass(frozen=True, slots=True)
class Links:
    """Where the lines of a mail lead to: commands that can be sent as they stand are mails to `address`.

    `boards` are the numbers of those in the mail, `holds_refusal`: that something is refused in it. `asks`: a
    `yes` to the address is what the mail waits for.
    """

    address: str
    boards: frozenset[int]
    holds_refusal: bool
    asks: bool

    def __call__(self, line: str) -> tuple[str, str, str]:
        """The address that a line leads to, how much of it does, and the rest; an empty one when it leads nowhere.

        A line of a listing leads to its board. No link is what holds a secret, a word to be replaced, or only an
        example: a command that binds is linked where a refusal proposes it, or where it is about a board of this
        mail.
        """
        listed = _LISTED.match(line)
        if listed:
            return mailto(self.address, f"show {int(listed[1])}"), listed[1], line[listed.end(1) :]
        return self._of_command(" ".join(line.split())), line, ""

    def _of_command(self, text: str) -> str:
        parsed = sendable(text)
        if parsed is None:
            return ""
        command = parsed.command
        if command.kind == "token":
            return mailto(self.address, text) if self.asks else ""
        if text in command.forms or (command.kind != "open" and text == command.example):
            return ""
        # Only where such an offer is spoken of does its number stand in a mail.
        is_offer = parsed.arguments.offer is not None
        is_about_these = is_offer or any(ref.number in self.boards for ref in parsed.arguments.boards)
        is_ready = command.kind == "open" or self.holds_refusal or is_about_these
        return mailto(self.address, text) if is_ready else ""


def html_part(content: Content, title: str, address: str, server: Server) -> str | None:
    """The HTML of a mail with the Subject `title` that comes from `address`, in ASCII.

    None when it would become too large even with every board as text: then the text has to do.
    """
    blocks = blocks_of(without_controls(_apart(laid_out(content.said.text))))
    boards = frozenset(view.number for view in content.views)
    # To the plain address nobody can say which question they answer.
    links = Links(address, boards, content.said.holds_refusal, content.asks and address != server.address)
    frame = partial(_frame, title, blocks, links)
    room = LARGEST - len(frame([""] * len(content.views)))
    whole = frame(list(_boards(content.views, address, server, room)))
    return whole if len(whole) <= LARGEST else None


def _frame(title: str, blocks: tuple[Block, ...], links: Links, boards: Sequence[str]) -> str:
    return _ascii(render("mail/mail.html", title=title, blocks=blocks, links=links, boards=boards, looks=LOOKS))


def _apart(text: str) -> str:
    """The text with the lines that number its answers as paragraphs of their own."""
    return _NUMBERED.sub(r"\n\1\n\n", text)


def _boards(views: Sequence[BoardView], address: str, server: Server, room: int) -> Iterator[str]:
    """Each board as well drawn as there is room for when those after it are at least shown as text."""
    alone = len(views) == 1
    texts = ["" if alone else _as_text(view, alone, server) for view in views]
    room -= sum(map(len, texts))
    for view, text in zip(views, texts, strict=True):
        best = next((html for html in _forms(view, address, alone) if len(html) <= room + len(text)), None)
        shown = best if best is not None else text or _as_text(view, alone, server)
        room -= len(shown) - len(text)
        yield shown


def _forms(view: BoardView, address: str, alone: bool) -> Iterator[str]:
    """The board in HTML, the best form first."""
    for links_choices in (True, False):
        html = draw_board(view, address, alone, links_choices)
        if html is not None:
            yield _ascii(html)


def _as_text(view: BoardView, alone: bool, server: Server) -> str:
    # A link is one there, where the text would only show it.
    text = laid_out(render("mail/board.txt", view=replace(view, link=""), alone=alone, server=server))
    return _ascii(render("mail/board_as_text.html", text=without_controls(text), view=view))


def _ascii(html: str) -> str:
    return html.encode("ascii", "xmlcharrefreplace").decode("ascii")
