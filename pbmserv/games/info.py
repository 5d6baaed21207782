"""The facts about a game that depend on no position: its name, sides, options, and whom it is owed to."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Side:
    """How a seat is called and drawn in text: `Side("Black", "x")`; an `n` in the mark is a piece's value."""

    name: str
    mark: str


Measure = Literal[
    "",  # told by the option's own name
    "squares",  # this way and that way: 3x5; or as many both ways
    "cells",
    "holes",
    "boxes",
    "lines",  # both ways
    "cells a side",
    "seeds",  # in each pit
    "checks",  # that win
    "setup",  # a first position of Chess960
]
"""What the value of an option counts; each is a sentence elsewhere."""


@dataclass(frozen=True, slots=True)
class Option:
    """A choice made when a match starts, written `-name=value`."""

    name: str
    default: str
    choices: tuple[str, ...]
    variants: tuple[str, ...] = ()
    """Choices that are not the game as its inventor published it: offered only where the operator allows it."""
    numbers: range = range(0)
    """Whole numbers that it takes besides, too many to be listed."""
    measure: Measure = ""

    def takes(self, value: str) -> bool:
        """Whether a value, in lower case, may be chosen.

        >>> setup = Option("setup", "518", ("518",), numbers=range(960))
        >>> [setup.takes(value) for value in ("518", "0", "959", "960", "007", "any")]
        [True, True, True, False, False, False]
        """
        return value in (*self.choices, *self.variants) or self.is_number(value)

    def is_number(self, value: str) -> bool:
        """Whether a value is one of the numbers, written without more zeros than it needs."""
        is_plain = re.fullmatch("0|[1-9][0-9]{0,8}", value, re.ASCII) is not None
        return is_plain and int(value) in self.numbers

    @property
    def told(self) -> tuple[str, ...]:
        """What to offer in place of another value: the choices, and between which numbers it may be."""
        return (*self.choices, *([f"{self.numbers[0]} to {self.numbers[-1]}"] if self.numbers else ()))


@dataclass(frozen=True, slots=True)
class Credit:
    """Whom the game is owed to: an inventor, or "traditional" with year 0."""

    inventor: str
    year: int
    site: str = ""
    """The inventor's, as `club.test`: pages have it behind `https://`, and texts as it stands."""


Group = Literal[
    "territory",  # to surround, fill or hold the board
    "connection",  # to join edges, or all one's pieces
    "chess",  # to capture what is royal
    "draughts",  # to jump, and to capture by jumping
    "rows",  # to make rows
    "race",  # to arrive first
    "hunt",  # few against many
    "blocking",  # to have the last move
    "sowing",
    "other",
]
"""What games are about, in the order of lists; what each is called stands elsewhere."""


@dataclass(frozen=True, slots=True)
class Info:
    """The facts about a game that do not depend on a position."""

    name: str
    """As it is typed; also the name of its rules text."""
    title: str
    rules: str
    """The version of the rules that a match stores: "cephalopod/1"."""
    sides: tuple[Side, ...]
    credit: Credit
    example: str
    """A move as a person types it."""
    options: tuple[Option, ...] = ()
    words: tuple[str, ...] = ()
    """The words that moves may hold, in lower case: "pass", "swap"."""
    dialect: str = ""
    """A regular expression for moves in another notation that `read` knows too, as `11-15` in checkers."""
    least_seats: int = 2
    most_seats: int = 2
    group: Group = "other"
    """Where lists of many games have it."""


class BadOption(Exception):
    """An option that the game does not have, or a value that it does not take."""

    def __init__(self, name: str, value: str, choices: tuple[str, ...] = ()) -> None:
        super().__init__(name, value, choices)
        self.name = name
        self.value = value
        self.choices = choices
        """The values that would do; empty when there is no option of that name."""


def chosen(info: Info, options: Mapping[str, str]) -> dict[str, str]:
    """The value of each option of a game, in lower case: as given, or its default. Raises BadOption."""
    offered = {option.name: option for option in info.options}
    for name, value in options.items():
        if name not in offered:
            raise BadOption(name, value)
        if not offered[name].takes(value.lower()):
            raise BadOption(name, value, offered[name].told)
    return {name: options.get(name, option.default).lower() for name, option in offered.items()}
