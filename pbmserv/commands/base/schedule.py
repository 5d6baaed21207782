"""When the one mail with many boards comes: `daily 07:30`, `weekly friday 07:30`. Always in UTC."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Final

WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_MORNING: Final = time(7)
_LEAST_LETTERS: Final = 3
_TIME: Final = re.compile(r"([01]?[0-9]|2[0-3])[:.h]?([0-5][0-9])?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Schedule:
    """A time of the day, every day or on one `weekday` (0: Monday)."""

    at: time
    weekday: int | None = None

    def __str__(self) -> str:
        """As it is kept and as people type it.

        >>> str(Schedule(time(7, 30), 4)), str(Schedule(time(19)))
        ('weekly fri 07:30', 'daily 19:00')
        """
        day = "daily" if self.weekday is None else f"weekly {WEEKDAYS[self.weekday][:_LEAST_LETTERS]}"
        return f"{day} {self.at:%H:%M}"

    def next_after(self, moment: datetime) -> datetime:
        """When it comes for the first time after a moment in UTC.

        >>> from datetime import UTC
        >>> thursday = datetime(2026, 1, 1, 12, tzinfo=UTC)
        >>> [f"{Schedule(time(12), day).next_after(thursday):%a %d}" for day in (None, 2, 3)]
        ['Fri 02', 'Wed 07', 'Thu 08']
        """
        first = moment.replace(hour=self.at.hour, minute=self.at.minute, second=0, microsecond=0)
        if self.weekday is not None:
            first += timedelta(days=(self.weekday - first.weekday()) % 7)
        if first > moment:
            return first
        return first + timedelta(days=1 if self.weekday is None else 7)


def read_schedule(words: Sequence[str]) -> Schedule | None:
    """The schedule that words in lower case name; None when they name none.

    >>> lines = ("daily", "daily 7.30", "weekly", "weekly friday", "weekly fri 19", "daily 24:00", "fri")
    >>> [str(read_schedule(line.split())) for line in lines]
    ['daily 07:00', 'daily 07:30', 'weekly mon 07:00', 'weekly fri 07:00', 'weekly fri 19:00', 'None', 'None']
    """
    how, *rest = [*words] or [""]
    if how not in ("daily", "weekly"):
        return None
    weekday = _weekday(rest[0]) if rest and how == "weekly" else None
    if weekday is not None:
        rest = rest[1:]
    elif how == "weekly":
        weekday = 0
    at = _time(rest[0]) if rest else _MORNING
    return Schedule(at, weekday) if at is not None and len(rest) < 2 else None


def _weekday(word: str) -> int | None:
    found = [number for number, name in enumerate(WEEKDAYS) if name.startswith(word)]
    return found[0] if len(word) >= _LEAST_LETTERS and len(found) == 1 else None


def _time(word: str) -> time | None:
    said = _TIME.fullmatch(word)
    return time(int(said[1]), int(said[2] or 0)) if said else None
