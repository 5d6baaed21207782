"""Floor 0: the rules of the games. Standard library only; nothing here knows players, mail or language."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
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
    playable = {module.info.name: cast(Game, module) for module in modules if hasattr(module, "info")}
    return MappingProxyType(dict(sorted(playable.items())))


@lru_cache(maxsize=1)
def titles() -> Mapping[str, str]:
    """The games' names as people read them, by name."""
    return MappingProxyType({name: game.info.title for name, game in games().items()})
