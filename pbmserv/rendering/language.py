"""What depends on the language and is no template: lists, plurals, lengths of time, a word for each way to leave.

A second language is a folder of `templates/` and a value like ENGLISH.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Final

from pbmserv.matches.clock import DAY
from pbmserv.matches.log import EntryKind

_HOUR: Final = timedelta(hours=1)
_MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Language:
    """One language of mails and pages."""

    # The folder of `templates/` with its sentences.
    folder: str
    # What stands before the last of several words, and between two units of time.
    and_: str
    # For one and for several: days, hours, minutes.
    units: tuple[tuple[str, str], tuple[str, str], tuple[str, str]]
    under_a_minute: str
    # The word in the list of moves for a player who leaves.
    leaves: Mapping[EntryKind, str]


ENGLISH: Final = Language(
    folder="en",
    and_="and",
    units=(("day", "days"), ("hour", "hours"), ("minute", "minutes")),
    under_a_minute="less than a minute",
    leaves=MappingProxyType(
        {"resigned": "resigns", "declined": "declines", "forfeited": "forfeits", "removed": "is removed"}
    ),
)

LANGUAGE = ENGLISH
"""The language of everything that is written."""


def plural(count: int, one: str, many: str) -> str:
    """The form of a word that goes with a number.

    >>> plural(1, "move", "moves"), plural(0, "move", "moves")
    ('move', 'moves')
    """
    return one if count == 1 else many


def listed(words: Iterable[object], last: str | None = None) -> str:
    """Words as people list them, with `last` before the last one.

    >>> listed(["A2", "B1", "C2"]), listed(["A2", "B1"], "or")
    ('A2, B1 and C2', 'A2 or B1')
    """
    every = [str(word) for word in words]
    if len(every) < 2:
        return "".join(every)
    return f"{', '.join(every[:-1])} {last or LANGUAGE.and_} {every[-1]}"


def moment(at: datetime) -> str:
    """A moment as programs read it (RFC 3339), to the second.

    >>> moment(datetime(2026, 1, 1, 12, 30, 15, 999, tzinfo=UTC))
    '2026-01-01T12:30:15Z'
    """
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def span(length: timedelta) -> str:
    """A length of time as people say it, in its two largest units.

    >>> hours = (504, 291, 25.1, 5, 1.5)
    >>> [span(timedelta(hours=each)) for each in hours]
    ['21 days', '12 days and 3 hours', '1 day and 1 hour', '5 hours', '1 hour and 30 minutes']
    >>> span(timedelta(seconds=86399)), span(timedelta(seconds=59))
    ('1 day', 'less than a minute')
    """
    if length < _MINUTE:
        return LANGUAGE.under_a_minute
    small = _MINUTE if length < DAY - _MINUTE / 2 else _HOUR
    rounded = round(length / small) * small
    counts = (rounded // DAY, rounded % DAY // _HOUR, rounded % _HOUR // _MINUTE)
    parts = [
        f"{count} {plural(count, *unit)}" for count, unit in zip(counts, LANGUAGE.units, strict=True) if count
    ]
    return f" {LANGUAGE.and_} ".join(parts)


def ago(length: timedelta) -> str:
    """A length of time as people say it of what is past, in its largest unit.

    >>> [ago(timedelta(hours=each)) for each in (504, 25.1, 5.4, 1.5, 0)]
    ['21 days', '1 day', '5 hours', '1 hour', 'less than a minute']
    """
    whole = max(length, timedelta())
    unit = next((unit for unit in (DAY, _HOUR, _MINUTE) if whole >= unit), _MINUTE)
    return span(whole // unit * unit)


def leaving_word(kind: EntryKind) -> str:
    """The word in the list of moves for a player who left."""
    return LANGUAGE.leaves[kind]
