"""What a robot is: a name, a summary, and how it chooses a move.

A robot is a module of this package that answers `Robot`; it is found by scanning (`robots.robot`), and plays any
game that answers the nine questions. It knows neither match nor opponent, neither clock nor chance: the same
position, seed and budget give the same move.
"""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, count
from types import MappingProxyType
from typing import Any, Final, Protocol, cast

import pbmserv.robots
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

    thinking: int
    """How many times the nodes of a plain robot it looks at for a move."""

    def plays(self, game: Game) -> bool:
        """Whether it plays a game."""

    def choose(self, game: Game, position: Any, budget: Budget) -> Any:
        """One of the legal moves of a position in which somebody is to move."""


FIRST: Final = "robot"
"""The userid of the robot that people are told of first; those of all others begin so too."""

_FIRST_IS: Final = "greedy"


@lru_cache(maxsize=1)
def robots() -> Mapping[str, Robot]:
    """All robots by name, the one that is told of first at the head, the others in alphabetical order."""
    modules = (
        importlib.import_module(f"pbmserv.robots.{found.name}")
        for found in pkgutil.iter_modules(pbmserv.robots.__path__)
    )
    found = {module.name: cast(Robot, module) for module in modules if hasattr(module, "choose")}
    return MappingProxyType(
        {name: found[name] for name in sorted(found, key=lambda each: (each != _FIRST_IS, each))}
    )


def userid_of(name: str) -> str:
    """What the robot of a name is called as a player.

    >>> userid_of("greedy"), userid_of("random")
    ('robot', 'robot.random')
    """
    return next(userids(name))


def userids(name: str) -> Iterator[str]:
    """The userids for a robot, best first: before they were kept for robots a person may have taken one."""
    first = [FIRST] if name == _FIRST_IS else []
    return chain([*first, f"{FIRST}.{name}"], (f"{FIRST}.{name}{number}" for number in count(2)))
