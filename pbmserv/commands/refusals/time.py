"""What can be wrong with a command about time: the clocks of a new game, and holidays.

As in `matches.refusals`, each class's name names its template.
"""

from dataclasses import dataclass
from datetime import date
from typing import Literal

from pbmserv.matches.refusals import Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class BadTimeOption(Refused):
    """An option that sets a clock has no such `value`; it takes `least` to `most` days, or hours, or is `none`.

    `why`: what it is cannot be read or is out of bounds, it stands there twice, the increment has no total time to
    add to, or the reminder would come after the end. `ready` is a line that works.
    """

    name: str
    why: Literal["value", "twice", "no total", "late"]
    value: str
    least: str
    most: str
    in_hours: bool
    ready: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BadVacation(Refused):
    """No such holidays can be: a date cannot be read, the last is before the first, the first is in the past or
    more than a year ahead, or the last is further still; `first` and `last` are days that would do.
    """

    why: Literal["date", "order", "past", "far"]
    value: str
    first: date
    last: date


@dataclass(frozen=True, slots=True, kw_only=True)
class TooMuchVacation(Refused):
    """These holidays take `wanted` days of `year`, in which `left` of `limit` are left.

    `first` and `last` are the days that would do from the first wanted one on; None when nothing is left then.
    """

    year: int
    wanted: int
    left: int
    limit: int
    first: date
    last: date | None
