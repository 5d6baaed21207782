"""A board in HTML for mails, whose links write mails to the server (RFC 6068)."""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from pbmserv.commands.base.registry import commands
from pbmserv.games.game import Cell, Seat
from pbmserv.rendering.board import BoardView
from pbmserv.rendering.document import Block
from pbmserv.rendering.language import leaving_word
from pbmserv.rendering.markup import as_shown, document_of, without_controls
from pbmserv.rendering.piece_style import PIECE_STYLES, PIPS, PieceStyle, has_pips, piece_style_of
from pbmserv.rendering.templates import environment, render


def mailto(address: str, command: str, is_whole: bool = True) -> str:
    """A link that begins a mail with a command; if it `is_whole`, the mail is ready to be sent.

    A whole mail has the command in its Subject and in its text, since some programs lose one of them and a person
    may change either. Otherwise the text is left to be written. A `+` in the address is encoded, as some programs
    read it as a blank.

    >>> mailto("pbm+t1@club.test", "move 101 c3#8")
    'mailto:pbm%2Bt1@club.test?subject=move%20101%20c3%238&body=move%20101%20c3%238'
    >>> mailto("pbm@club.test", "chat 101", is_whole=False)
    'mailto:pbm@club.test?subject=chat%20101'
    """
    asked = quote(command, safe="")
    begun = f"mailto:{_encoded(address)}?subject={asked}"
    return f"{begun}&body={asked}" if is_whole else begun


@lru_cache(maxsize=256)
def _encoded(address: str) -> str:
    """An address encoded for links; a mail has many links to the same one."""
    return quote(address, safe="@")


WIDEST = 9
"""The most columns that fit on the narrowest supported phone, 320 pixels wide."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Sizes in pixels: of a square within its border, of a die, and of the letters of name, mark and pips."""

    square: int
    die: int
    name: int
    mark: int
    pip: int


# A square has a border of 2 pixels and 2 pixels between it and the next; the row numbers take 20 of 296.
_FITS = ((5, Fit(48, 38, 15, 12, 11)), (7, Fit(33, 28, 13, 10, 8)), (WIDEST, Fit(24, 22, 10, 9, 6)))

_GAP = "\N{NO-BREAK SPACE}"
# A pip is about as wide as two of these blanks.
_ROW = {"c": "{0}", "l": "{0}" + 4 * _GAP, "r": 4 * _GAP + "{0}", "b": "{0}" + 2 * _GAP + "{0}", "": _GAP}


@dataclass(frozen=True, slots=True)
class HtmlSquare:
    """One square."""

    name: str
    seat: Seat | None
    owner: str
    value: str
    # The lines of a die, or of another piece; empty on an empty square.
    face: tuple[str, ...]
    # Where a tap leads: to a mail with the move, or to the list of several moves.
    href: str
    # How many moves there are.
    ways: int
    # How many dice the only move captures.
    takes: int
    is_last: bool
    is_taken: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several moves on a square."""

    text: str
    # Writes the mail; empty if there is no room for links.
    href: str


@dataclass(frozen=True, slots=True)
class ListedMove:
    """One of the listed moves."""

    # None if the player has left.
    ply: int | None
    seat: Seat
    userid: str
    text: str


@dataclass(frozen=True, slots=True)
class HtmlDiagram:
    """The context of `mail/board.html`."""

    view: BoardView
    alone: bool
    fit: Fit
    standing: tuple[Block, ...]
    gone: tuple[Block, ...]
    circumstances: tuple[Block, ...]
    rows: tuple[tuple[str, tuple[HtmlSquare, ...]], ...]
    # The squares with several moves.
    choices: tuple[tuple[str, tuple[Choice, ...]], ...]
    listed_moves: tuple[ListedMove, ...]
    # Links by the name of their command.
    actions: dict[str, str]
    comment: tuple[str, ...]
    looks: tuple[PieceStyle, ...] = PIECE_STYLES

    @property
    def lists_all(self) -> bool:
        """Whether all moves are listed."""
        return not self.listed_moves or self.listed_moves[0].ply in (1, None)

    @property
    def marks(self) -> frozenset[str]:
        """The marks in the diagram, so that the legend can explain them."""
        squares = [square for _, row in self.rows for square in row]
        told = {
            "last": any(square.is_last for square in squares),
            "taken": any(square.is_taken for square in squares),
            "takes": any(square.takes for square in squares),
            "ways": any(square.ways > 1 for square in squares),
        }
        return frozenset(name for name, holds in told.items() if holds)

    def drawn(self, square: HtmlSquare) -> Markup:
        """The cell of a square."""
        return _cell(square, self.fit) if square.href else _cell_without_link(square, self.fit)


def draw_board(view: BoardView, address: str, alone: bool = True, links_choices: bool = True) -> str | None:
    """The board in HTML, with links to `address`; None if it is too wide for a phone.

    `alone`: the mail has no other board. `links_choices`: moves to choose from are links, which take much room.
    """
    columns = len(view.diagram.scene.columns)
    if columns > WIDEST:
        return None
    drawn = HtmlDiagram(
        view=view,
        alone=alone,
        fit=next(fit for most, fit in _FITS if columns <= most),
        standing=said("mail/standing.txt", view),
        gone=said("mail/gone.txt", view),
        circumstances=said("mail/circumstances.txt", view, alone),
        rows=tuple(
            (label, tuple(_square(cell, view, address) for cell in cells))
            for label, cells in zip(view.diagram.scene.rows, view.diagram.scene.cells, strict=True)
        ),
        choices=tuple(
            (cell.square, tuple(_choice(text, view, address if links_choices else "") for text in cell.choices))
            for cell in sorted(
                (cell for row in view.diagram.scene.cells for cell in row), key=lambda cell: cell.square
            )
            if view.is_viewers_turn and len(cell.choices) > 1
        ),
        listed_moves=tuple(
            ListedMove(turn.ply, turn.seat, view.players.userids[turn.seat], turn.move or leaving_word(turn.kind))
            for turn in view.moves.turns
        ),
        actions=_actions(view, address),
        comment=tuple(without_controls(as_shown(view.comment.text)).split("\n")) if view.comment else (),
    )
    return render("mail/board.html", board=drawn)


def anchor(view: BoardView, square: str) -> str:
    """The anchor of the list of a square's moves."""
    return f"b{view.number}-{square.lower()}"


def command_of(view: BoardView, text: str) -> str:
    """The command that plays a move as the next ply of this board, and as no other ply."""
    return f"move {view.number} {text.lower()}#{view.plies + 1}"


def said(template: str, view: BoardView, alone: bool = True) -> tuple[Block, ...]:
    """What a text template of mails says of a board, as blocks; what links do is left out."""
    return document_of(render(template, view=view, alone=alone, is_html=True)).blocks


def _square(cell: Cell, view: BoardView, address: str) -> HtmlSquare:
    scene = view.diagram.scene
    ways = len(cell.choices) if view.is_viewers_turn else 0
    href = ""
    if ways:
        listed = f"#{anchor(view, cell.square)}"
        href = mailto(address, command_of(view, cell.choices[0])) if ways == 1 else listed
    return HtmlSquare(
        name=cell.square,
        seat=cell.seat,
        owner="" if cell.seat is None else view.players.userids[cell.seat],
        value="" if cell.value is None else str(cell.value),
        face=() if cell.seat is None else _face(cell.seat, cell.value, cell.text),
        href=href,
        ways=ways,
        takes=next((len(taken) for square, taken in view.open_moves.captures if square == cell.square), 0),
        is_last=cell.square in scene.last,
        is_taken=cell.square in scene.taken,
    )


def _cell(square: HtmlSquare, fit: Fit) -> Markup:
    macros: Any = environment().get_template("mail/squares.html").module
    cell: Markup = macros.square(square, fit, PIECE_STYLES)
    return cell


# Links differ in each mail. Other squares are mostly the same in the next mail about the board.
_cell_without_link = lru_cache(maxsize=4096)(_cell)


@cache  # of a few dozen arguments
def _face(seat: Seat, value: int | None, text: str) -> tuple[str, ...]:
    """The lines of a piece: the pips of a die, or else its text."""
    if value is None or not has_pips(value):
        return (str(value) if value is not None else text,)
    return tuple(_ROW[row].format(piece_style_of(seat).pip) for row in PIPS[value - 1])


def _choice(text: str, view: BoardView, address: str) -> Choice:
    return Choice(text.lower(), mailto(address, command_of(view, text)) if address else "")


def _actions(view: BoardView, address: str) -> dict[str, str]:
    """The links for other commands about this board, by their first word."""
    found = {"show": mailto(address, f"show {view.number}")}
    is_playing = view.is_present and view.viewer in view.players.userids and view.viewer not in view.players.gone
    if is_playing and "chat" in commands():
        found["chat"] = mailto(address, f"chat {view.number}", is_whole=False)
    found["rules"] = mailto(address, f"help {view.match.game}")
    found["help"] = mailto(address, "help")
    offer = view.pending
    if offer and view.viewer in offer.waits_for:
        found["accept"] = mailto(address, f"accept {view.number}")
    if offer and view.viewer in (offer.by, *offer.waits_for):
        found["reject"] = mailto(address, f"reject {view.number}")
    if view.rematch_opener:
        found["rematch"] = mailto(address, f"rematch {view.number}")
    if is_playing and view.state.status == "active":
        found["resign"] = mailto(address, f"resign {view.number}")
    return found
