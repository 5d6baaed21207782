"""A board as a table that any mail program shows: drawn dice, and squares that write the answer when tapped.

What mail programs leave of HTML decides the means: tables, widths in pixels, styles on the element; no pictures,
no SVG, no positions. Of what sides differ in (`looks`) one always comes through: Word's engine (Outlook) knows no
round corners, dark schemes change colours, a screen reader reads the label.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from markupsafe import Markup

from pbmserv.commands.library import commands
from pbmserv.games.game import Cell, Seat
from pbmserv.rendering.blocks import Block, blocks_of
from pbmserv.rendering.board import BoardView
from pbmserv.rendering.environment import as_shown, environment, laid_out, render, without_controls
from pbmserv.rendering.happened import LEAVES
from pbmserv.rendering.looks import LOOKS, PIPS, Look, has_pips, look_of
from pbmserv.rendering.mailto import mailto

WIDEST = 9
"""Columns: more do not fit on a phone, whose 320 pixels are the narrowest that is planned for."""


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
class Square:
    """One square. `face` are the lines of a die, or of what stands there instead; empty when nothing does.

    `href` is where a tap leads: a mail with the move, or, where there are several (`ways`), their list. `takes`
    counts the dice that the one move captures.
    """

    name: str
    seat: Seat | None
    owner: str
    value: str
    face: tuple[str, ...]
    href: str
    ways: int
    takes: int
    is_last: bool
    is_taken: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several moves on a square; `href` writes it, and is empty where there is no room for links."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class Told:
    """One of the moves in the story: its ply, whose it is, and its text; without a ply the player has gone."""

    ply: int | None
    seat: Seat
    userid: str
    text: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """The context of `mail/board.html`. `choices` are the squares with several moves; `actions` links by name."""

    view: BoardView
    alone: bool
    fit: Fit
    standing: tuple[Block, ...]
    gone: tuple[Block, ...]
    circumstances: tuple[Block, ...]
    rows: tuple[tuple[str, tuple[Square, ...]], ...]
    choices: tuple[tuple[str, tuple[Choice, ...]], ...]
    story: tuple[Told, ...]
    actions: dict[str, str]
    comment: tuple[str, ...]
    looks: tuple[Look, ...] = LOOKS

    @property
    def tells_all(self) -> bool:
        """Whether the story is whole."""
        return not self.story or self.story[0].ply in (1, None)

    @property
    def marks(self) -> frozenset[str]:
        """Which marks the drawing bears, so that it tells what they mean."""
        squares = [square for _, row in self.rows for square in row]
        told = {
            "last": any(square.is_last for square in squares),
            "taken": any(square.is_taken for square in squares),
            "takes": any(square.takes for square in squares),
            "ways": any(square.ways > 1 for square in squares),
        }
        return frozenset(name for name, holds in told.items() if holds)

    def drawn(self, square: Square) -> Markup:
        """The cell of a square."""
        return _cell(square, self.fit) if square.href else _cell_without_link(square, self.fit)


def draw_board(view: BoardView, address: str, alone: bool = True, links_choices: bool = True) -> str | None:
    """The board in HTML, with links to `address`; None when it is too wide to be drawn for a phone.

    `alone`: the mail holds no other. `links_choices`: moves to choose from are links, which takes much room.
    """
    columns = len(view.scene.columns)
    if columns > WIDEST:
        return None
    drawn = Drawn(
        view=view,
        alone=alone,
        fit=next(fit for most, fit in _FITS if columns <= most),
        standing=said("mail/standing.txt", view),
        gone=said("mail/gone.txt", view),
        circumstances=said("mail/circumstances.txt", view, alone),
        rows=tuple(
            (label, tuple(_square(cell, view, address) for cell in cells))
            for label, cells in zip(view.scene.rows, view.scene.cells, strict=True)
        ),
        choices=tuple(
            (cell.square, tuple(_choice(text, view, address if links_choices else "") for text in cell.choices))
            for cell in sorted((cell for row in view.scene.cells for cell in row), key=lambda cell: cell.square)
            if view.is_viewers_turn and len(cell.choices) > 1
        ),
        story=tuple(
            Told(turn.ply, turn.seat, view.userids[turn.seat], turn.move or LEAVES[turn.kind])
            for turn in view.turns
        ),
        actions=_actions(view, address),
        comment=tuple(without_controls(as_shown(view.comment.text)).split("\n")) if view.comment else (),
    )
    return render("mail/board.html", board=drawn)


def anchor(view: BoardView, square: str) -> str:
    """The name of the place where the moves of a square are listed."""
    return f"b{view.number}-{square.lower()}"


def command_of(view: BoardView, text: str) -> str:
    """The command that plays a move as the next ply of this board, and as no other."""
    return f"move {view.number} {text.lower()}#{view.plies + 1}"


def said(template: str, view: BoardView, alone: bool = True) -> tuple[Block, ...]:
    """What a text template of mails says of a board, as blocks; what links do is left out."""
    return blocks_of(laid_out(render(template, view=view, alone=alone, is_html=True)))


def _square(cell: Cell, view: BoardView, address: str) -> Square:
    scene = view.scene
    ways = len(cell.choices) if view.is_viewers_turn else 0
    href = ""
    if ways:
        listed = f"#{anchor(view, cell.square)}"
        href = mailto(address, command_of(view, cell.choices[0])) if ways == 1 else listed
    return Square(
        name=cell.square,
        seat=cell.seat,
        owner="" if cell.seat is None else view.userids[cell.seat],
        value="" if cell.value is None else str(cell.value),
        face=() if cell.seat is None else _face(cell.seat, cell.value, cell.text),
        href=href,
        ways=ways,
        takes=next((len(taken) for square, taken in view.captures if square == cell.square), 0),
        is_last=cell.square in scene.last,
        is_taken=cell.square in scene.taken,
    )


def _cell(square: Square, fit: Fit) -> Markup:
    macros: Any = environment().get_template("mail/squares.html").module
    cell: Markup = macros.square(square, fit, LOOKS)
    return cell


# Links are each mail's own. All else is the same in the next mail about the board, but for a square or two.
_cell_without_link = lru_cache(maxsize=4096)(_cell)


@cache  # of a few dozen arguments
def _face(seat: Seat, value: int | None, text: str) -> tuple[str, ...]:
    """The lines of a piece: pips like a die's, else what stands for it in a drawn text."""
    if value is None or not has_pips(value):
        return (str(value) if value is not None else text,)
    return tuple(_ROW[row].format(look_of(seat).pip) for row in PIPS[value - 1])


def _choice(text: str, view: BoardView, address: str) -> Choice:
    return Choice(text.lower(), mailto(address, command_of(view, text)) if address else "")


def _actions(view: BoardView, address: str) -> dict[str, str]:
    """What else can be done here, by the first word of the command that does it."""
    found = {"show": mailto(address, f"show {view.number}")}
    is_playing = view.is_present and view.viewer in view.userids and view.viewer not in view.gone
    if is_playing and "chat" in commands():
        found["chat"] = mailto(address, f"chat {view.number}", is_whole=False)
    found["rules"] = mailto(address, f"help {view.game}")
    found["help"] = mailto(address, "help")
    offer = view.pending
    if offer and view.viewer in offer.waits_for:
        found["accept"] = mailto(address, f"accept {view.number}")
    if offer and view.viewer in (offer.by, *offer.waits_for):
        found["reject"] = mailto(address, f"reject {view.number}")
    if view.first_of_rematch:
        found["rematch"] = mailto(address, f"rematch {view.number}")
    if is_playing and view.status == "active":
        found["resign"] = mailto(address, f"resign {view.number}")
    return found
