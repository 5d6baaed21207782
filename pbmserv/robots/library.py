"""Finds the robots, which are the modules of this package that answer `robot.Robot`, and names them as players."""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain, count
from types import MappingProxyType
from typing import Final, cast

import pbmserv.robots
from pbmserv.robots.robot import Robot

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
