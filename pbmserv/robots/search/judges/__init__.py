"""Rules of thumb by which positions of a game are judged, a module for each family, found by scanning.

A module names its judges by game: `judges = {"hex": Judge(...)}`. Games without one are played to their end. What
a judge says is no rule: a game is the same without it, and its robots weaker.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

import pbmserv.robots.search.judges
from pbmserv.games.game import Game
from pbmserv.robots.search.judge import ANY, Judge


def judge_of(game: Game) -> Judge:
    """Who judges positions of a game."""
    return _judges().get(game.info.name, ANY)


@lru_cache(maxsize=1)
def _judges() -> Mapping[str, Judge]:
    """All judges by the name of their game."""
    modules = (
        importlib.import_module(f"pbmserv.robots.search.judges.{found.name}")
        for found in pkgutil.iter_modules(pbmserv.robots.search.judges.__path__)
    )
    return MappingProxyType({name: judge for module in modules for name, judge in module.judges.items()})
