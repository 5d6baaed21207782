"""How the pieces of each seat look, wherever they are drawn: in mails, on pages, in pictures.

Sides differ in the shape of the piece, in being filled or outlined, in the shape of the pips and in colour. At
least one of these is always visible: on paper, with changed colours in a dark scheme, and to colour-blind people.
"""

from dataclasses import dataclass
from typing import Final, Literal

from pbmserv.games.game import Seat

PipShape = Literal["circle", "square", "triangle", "diamond", "star", "cross"]


@dataclass(frozen=True, slots=True)
class Colours:
    """The two contrasting CSS colours of a piece in one colour scheme."""

    ink: str
    paper: str


@dataclass(frozen=True, slots=True)
class PieceStyle:
    """How the pieces of a seat are drawn."""

    # The shape of the piece, as a CSS border-radius.
    corners: str
    # Whether the piece is drawn in ink and its pips in paper, or the other way round.
    is_filled: bool
    # The character for one pip of that shape.
    pip: str
    shape: PipShape
    light: Colours
    dark: Colours

    @property
    def colour(self) -> str:
        """The colour of the piece if there is only one colour scheme."""
        return self.light.ink


PIECE_STYLES: Final = (
    PieceStyle(
        "50%", True, "\N{BLACK CIRCLE}", "circle", Colours("#b8400e", "#ffffff"), Colours("#ff9d7d", "#1b1410")
    ),
    PieceStyle(
        "4px", False, "\N{BLACK SQUARE}", "square", Colours("#2563eb", "#ffffff"), Colours("#8fc0ff", "#0f1c30")
    ),
    PieceStyle(
        "50% 0",
        True,
        "\N{BLACK UP-POINTING TRIANGLE}",
        "triangle",
        Colours("#4d7c0f", "#ffffff"),
        Colours("#b3d77a", "#1b1410"),
    ),
    PieceStyle(
        "0 50%",
        False,
        "\N{BLACK DIAMOND}",
        "diamond",
        Colours("#9333ea", "#ffffff"),
        Colours("#e6a8f0", "#221030"),
    ),
    PieceStyle(
        "50% 50% 0 0", True, "\N{BLACK STAR}", "star", Colours("#8a6a00", "#ffffff"), Colours("#e5c664", "#1b1410")
    ),
    PieceStyle(
        "0 0 50% 50%",
        False,
        "\N{HEAVY GREEK CROSS}",
        "cross",
        Colours("#0f766e", "#ffffff"),
        Colours("#7fd8dc", "#06201f"),
    ),
)
"""By seat; a game with more seats starts over. The contrast of ink and paper is at least 4.5."""

PIPS: Final = (("c",), ("l", "", "r"), ("l", "c", "r"), ("b", "", "b"), ("b", "c", "b"), ("b", "b", "b"))
"""Where the pips of each value from 1 are in the rows of a die: left, centre, right, or both sides."""


def piece_style_of(seat: Seat) -> PieceStyle:
    """The style of a seat's pieces."""
    return PIECE_STYLES[seat % len(PIECE_STYLES)]


def has_pips(value: int | None) -> bool:
    """Whether a piece of that value is drawn as a die; any other is drawn as text."""
    return value in range(1, len(PIPS) + 1)
