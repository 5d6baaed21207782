"""Floor 0: the rules of the games. Standard library only; nothing here knows players, mail or language."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType, ModuleType
from typing import cast

import pbmserv.games
from pbmserv.games.game import Game


@lru_cache(maxsize=1)
def games() -> Mapping[str, Game]:
    """All games by name, in alphabetical order."""
    modules = (
        importlib.import_module(f"pbmserv.games.{found.name}")
        for found in pkgutil.iter_modules(pbmserv.games.__path__)
    )
    playable = {game.info.name: game for module in modules for game in _games_of(module)}
    return MappingProxyType(dict(sorted(playable.items())))


def _games_of(module: ModuleType) -> tuple[Game, ...]:
    """A module with an `info` is a game; one with `games` has several."""
    if hasattr(module, "info"):
        return (cast(Game, module),)
    return cast(tuple[Game, ...], getattr(module, "games", ()))


@lru_cache(maxsize=1)
def titles() -> Mapping[str, str]:
    """The games' names as people read them, by name."""
    return MappingProxyType({name: game.info.title for name, game in games().items()})
