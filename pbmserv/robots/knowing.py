"""The thinkers that know one game: ours in folders of its name, those of other packages by entry points.

An entry point of the group `pbmserv.robots` has the name of its game, and leads to a module or an object that
answers `think` and `knows`. What is broken is left out.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any, Final, Protocol, cast

import pbmserv.robots
from pbmserv.games import games
from pbmserv.robots.thought import Thinker

GROUP: Final = "pbmserv.robots"


class Knowing(Thinker, Protocol):
    """A thinker with knowledge of one game: `pbmserv/robots/NAME/thinker.py`."""

    def knows(self, position: Any) -> bool:
        """Whether its knowledge covers the board and the number of seats of this position."""


def knowing() -> Mapping[str, Knowing]:
    """The thinkers that know a game, by its name."""
    return {**others()[0], **_ours()}


def is_ours(thinker: Thinker) -> bool:
    """Whether a thinker is of this package: of others the strength was not measured."""
    return all(thinker is not each for each in others()[0].values())


@lru_cache(maxsize=1)
def _ours() -> Mapping[str, Knowing]:
    folders = [found.name for found in pkgutil.iter_modules(pbmserv.robots.__path__) if found.ispkg]
    return MappingProxyType(
        {
            name: cast(Knowing, importlib.import_module(f"pbmserv.robots.{name}.thinker"))
            for name in folders
            if name != "search"
        }
    )


@lru_cache(maxsize=1)
def others() -> tuple[Mapping[str, Knowing], Mapping[str, str]]:
    """The thinkers of other packages, and why others are left out, by entry point."""
    found: dict[str, Knowing] = {}
    left_out: dict[str, str] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda each: (each.name, each.value)):
        try:
            thinker = point.load()
            why = _refused(point.name, thinker, found)
        except (Exception, SystemExit) as error:
            why = f"{type(error).__name__}: {error}"
        if why:
            left_out[point.name] = why
        else:
            found[point.name] = cast(Knowing, thinker)
    return MappingProxyType(found), MappingProxyType(left_out)


def _refused(name: str, thinker: object, found: Mapping[str, Knowing]) -> str:
    """Why a thinker cannot be taken; "" where it can."""
    if name not in games():
        return f"there is no game {name}"
    if name in _ours() or name in found:
        return f"there is a thinker that knows {name} already"
    missing = [each for each in ("think", "knows") if not callable(getattr(thinker, each, None))]
    return f"it does not answer {', '.join(missing)}" if missing else ""
