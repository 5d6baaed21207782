"""The cells of a board in HTML for mails, and the links on them, which write mails to the server (RFC 6068).

A cell is drawn for any players and any address, and kept: `{0}` stands for the player in seat 0, `{to}` for the
address. They are filled in for a whole row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal
from urllib.parse import quote

from markupsafe import Markup, escape

from pbmserv.games.game import Piece, Seat, Step
from pbmserv.games.kinds import CHESS, word_of
from pbmserv.rendering.board import BoardView
from pbmserv.rendering.html_grid import Border, HtmlGrid, walls_of
from pbmserv.rendering.open_moves import named
from pbmserv.rendering.piece_style import PIPS, PieceStyle, has_pips, piece_style_of
from pbmserv.rendering.templates import environment

Mark = Literal["", "last", "vacated", "taken"]
"""What the last ply did on a cell: placed or moved to it, went away from it, took from it."""


# A pip is about as wide as the narrower of these blanks.
_ROW = {"c": "{0}", "l": "{0}\u2003", "r": "\u2003{0}", "b": "{0}\u2002{0}", "": "\u2002"}

_PLAIN: Final = "\N{BLACK CIRCLE}\N{WHITE CIRCLE}"
_CROWNED: Final = "\N{FISHEYE}\N{BULLSEYE}"
_OF_CHESS: Final = {
    f"chess/{kind}": (chr(0x265A + place), chr(0x2654 + place)) for place, kind in enumerate(CHESS)
}
_AS_TEXT: Final = "\N{VARIATION SELECTOR-15}"
_BURNT: Final = "\N{MULTIPLICATION X}"
_NOBODYS: Final = {"across": "\N{BOX DRAWINGS HEAVY HORIZONTAL}", "upright": "\N{BOX DRAWINGS HEAVY VERTICAL}"}
"""What is nobody's, by kind; anything else is burnt."""


@dataclass(frozen=True, slots=True)
class HtmlSquare:
    """One cell."""

    name: str
    # What stands there, in words; "" on an empty cell.
    label: str
    # The seat whose piece is on top.
    seat: Seat | None
    # The lines of a die.
    face: tuple[str, ...]
    # Any other pieces, as characters, each with its seat; from the bottom to the top.
    glyphs: tuple[tuple[str, Seat | None], ...]
    # Where a tap leads: to a mail with the move, or to the list of several moves.
    href: str
    # How many moves there are.
    ways: int
    # How many pieces the only move captures.
    takes: int
    mark: Mark
    # The inline styles of its heavier borders.
    borders: str


@dataclass(frozen=True, slots=True)
class MoveLinks:
    """Links that write moves on a board, as short as the address allows."""

    view: BoardView
    address: str
    # Whether the address is that of this mail alone: then it tells who writes, and after which ply.
    is_personal: bool
    # Whether the mail holds no other board.
    alone: bool
    # Whether the moves to choose from are listed below the board; else a tap asks which of them is meant.
    has_list: bool = True

    def __call__(self, text: str) -> str:
        """The link for a move."""
        return mailto(self.address, self.command(text))

    def command(self, text: str) -> str:
        """The command that the link writes."""
        if not self.is_personal:
            return command_of(self.view, text)
        return text.lower() if self.alone else f"{self.view.number} {text.lower()}"


_NO_CELL: Final = '<td class="pn"></td>'
_POST: Final = '<td class="pn">&bull;</td>'


def draw_grid(view: BoardView, links: MoveLinks, grid: HtmlGrid) -> str:
    """The grid with its cells, drawn."""
    cells, address = _cells(view, links, grid), _encoded(links.address)
    userids = [*map(escape, view.players.userids)]
    between = _POST if view.diagram.scene.board.layout.posts else _NO_CELL
    rows = ("".join([between if cell is None else cells[cell] for cell in row.cells]) for row in grid.rows)
    return grid.html.format(rows=[row.format(*userids, to=address) for row in rows])


def _cells(view: BoardView, links: MoveLinks, grid: HtmlGrid) -> list[str]:
    """Every cell, players and address not yet filled in."""
    scene, names = view.diagram.scene, view.diagram.scene.board.names
    open_now = {each.step: each for each in view.open_moves.choices} if view.is_viewers_turn else {}
    listed = {name for name, _ in view.open_moves.several} if links.has_list else set()
    takes, marks, walls = takes_of(view), marks_of(view), walls_of(scene, grid.looks)
    found = []
    for cell, pieces in enumerate(scene.cells):
        choice, name, mark = open_now.get(cell), names[cell], marks.get(cell, "")
        borders = (*grid.borders.get(cell, ()), *walls.get(cell, ()))
        if choice is None:
            found.append(_drawn(grid, name if pieces else "", pieces, mark, borders))
            continue
        is_listed = choice.ways > 1 and name in listed
        href = f"#{anchor(view, name)}" if is_listed else _HREF + quote(links.command(choice.text), safe="")
        found.append(_drawn(grid, name, pieces, mark, borders, href, choice.ways, takes.get(cell, 0)))
    return found


def takes_of(view: BoardView) -> dict[Step, int]:
    """How many pieces a move captures that the viewer can choose by one touch, by that cell."""
    takes, names = {text: len(taken) for text, taken in view.open_moves.captures}, view.diagram.scene.board.names
    single = [each for each in view.open_moves.choices if each.move] if view.is_viewers_turn and takes else []
    found = ((each.step, takes.get(each.text) or takes.get(named(names, each.step), 0)) for each in single)
    return {step: count for step, count in found if count}


def marks_of(view: BoardView) -> dict[int, Mark]:
    """What the last ply did, by cell."""
    scene = view.diagram.scene
    marks: dict[int, Mark] = dict.fromkeys(scene.vacated, "vacated")
    marks |= dict.fromkeys(scene.captured, "taken")
    return marks | dict.fromkeys(scene.marked, "last")


_HREF: Final = "mailto:{to}?subject="


@lru_cache(maxsize=8192)
def _drawn(
    grid: HtmlGrid,
    name: str,
    pieces: tuple[Piece, ...],
    mark: Mark,
    borders: tuple[Border, ...] = (),
    href: str = "",
    ways: int = 0,
    takes: int = 0,
) -> str:
    """A cell, its players and the address not yet filled in."""
    top = pieces[-1] if pieces else None
    is_die = top is not None and top.kind == "die"
    square = HtmlSquare(
        name=name,
        label=", ".join(map(_label, reversed(pieces))),
        seat=top.seat if top else None,
        face=_face(top) if top and is_die else (),
        glyphs=() if is_die else tuple((_glyph(piece, grid.looks), piece.seat) for piece in pieces),
        href=href,
        ways=ways,
        takes=takes,
        mark=mark,
        borders=";".join(f"border-{side}:4px solid {colour}" for side, colour in borders),
    )
    macros: Any = environment().get_template("mail/squares.html").module
    cell: Markup = macros.square(square, grid.fit, grid.looks, grid.sign, grid.is_wooden)
    return str(cell)


def _label(piece: Piece) -> str:
    """A piece in words."""
    shown = word_of(piece.kind) if piece.value is None else str(piece.value)
    return " ".join(filter(None, ("" if piece.seat is None else f"{{{piece.seat}}}", shown)))


def _glyph(piece: Piece, looks: Sequence[PieceStyle]) -> str:
    """A piece as one character, or as its number."""
    if piece.value is not None:
        return str(piece.value)
    if piece.seat is None:
        return _NOBODYS.get(piece.kind, _BURNT)
    look = looks[piece.seat]
    is_open = look.is_pale if look.is_named else piece.seat % 2 == 1
    if piece.kind in _OF_CHESS:
        return f"{_OF_CHESS[piece.kind][is_open]}{_AS_TEXT}"
    if "/" in piece.kind:
        return piece.text.strip()
    return (_CROWNED if piece.kind else _PLAIN)[is_open]


def _face(die: Piece) -> tuple[str, ...]:
    """The lines of a piece: the pips of a die, or else its text."""
    value = die.value
    if value is None or not has_pips(value):
        return (str(value) if value is not None else die.text,)
    return tuple(_ROW[row].format(piece_style_of(die.seat or 0).pip) for row in PIPS[value - 1])


def anchor(view: BoardView, square: str) -> str:
    """The anchor of the list of a square's moves."""
    return f"b{view.number}-{square.lower()}"


def command_of(view: BoardView, text: str) -> str:
    """The command that plays a move as the next ply of this board, and as no other ply."""
    return f"move {view.number} {text.lower()}#{view.plies + 1}"


def mailto(address: str, command: str) -> str:
    """A link that begins a mail with a command as its Subject; its text is left for words to the others.

    A `+` in the address is encoded, as some programs read it as a blank.

    >>> mailto("pbm+t1@club.test", "101 c3")
    'mailto:pbm%2Bt1@club.test?subject=101%20c3'
    """
    return f"mailto:{_encoded(address)}?subject={quote(command, safe='')}"


@lru_cache(maxsize=256)
def _encoded(address: str) -> str:
    """An address encoded for links; a mail has many links to the same one."""
    return quote(address, safe="@")
