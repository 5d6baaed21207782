"""Floor 0: the rules of the games. Standard library only; nothing here knows players, mail or language.

Other packages may add games: see `pbmserv.games.packages`.
"""

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

import pbmserv.games
from pbmserv.games.game import Game
from pbmserv.games.packages import Packaged, games_in, packaged


@lru_cache(maxsize=1)
def games() -> Mapping[str, Game]:
    """All games by name, in alphabetical order: ours, and those of other packages that are installed."""
    return MappingProxyType(dict(sorted({**ours(), **others().games}.items())))


@lru_cache(maxsize=1)
def ours() -> Mapping[str, Game]:
    """The games of this package, by name."""
    modules = (
        importlib.import_module(f"pbmserv.games.{found.name}")
        for found in pkgutil.iter_modules(pbmserv.games.__path__)
    )
    return MappingProxyType({game.info.name: game for module in modules for game in games_in(module)})


def others() -> Packaged:
    """The games of other packages, and what is left out of them."""
    return packaged(frozenset(ours()))


@lru_cache(maxsize=1)
def titles() -> Mapping[str, str]:
    """The games' names as people read them, by name."""
    return MappingProxyType({name: game.info.title for name, game in games().items()})


def title_with(name: str, options: Iterable[tuple[str, str]]) -> str:
    """What a game with these options is called: a variant never plainly by the name of the game.

    >>> title_with("cephalopod", ()), title_with("cephalopod", [("size", "3x3")]), title_with("gone", ())
    ('Cephalopod', 'Cephalopod variant', 'gone')
    """
    game = games().get(name)
    if game is None:
        return name
    unpublished = {(option.name, value) for option in game.info.options for value in option.variants}
    return game.info.title if unpublished.isdisjoint(options) else f"{game.info.title} variant"
