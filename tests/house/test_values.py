"""Values stay small enough to be understood at one sitting."""

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import pbmserv
from tests.every import every

MOST_FIELDS = 12

ROWS_AND_STATES = {
    "InboxMessage": 16,
    "OpenOffer": 13,
    "OutboxMessage": 14,
    "Server": 13,
    "State": 19,
}
"""Values as wide as their table, the settings, or the whole state of a game; they may shrink, not grow."""

TO_BE_SPLIT = {"Decision": 13, "Help": 13}


def every_value() -> Iterator[type]:
    """Each dataclass of the package."""
    for module in pkgutil.walk_packages(pbmserv.__path__, "pbmserv."):
        names = vars(importlib.import_module(module.name)).values()
        classes = (each for each in names if isinstance(each, type) and is_dataclass(each))
        yield from (each for each in classes if each.__module__ == module.name)


def test_no_value_has_more_fields_than_a_reader_keeps_in_mind() -> None:
    """At most twelve: a wider value is split by who reads it."""

    def check(kind: type) -> None:
        most = (ROWS_AND_STATES | TO_BE_SPLIT).get(kind.__name__, MOST_FIELDS)
        assert len(fields(kind)) <= most

    every(sorted(set(every_value()), key=repr), check)
