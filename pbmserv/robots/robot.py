"""What a robot is: a name, a summary, and how it chooses a move.

A robot is a module of this package that answers `Robot`; it is found by scanning (`robots.library`), and plays any
game that answers the ten questions. It knows neither match nor opponent, neither clock nor chance: the same
position, seed and budget give the same move.
"""

from dataclasses import dataclass
from typing import Any, Protocol

from pbmserv.games.game import Game


@dataclass(frozen=True, slots=True)
class Budget:
    """How much thinking a move is worth: at most so many `nodes`, which are positions looked at.

    All choice that is left open is made from `seed` (`robots.chance`).
    """

    seed: int
    nodes: int


class Robot(Protocol):
    """What a module of this package has to offer."""

    name: str
    """One word of at most 14 lower-case letters."""

    summary: str
    """What it does, to go on from its userid in a line of 72 columns: "plays any legal move"."""

    def choose(self, game: Game, position: Any, budget: Budget) -> Any:
        """One of the legal moves of a position in which somebody is to move."""
