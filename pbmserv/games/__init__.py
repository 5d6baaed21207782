"""Floor 0: the rules of the games. Standard library only; nothing here knows players, mail or language.

Other packages may add games: each is an entry point of the group `pbmserv.games`, found where it is installed. It
leads to a module with `info` or `games`, or to a game itself; its templates lie in a folder `templates` of the
package that holds it. What is broken is left out, and the log of the server says so.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final, cast

import pbmserv.games
from pbmserv.games.game import Game
from pbmserv.games.info import Info

GROUP: Final = "pbmserv.games"

_QUESTIONS: Final = ("start", "to_move", "moves", "play", "outcome", "write", "read", "scene")
_NAME: Final = re.compile("[a-z][a-z0-9-]*", re.ASCII)


class NoGame(Exception):
    """Why an entry point adds no game."""


@dataclass(frozen=True, slots=True)
class Packaged:
    """The games of other packages, where their templates lie, and why others are left out, by entry point."""

    games: Mapping[str, Game]
    folders: tuple[str, ...]
    left_out: Mapping[str, str]


def games_in(found: object) -> tuple[Game, ...]:
    """The games of a module, or of an object: one with an `info` is a game, one with `games` has several."""
    if hasattr(found, "info"):
        return (cast(Game, found),)
    return cast(tuple[Game, ...], getattr(found, "games", ()))


@lru_cache(maxsize=1)
def packaged(taken: frozenset[str]) -> Packaged:
    """The games of other packages; names that are `taken` are refused."""
    games: dict[str, Game] = {}
    folders: dict[str, None] = {}
    left_out: dict[str, str] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda each: (each.name, each.value)):
        try:
            folder, found = _loaded(point, taken | games.keys())
        except (Exception, SystemExit) as error:
            left_out[point.name] = str(error) if isinstance(error, NoGame) else f"{type(error).__name__}: {error}"
        else:
            games |= found
            folders[folder] = None
    return Packaged(MappingProxyType(games), tuple(folders), MappingProxyType(left_out))


def _loaded(point: EntryPoint, taken: frozenset[str]) -> tuple[str, dict[str, Game]]:
    """The folder of templates and the games of an entry point. Raises NoGame, or whatever its code raises."""
    found = games_in(point.load())
    if not found:
        raise NoGame(f"{point.value} has neither info nor games")
    templates = files(point.module.partition(".")[0]) / "templates"
    for game in found:
        _try(game)
        name = game.info.name
        if name in taken:
            raise NoGame(f"there is a game {name} already")
        if not (templates / "en" / "rules" / f"{name}.txt").is_file():
            raise NoGame(f"{name} has no rules text, templates/en/rules/{name}.txt in its package")
    return str(templates), {game.info.name: game for game in found}


def _try(game: Any) -> None:
    """Raises NoGame unless a game answers the questions at its start."""
    info = game.info
    if not isinstance(info, Info) or not _NAME.fullmatch(info.name):
        raise NoGame("its info is none, or its name no word of small letters, digits and hyphens")
    # It becomes a part of one pattern of all games, where numbers and names of groups would meet others.
    if re.compile(f"(?:{info.dialect})").groups:
        raise NoGame(f"the dialect of {info.name} has groups that are kept: write (?:...)")
    missing = [each for each in _QUESTIONS if not callable(getattr(game, each, None))]
    if missing:
        raise NoGame(f"{info.name} does not answer {', '.join(missing)}")
    position = game.start(info.least_seats, {})
    first = next(iter(game.moves(position)))
    if game.read(position, game.write(position, first)) != first or not game.scene(position).board.names:
        raise NoGame(f"{info.name} does not read what it writes")


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
