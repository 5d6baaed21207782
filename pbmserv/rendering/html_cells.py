"""The cells of a board in HTML for mails, and the links on them, which write mails to the server (RFC 6068).

A cell is drawn for any players and any address, and kept: `{0}` stands for whoever sits in seat 0, `{to}` for the
address. They are filled in for a whole row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal
from urllib.parse import quote

from markupsafe import Markup, escape

from pbmserv.games.board import Board
from pbmserv.games.game import Piece, Seat, Side, Step
from pbmserv.rendering.board import BoardView
from pbmserv.rendering.open_moves import named
from pbmserv.rendering.piece_style import (
    PIPS,
    PieceStyle,
    are_black_and_white,
    has_pips,
    looks_of,
    piece_style_of,
)
from pbmserv.rendering.templates import environment

MOST_CELLS: Final = 169
"""What has more, as a Go board of 19 lines, would be too large a mail."""

_PIXELS: Final = 304
"""Of the narrowest supported phone's 320, within the margins of a mail."""

_NARROWEST: Final = 17
"""Pixels of a cell on which a finger may still land."""

_LABEL: Final = 18
_LABEL_OF_PITS: Final = 48
"""Pixels of the labels beside the rows: a number, or a side of the board."""

_LOWEST: Final = 22
"""Pixels of the lowest row."""


Mark = Literal["", "last", "vacated", "taken"]
"""What the last ply did on a cell: placed or moved to it, went away from it, took from it."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Sizes in pixels: the height of a row, and of the letters of names, pieces and pips."""

    height: int
    name: int
    piece: int
    pip: int
    # How wide the board may become where there is more room than on a phone.
    widest: int
    # The width of the labels beside the rows.
    label: int
    # How many half cells are side by side.
    halves: int


# The height of a row with so many cells at the most; cells of more are about square on the narrowest phone.
_HEIGHTS: Final = ((5, 58), (7, 44), (9, 34), (11, 27))

# A pip is about as wide as the narrower of these blanks.
_ROW = {"c": "{0}", "l": "{0}\u2003", "r": "\u2003{0}", "b": "{0}\u2002{0}", "": "\u2002"}

_PLAIN: Final = "\N{BLACK CIRCLE}\N{WHITE CIRCLE}"
_CROWNED: Final = "\N{FISHEYE}\N{BULLSEYE}"
_BURNT: Final = "\N{MULTIPLICATION X}"


@dataclass(frozen=True, slots=True, eq=False)
class CellStyle:
    """What all cells of a board have in common."""

    fit: Fit
    looks: tuple[PieceStyle, ...]
    # What an empty cell shows.
    sign: str
    # Whether the ground is one on which black and white are seen.
    is_wooden: bool


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


@dataclass(frozen=True, slots=True)
class HtmlRow:
    """A row of cells, drawn."""

    label: str
    # Half cells before the first cell.
    indent: int
    # How many cells there are, with those places between two where the board has none.
    count: int
    cells: str


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


@lru_cache(maxsize=64)
def fit_of(board: Board) -> Fit | None:
    """The sizes with which a board fits on a phone; None where it does not."""
    across = -(-board.layout.size[0] // 2)
    label = _LABEL_OF_PITS if board.layout.shape == "pit" else _LABEL
    width = (_PIXELS - label) // across
    if width < _NARROWEST or len(board.names) > MOST_CELLS:
        return None
    height = next((height for most, height in _HEIGHTS if across <= most), max(width, _LOWEST))
    return Fit(
        height=height,
        name=max(8, min(15, height * 2 // 5)),
        piece=min(height, width) * 9 // 10,
        pip=15 if height > 50 else 12 if height > 40 else 8,
        widest=max(_PIXELS, across * height + label) + 40,
        label=label,
        halves=board.layout.size[0],
    )


@lru_cache(maxsize=64)
def column_labels(board: Board) -> tuple[str, ...]:
    """What stands above the columns; "" above one that has no label there."""
    layout = board.layout
    across = -(-layout.size[0] // 2)
    top = {x: text for text, x, y in layout.labels if y < 0} or {
        x: text for text, x, y in layout.labels if y > 0 and x > 0
    }
    return tuple(top.get(2 * column + 1, top.get(2 * column, "")) for column in range(across))


@lru_cache(maxsize=64)
def style_of(board: Board, sides: tuple[Side, ...]) -> CellStyle | None:
    """What its cells have in common on a board for these sides; None where it does not fit on a phone."""
    fit, looks = fit_of(board), looks_of(sides)
    sign = "+" if board.layout.shape == "point" else "\N{MIDDLE DOT}"
    return CellStyle(fit, looks, sign, are_black_and_white(looks)) if fit else None


def rows_of(view: BoardView, links: MoveLinks, style: CellStyle) -> tuple[HtmlRow, ...]:
    """The rows of the board, drawn."""
    cells, address = _cells(view, links, style), _encoded(links.address)
    userids = [*map(escape, view.players.userids)]
    return tuple(
        HtmlRow(
            label,
            indent,
            len(row),
            "".join([_NO_CELL if cell is None else cells[cell] for cell in row]).format(*userids, to=address),
        )
        for label, indent, row in _places(view.diagram.scene.board)
    )


@lru_cache(maxsize=64)
def _places(board: Board) -> tuple[tuple[str, int, tuple[int | None, ...]], ...]:
    """Of each row its label, the half cells before it, and its cells; None where the board has none."""
    layout = board.layout
    rows = []
    for row in layout.rows:
        first = layout.places[row.cells[0]][0]
        cells: list[int | None] = []
        for cell in row.cells:
            # Drawn boards have places without a cell.
            missing = (layout.places[cell][0] - first) // 2 - len(cells)
            cells += [*[None] * missing, cell]
        is_shifted = layout.shape == "hexagon"
        before = [] if is_shifted else [None] * ((first - 1) // 2)
        rows.append((row.label, first - 1 if is_shifted else 0, (*before, *cells)))
    return tuple(rows)


_NO_CELL: Final = '<td class="pn"></td>'


def _cells(view: BoardView, links: MoveLinks, style: CellStyle) -> list[str]:
    """Every cell, drawn."""
    scene, names = view.diagram.scene, view.diagram.scene.board.names
    open_now = {each.step: each for each in view.open_moves.choices} if view.is_viewers_turn else {}
    listed = {name for name, _ in view.open_moves.several} if links.has_list else set()
    takes, marks = takes_of(view), marks_of(view)
    found = []
    for cell, pieces in enumerate(scene.cells):
        choice, name, mark = open_now.get(cell), names[cell], marks.get(cell, "")
        if choice is None:
            found.append(_drawn(style, name if pieces else "", pieces, mark))
            continue
        is_listed = choice.ways > 1 and name in listed
        href = f"#{anchor(view, name)}" if is_listed else _HREF + quote(links.command(choice.text), safe="")
        found.append(_drawn(style, name, pieces, mark, href, choice.ways, takes.get(cell, 0)))
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
    style: CellStyle,
    name: str,
    pieces: tuple[Piece, ...],
    mark: Mark,
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
        glyphs=() if is_die else tuple((_glyph(piece, style.looks), piece.seat) for piece in pieces),
        href=href,
        ways=ways,
        takes=takes,
        mark=mark,
    )
    macros: Any = environment().get_template("mail/squares.html").module
    cell: Markup = macros.square(square, style.fit, style.looks, style.sign, style.is_wooden)
    return str(cell)


def _label(piece: Piece) -> str:
    """A piece in words."""
    shown = piece.kind if piece.value is None else str(piece.value)
    return " ".join(filter(None, ("" if piece.seat is None else f"{{{piece.seat}}}", shown)))


def _glyph(piece: Piece, looks: Sequence[PieceStyle]) -> str:
    """A piece as one character, or as its number."""
    if piece.value is not None:
        return str(piece.value)
    if piece.seat is None:
        return _BURNT
    look = looks[piece.seat]
    is_open = look.is_pale if look.is_named else piece.seat % 2 == 1
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
