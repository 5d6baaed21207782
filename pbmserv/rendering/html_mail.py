"""The HTML part of a mail: what it says, its boards, and links that write commands."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import Final

from pbmserv.commands.server import Server
from pbmserv.rendering.board import BoardView
from pbmserv.rendering.document import Document, VerbatimLine
from pbmserv.rendering.html_board import LISTED, draw_board
from pbmserv.rendering.html_cells import mailto
from pbmserv.rendering.markup import laid_out, without_controls
from pbmserv.rendering.overview import Overview
from pbmserv.rendering.piece_style import NAMED_STYLES, PIECE_STYLES
from pbmserv.rendering.puzzle import PracticeView, PuzzleView, draw_practice, draw_puzzle
from pbmserv.rendering.templates import render

LARGEST = 88_000
"""Bytes of HTML; the headers of the part come to it."""

LARGEST_BOARD = 25_500
"""Bytes of a board: a mail with one stays below 30,000, with its text and its headers."""

_LARGEST_LISTED = 23_900
"""The same where moves to choose from are listed: the text of such a mail lists them, too."""

_ROOM = 7_450
_ROOM_OF_A_CELL = 250
"""Bytes of a small board with the moves to choose from, and of each cell of a larger one."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a mail holds."""

    said: Document
    views: tuple[BoardView, ...] = ()
    """The boards below what is said."""
    asks: bool = False
    """Whether the mail waits for a `yes`."""
    practice: PracticeView | PuzzleView | None = None
    """A practice board that is not there yet, or a puzzle, below all others."""
    overview: Overview | None = None
    """The table above several boards."""


@dataclass(frozen=True, slots=True)
class Links:
    """Where the lines of a mail lead to: commands that can be sent as they stand are mails to `address`."""

    address: str
    asks: bool
    """A `yes` to the address is what the mail waits for."""

    def __call__(self, line: VerbatimLine) -> tuple[str, str, str]:
        """The address that a line leads to ("" for none), how much of it does, and the rest."""
        link = line.command
        if link is None or link.use == "example" or (link.use == "answer" and not self.asks):
            return "", line.text, ""
        return mailto(self.address, link.sends), link.text, line.text[len(link.text) :]


def html_part(content: Content, title: str, address: str, server: Server) -> str | None:
    """The HTML of a mail with the Subject `title` that comes from `address`, in ASCII.

    None when it would become too large even with every board as text: then the text has to do.
    """
    # To the plain address nobody can say which question they answer.
    links = Links(address, content.asks and address != server.address)
    more = [] if content.practice is None else [_ascii(_draw_apart(content.practice, address, server))]
    frame = _frame(content, title, links, len(content.views) + len(more))
    room = LARGEST - sum(map(len, (*frame, *more)))
    boards = [*_boards(content.views, address, server, room), *more, ""]
    whole = "".join(chain.from_iterable(zip(frame, boards, strict=True)))
    return whole if len(whole) <= LARGEST else None


def _draw_apart(shown: PracticeView | PuzzleView, address: str, server: Server) -> str:
    if isinstance(shown, PuzzleView):
        return draw_puzzle(shown, address, is_personal=address != server.address)
    return draw_practice(shown, address)


_NAMED: Final = tuple(look for look in NAMED_STYLES.values() if not look.is_black_or_white)

_BOARD: Final = "<!-- board -->"
"""Where a board belongs; nothing that is escaped can look like it."""


def _frame(content: Content, title: str, links: Links, boards: int) -> list[str]:
    """A mail without its boards: what is before each of them, and after the last."""
    blocks, seats = content.said.blocks, max((len(view.players.userids) for view in content.views), default=0)
    # A newcomer's empty board comes before all that is said below the first paragraph.
    is_first = isinstance(content.practice, PracticeView) and len(blocks) > 1 and not blocks[1].is_tight
    html = render(
        "mail/mail.html",
        title=title,
        blocks=blocks[:1] if is_first else blocks,
        below=blocks[1:] if is_first else (),
        links=links,
        overview=content.overview,
        boards=[_BOARD] * boards,
        styles=_styles(seats, boards > 0, boards > is_first),
    )
    return _ascii(html).split(_BOARD)


@lru_cache(maxsize=16)
def _styles(seats: int, boards: bool, pieces: bool) -> str:
    """The style sheets of mails with boards for this many seats, and with pieces on them."""
    return render("mail/styles.html", looks=PIECE_STYLES[:seats], named=_NAMED, boards=boards, pieces=pieces)


def _boards(views: Sequence[BoardView], address: str, server: Server, room: int) -> Iterator[str]:
    """Each board as well drawn as there is room for when those after it are at least shown as text."""
    alone = len(views) == 1
    texts = ["" if alone else _as_text(view, alone, server) for view in views]
    room -= sum(map(len, texts))
    for view, text in zip(views, texts, strict=True):
        drawn = _forms(view, address, alone, is_personal=address != server.address)
        best = next((html for html in drawn if len(html) <= room + len(text)), None)
        shown = best if best is not None else text or _as_text(view, alone, server)
        room -= len(shown) - len(text)
        yield shown


def _forms(view: BoardView, address: str, alone: bool, is_personal: bool) -> Iterator[str]:
    """The board in HTML, the best form first; moves to choose from are listed only where they are few."""
    for listed in LISTED:
        html = draw_board(view, address, alone, listed, is_personal)
        if html is not None and len(html) <= (LARGEST_BOARD if listed == "not" else room_of(view)):
            yield _ascii(html)


def room_of(view: BoardView) -> int:
    """How many bytes a drawn board may have with the moves to choose from."""
    return min(_LARGEST_LISTED, max(_ROOM, _ROOM_OF_A_CELL * len(view.diagram.scene.cells)))


def _as_text(view: BoardView, alone: bool, server: Server) -> str:
    # A link is one there, where the text would only show it.
    text = laid_out(render("mail/board.txt", view=replace(view, link=""), alone=alone, server=server))
    return _ascii(render("mail/board_as_text.html", text=without_controls(text), view=view))


def _ascii(html: str) -> str:
    return html.encode("ascii", "xmlcharrefreplace").decode("ascii")
