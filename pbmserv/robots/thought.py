"""What thinking about a position comes to, and what thinks.

And chance without chance: numbers that look like dice, and are the same for the same seed on every machine.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

from pbmserv.games.game import Game, Move


@dataclass(frozen=True, slots=True)
class Candidate:
    """A legal move that was thought about."""

    move: Move
    visits: int
    """How often it was tried; what a search trusts most."""
    value: float
    """What it brings to the seat that makes it: from 0, the last place, to 1, the first one; a draw is 0.5."""


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


T = TypeVar("T")


def seed_of(*words: object) -> int:
    """A seed that belongs to these words, as a board's number and its ply.

    >>> seed_of(101, 7) == seed_of(101, 7), seed_of(101, 7) == seed_of(10, 17)
    (True, False)
    """
    return _number(" ".join(map(str, words)))


def pick(seed: int, choices: Sequence[T]) -> T:
    """One of the choices, of which there must be some, each as likely as any other.

    >>> {pick(seed, "abc") for seed in range(20)} == {"a", "b", "c"}
    True
    """
    return choices[_number(f"pick {seed}") % len(choices)]


def shuffled(seed: int, choices: Sequence[T]) -> list[T]:
    """All choices in some order.

    >>> sorted(shuffled(7, "abc")), shuffled(7, "abcdefgh") == shuffled(8, "abcdefgh")
    (['a', 'b', 'c'], False)
    """
    places = sorted(range(len(choices)), key=lambda place: _number(f"place {place} {seed}"))
    return [choices[place] for place in places]


class Dice:
    """Numbers for those who throw often: the same row of them for the same seed (xorshift64*, S. Vigna 2016)."""

    def __init__(self, seed: int) -> None:
        self._state = seed % _LARGEST or 1

    def below(self, count: int) -> int:
        """A number from 0 to less than `count`, which is far below 2**32."""
        state = self._state
        state ^= state >> 12
        state ^= (state << 25) & _LARGEST
        state ^= state >> 27
        self._state = state
        return (((state * 0x2545F4914F6CDD1D) & _LARGEST) >> 32) * count >> 32

    def bits(self, count: int) -> int:
        """A number of `count` bits."""
        state, found = self._state, 0
        for _ in range(0, count, 64):
            state ^= state >> 12
            state ^= (state << 25) & _LARGEST
            state ^= state >> 27
            found = found << 64 | (state * 0x2545F4914F6CDD1D) & _LARGEST
        self._state = state
        return found & ((1 << count) - 1)

    def shuffle(self, choices: list[T]) -> None:
        """Puts them into another order."""
        for last in range(len(choices) - 1, 0, -1):
            other = self.below(last + 1)
            choices[last], choices[other] = choices[other], choices[last]


_LARGEST: Final = 2**64 - 1


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


class AnyMove:
    """`random`: any legal move, each as likely as any other."""

    def think(self, game: Game, position: Any, seed: int, iterations: int) -> Thought:
        """Any of the legal moves, of which nothing is expected."""
        return Thought((Candidate(pick(seed, tuple(game.moves(position))), 1, 0.5),), (), 1)
