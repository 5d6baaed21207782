"""Pools: which matches share ratings. Those of a game that are played with the same options, and no others.

A 3x3 board is another contest than a 5x5 one, and Hex 13 another than Hex 11. With the default options a pool has
the game's plain name.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final

from pbmserv.games import games, title_with
from pbmserv.games.info import Option
from pbmserv.matches.log import Match

LONGEST_NAME: Final = 40
"""The most characters of a pool's name: the columns that hold one are as wide."""

_SHORT: Final = "size"
"""The option that a name tells by its value alone."""

ANY: Final = "any"
"""What a pool has for all numbers of an option but its default: nobody would be rated in hundreds of pools."""


@dataclass(frozen=True, slots=True)
class Pool:
    """A game, and the options in which its matches differ from the default, sorted by name."""

    game: str
    options: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """As it is stored and listed; `pool_named` reads it.

        >>> Pool("cephalopod", (("size", "3x3"),)).name, Pool("hex", (("pie", "no"), ("size", "13"))).name
        ('cephalopod 3x3', 'hex pie=no 13')
        """
        return " ".join([self.game, *self._values])

    @property
    def title(self) -> str:
        """What people call it: "Cephalopod variant 3x3"."""
        return " ".join([title_with(self.game, self.options), *self._values])

    @property
    def _values(self) -> list[str]:
        return [value if name == _SHORT else f"{name}={value}" for name, value in self.options]


def pool_with(game: str, options: Iterable[tuple[str, str]]) -> Pool:
    """The pool of a game's matches with these options; those left out have their default.

    >>> pool_with("hex", [("size", "11")]).name, pool_with("hex", [("size", "13")]).name
    ('hex', 'hex 13')
    >>> pool_with("chess", [("setup", "518")]).name, pool_with("chess", [("setup", "0")]).name
    ('chess', 'chess setup=any')
    """
    offered = _options(game)
    given = ((name, value.lower()) for name, value in options)
    return Pool(
        game,
        tuple(
            sorted(
                (name, ANY if name in offered and offered[name].is_number(value) else value)
                for name, value in given
                if name not in offered or offered[name].default != value
            )
        ),
    )


def pool_of(match: Match) -> Pool:
    """The pool in which a match counts, if it does."""
    return pool_with(match.game, match.options)


def pool_named(name: str) -> Pool:
    """The pool of a name.

    >>> pool_named("cephalopod 3x3")
    Pool(game='cephalopod', options=(('size', '3x3'),))
    """
    game, *words = name.split(" ")
    pairs = (word.partition("=") for word in words)
    options = ((left, right) if sign else (_SHORT, left) for left, sign, right in pairs)
    return Pool(game, tuple(sorted(options)))


@lru_cache(maxsize=64)
def pools_of(game: str) -> tuple[Pool, ...]:
    """Every pool that a game can have: one for each choice of its options, the plain one first."""
    choices = ([(option.name, each) for each in values_of(option)] for option in _options(game).values())
    found = (pool_with(game, each) for each in product(*choices))
    return tuple(sorted(dict.fromkeys(found), key=lambda pool: pool.options))


def is_of_pools(option: Option, value: str) -> bool:
    """Whether a value of an option, in lower case, can be asked for where pools are listed."""
    return option.takes(value) or value in values_of(option)


def _options(game: str) -> dict[str, Option]:
    known = games().get(game)
    return {} if known is None else {option.name: option for option in known.info.options}


def values_of(option: Option) -> tuple[str, ...]:
    """The values of an option that have pools of their own."""
    return (*option.choices, *option.variants, *([ANY] if option.numbers else ()))
