"""Values stay small enough to be understood at one sitting."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from tests.every import every
from tests.house.imports import importable

MOST_FIELDS = 12

ROWS_AND_STATES = {
    "InboxMessage": 16,
    "OpenOffer": 13,
    "OutboxMessage": 14,
    "QueuedMessage": 15,
    "Server": 13,
    "Settings": 39,
    "State": 19,
}
"""Values as wide as their table, the settings, or the whole state of a game.

They may shrink, not grow.
"""

TO_BE_SPLIT = {"Answer": 18, "Decision": 13, "Help": 13, "IncomingMail": 13}


def every_value() -> Iterator[type]:
    """Each dataclass of the package."""
    for module in importable():
        classes = (each for each in vars(module).values() if isinstance(each, type) and is_dataclass(each))
        yield from (each for each in classes if each.__module__ == module.__name__)


def test_no_value_has_more_fields_than_a_reader_keeps_in_mind() -> None:
    """At most twelve: a wider value is split by who reads it."""

    def check(kind: type) -> None:
        most = (ROWS_AND_STATES | TO_BE_SPLIT).get(kind.__name__, MOST_FIELDS)
        assert len(fields(kind)) <= most

    every(sorted(set(every_value()), key=repr), check)
