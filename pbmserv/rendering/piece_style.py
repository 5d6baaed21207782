"""How the pieces of each seat look, wherever they are drawn: in mails, on pages, in pictures.

Sides differ in the shape of the piece, in being filled or outlined, in the shape of the pips and in colour. At
least one of these is always visible: on paper, with changed colours in a dark scheme, and to colour-blind people.
Where all sides of a game are named after colours, as Black and White, their pieces have these.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from pbmserv.games.game import Seat
from pbmserv.games.info import Side

PipShape = Literal["circle", "square", "triangle", "diamond", "star", "cross"]


@dataclass(frozen=True, slots=True)
class Colours:
    """The two contrasting CSS colours of a piece in one colour scheme."""

    ink: str
    paper: str
    # That of the outline, where it is not the ink.
    line: str = ""


@dataclass(frozen=True, slots=True)
class PieceStyle:
    """How the pieces of a seat are drawn."""

    # Its class in style sheets.
    name: str
    # The shape of the piece, as a CSS border-radius.
    corners: str
    # Whether the piece is drawn in ink and its pips in paper, or the other way round.
    is_filled: bool
    # The character for one pip of that shape.
    pip: str
    shape: PipShape
    light: Colours
    dark: Colours
    # Whether the paper, and not the ink, is what it is called by.
    is_pale: bool = False

    @property
    def is_named(self) -> bool:
        """Whether it is that of a side called by a colour."""
        return not self.name.startswith("seat")

    @property
    def is_black_or_white(self) -> bool:
        """Whether only a full or an open shape tells it apart."""
        return self.name in ("black", "white")

    @property
    def letters_in_dark(self) -> str:
        """The colour of letters in place of the piece on a dark ground."""
        return self.dark.paper if self.is_pale else self.dark.ink

    @property
    def colour(self) -> str:
        """The colour of the piece if there is only one colour scheme."""
        return self.light.ink


PIECE_STYLES: Final = (
    PieceStyle(
        "seat0",
        "50%",
        True,
        "\N{BLACK CIRCLE}",
        "circle",
        Colours("#b8400e", "#ffffff"),
        Colours("#ff9d7d", "#1b1410"),
    ),
    PieceStyle(
        "seat1",
        "4px",
        False,
        "\N{BLACK SQUARE}",
        "square",
        Colours("#2563eb", "#ffffff"),
        Colours("#8fc0ff", "#0f1c30"),
    ),
    PieceStyle(
        "seat2",
        "50% 0",
        True,
        "\N{BLACK UP-POINTING TRIANGLE}",
        "triangle",
        Colours("#4d7c0f", "#ffffff"),
        Colours("#b3d77a", "#1b1410"),
    ),
    PieceStyle(
        "seat3",
        "0 50%",
        False,
        "\N{BLACK DIAMOND}",
        "diamond",
        Colours("#9333ea", "#ffffff"),
        Colours("#e6a8f0", "#221030"),
    ),
    PieceStyle(
        "seat4",
        "50% 50% 0 0",
        True,
        "\N{BLACK STAR}",
        "star",
        Colours("#8a6a00", "#ffffff"),
        Colours("#e5c664", "#1b1410"),
    ),
    PieceStyle(
        "seat5",
        "0 0 50% 50%",
        False,
        "\N{HEAVY GREEK CROSS}",
        "cross",
        Colours("#0f766e", "#ffffff"),
        Colours("#7fd8dc", "#06201f"),
    ),
)
"""By seat; a game with more seats starts over. The contrast of ink and paper is at least 4.5."""


def _named(name: str, is_filled: bool, light: Colours, dark: Colours, is_pale: bool = False) -> PieceStyle:
    """The style of a side that is called by a colour: round, whatever the seat."""
    return PieceStyle(name, "50%", is_filled, "\N{BLACK CIRCLE}", "circle", light, dark, is_pale)


NAMED_STYLES: Final[Mapping[str, PieceStyle]] = MappingProxyType(
    {
        "Black": _named(
            "black",
            True,
            Colours("#37332e", "#ffffff", line="#100f0d"),
            Colours("#0d0c0b", "#f2eee4", line="#6b6457"),
        ),
        "White": _named(
            "white", False, Colours("#26231f", "#ffffff"), Colours("#0d0c0b", "#f2eee4"), is_pale=True
        ),
        "Red": _named("red", True, Colours("#b3261e", "#ffffff"), Colours("#ff8a80", "#2b0b08")),
        "Blue": _named("blue", False, Colours("#1d4ed8", "#ffffff"), Colours("#93c5fd", "#0f1c30")),
        "Green": _named("green", True, Colours("#166534", "#ffffff"), Colours("#86efac", "#06200f")),
        "Yellow": _named(
            "yellow", False, Colours("#5c4500", "#ffd84d"), Colours("#2b2000", "#ffd84d"), is_pale=True
        ),
    }
)
"""By the name of the side. Two of them differ in being filled too, or else the one is light and the other dark."""

PIPS: Final = (("c",), ("l", "", "r"), ("l", "c", "r"), ("b", "", "b"), ("b", "c", "b"), ("b", "b", "b"))
"""Where the pips of each value from 1 are in the rows of a die: left, centre, right, or both sides."""


def piece_style_of(seat: Seat) -> PieceStyle:
    """The style of a seat's pieces."""
    return PIECE_STYLES[seat % len(PIECE_STYLES)]


def looks_of(sides: Sequence[Side]) -> tuple[PieceStyle, ...]:
    """The style of each side's pieces: that of the colours they are called by, or else of their seats.

    >>> [look.name for look in looks_of((Side("Black", "x"), Side("White", "o")))]
    ['black', 'white']
    >>> [look.name for look in looks_of((Side("Black", "x"), Side("Angle", "<n>")))]
    ['seat0', 'seat1']
    """
    if all(side.name in NAMED_STYLES for side in sides):
        return tuple(NAMED_STYLES[side.name] for side in sides)
    return tuple(piece_style_of(seat) for seat in range(len(sides)))


def are_on_wood(looks: Sequence[PieceStyle]) -> bool:
    """Whether one side is Black, which is seen best on a ground between black and white."""
    return any(look.name == "black" for look in looks)


def has_pips(value: int | None) -> bool:
    """Whether a piece of that value is drawn as a die; any other is drawn as text."""
    return value in range(1, len(PIPS) + 1)
