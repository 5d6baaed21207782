"""What is said of time: reminders, the end of a turn, holidays.

As in `replies`, each class's name names its template.
"""

from dataclasses import dataclass
from datetime import date, datetime

from pbmserv.commands.replies.common import Reply


@dataclass(frozen=True, slots=True)
class Reminded(Reply):
    """To whoever is on turn: `board` has waited since; without a `deadline` it may go on waiting."""

    board: int
    since: datetime
    deadline: datetime | None


@dataclass(frozen=True, slots=True)
class TimeIsUp(Reply):
    """To whoever had no time left on `board`, and is out of the game."""

    board: int
    others_play_on: bool


@dataclass(frozen=True, slots=True)
class VacationSet(Reply):
    """The player is away on these days. `left` are the days still free in the years concerned, out of `limit`.

    `told` are the players who were told.
    """

    days: tuple[tuple[date, date], ...]
    left: tuple[tuple[int, int], ...]
    limit: int
    told: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VacationOf(Reply):
    """To others on their boards: `userid` is away on these days; none: is here after all."""

    userid: str
    days: tuple[tuple[date, date], ...]
    boards: tuple[int, ...]
