"""How the pieces of each seat look, wherever they are drawn: in mails, on pages, in pictures.

Sides differ in the shape of the body, in filled or outlined, in the shape of the pips and in colour, so that one
of these always comes through: on paper, in a dark scheme that changes colours, to eyes that see no red.
"""

from dataclasses import dataclass
from typing import Final, Literal

from pbmserv.games.game import Seat

PipShape = Literal["circle", "square", "triangle", "diamond", "star", "cross"]


@dataclass(frozen=True, slots=True)
class Colours:
    """Of a piece in one scheme, as CSS: its own (`ink`), and the one that goes with it (`paper`)."""

    ink: str
    paper: str


@dataclass(frozen=True, slots=True)
class Look:
    """How the pieces of a seat are drawn.

    `corners` is the body as CSS rounds a box (`border-radius`); `is_filled`: it has the colour of the ink, pips
    that of the paper, else the other way round. `pip` is the character that stands for a pip of that `shape`.
    """

    corners: str
    is_filled: bool
    pip: str
    shape: PipShape
    light: Colours
    dark: Colours

    @property
    def colour(self) -> str:
        """Of the piece where there is one scheme only."""
        return self.light.ink


LOOKS: Final = (
    Look("50%", True, "\N{BLACK CIRCLE}", "circle", Colours("#b8400e", "#ffffff"), Colours("#ff9d7d", "#1b1410")),
    Look("4px", False, "\N{BLACK SQUARE}", "square", Colours("#2563eb", "#ffffff"), Colours("#8fc0ff", "#0f1c30")),
    Look(
        "50% 0",
        True,
        "\N{BLACK UP-POINTING TRIANGLE}",
        "triangle",
        Colours("#4d7c0f", "#ffffff"),
        Colours("#b3d77a", "#1b1410"),
    ),
    Look(
        "0 50%",
        False,
        "\N{BLACK DIAMOND}",
        "diamond",
        Colours("#9333ea", "#ffffff"),
        Colours("#e6a8f0", "#221030"),
    ),
    Look(
        "50% 50% 0 0", True, "\N{BLACK STAR}", "star", Colours("#8a6a00", "#ffffff"), Colours("#e5c664", "#1b1410")
    ),
    Look(
        "0 0 50% 50%",
        False,
        "\N{HEAVY GREEK CROSS}",
        "cross",
        Colours("#0f766e", "#ffffff"),
        Colours("#7fd8dc", "#06201f"),
    ),
)
"""For each seat; a game of more seats begins again. Ink and paper have a contrast of at least 4.5."""

PIPS: Final = (("c",), ("l", "", "r"), ("l", "c", "r"), ("b", "", "b"), ("b", "c", "b"), ("b", "b", "b"))
"""Where the pips of the values from 1 stand in the rows of a die: left, centre, right, or both sides."""


def look_of(seat: Seat) -> Look:
    """The look of a seat's pieces."""
    return LOOKS[seat % len(LOOKS)]


def has_pips(value: int | None) -> bool:
    """Whether a piece of that value is drawn as a die; any other is drawn as text."""
    return value in range(1, len(PIPS) + 1)
