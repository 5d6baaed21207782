"""What thinking about a position comes to, and what thinks: the words that robots and teachers share."""

from dataclasses import dataclass
from typing import Any, Protocol

from pbmserv.games.game import Game, Move


@dataclass(frozen=True, slots=True)
class Candidate:
    """A legal move that was thought about."""

    move: Move
    visits: int
    """How often it was tried; what a search trusts most."""
    value: float
    """What it brings to whoever makes it: from 0, the last place, to 1, the first one; a draw is 0.5."""


@dataclass(frozen=True, slots=True)
class Thought:
    """What is known of a position after thinking."""

    candidates: tuple[Candidate, ...]
    """Best first; at least one. Moves that were never tried may be missing."""
    values: tuple[float, ...]
    """What each seat may expect, 0 to 1, if all play as well as this search does."""
    iterations: int
    """Positions that were added to the search tree."""
    is_proven: bool = False
    """Whether the first candidate is known to be best: the rest of the game was searched to its end."""


class Thinker(Protocol):
    """Something that thinks: a module or an object. The same arguments give the same thought, on any machine."""

    def think(self, game: Game, position: Any, seed: int, iterations: int) -> Thought:
        """The thought about a position in which somebody is to move."""
