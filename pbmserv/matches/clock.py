"""Time: how long a turn may take, how much of it is spent, and when it will be over. Pure; `now` is always given.

A turn's time runs from when the board was handed over to its player until the answer was kept. It stands still
while the server was away, while the player is on holiday, for a while when mail to them comes back, and while the
operator has paused the board.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

DAY: Final = timedelta(days=1)

REMINDED_AT: Final = (0.5, 0.8)
"""At these shares of what a turn may take its player is reminded, and one day before the end."""

MOST_STANDSTILL: Final = 30 * DAY
YEAR: Final = 365 * DAY
"""How long in a year the clocks of a player stand still since mail to them comes back: on all boards together, on
anybody's turn, for a mailbox is a player's and not a board's, and nobody can tell one that is gone from one
that is only said to be."""

APART: Final = timedelta(hours=12)
"""Two reminders that come closer than that are one."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The terms of a match; None: no such limit.

    `nag`: when a turn's first reminder comes; `forfeit`: how long one turn may take; `total`: a seat's bank for
    the whole match, to which each of its plies adds `increment`.
    """

    nag: timedelta | None = 7 * DAY
    forfeit: timedelta | None = 21 * DAY
    total: timedelta | None = None
    increment: timedelta = timedelta()


@dataclass(frozen=True, slots=True)
class Stop:
    """A stretch of time in which a clock stands still; one that goes on has no end yet."""

    since: datetime
    until: datetime | None


@dataclass(frozen=True, slots=True)
class Away:
    """A player is on holiday, or will be: both days count."""

    userid: str
    first: date
    last: date


@dataclass(frozen=True, slots=True)
class Timing:
    """What is known of the present turn beside the log.

    `started` is when the board was handed over to the player on turn, None as long as it was not. `stops` are
    outages of the server, holidays of that player and times in which mail to them came back, in any order; `away`
    holidays of any player of the board that go on at `as_of` or lie ahead. `standstill` goes on at `as_of` since
    mail to the player on turn comes back.
    """

    as_of: datetime
    started: datetime | None = None
    stops: tuple[Stop, ...] = ()
    away: tuple[Away, ...] = ()
    standstill: Stop | None = None


def standstill(since: datetime, earlier: Sequence[Stop]) -> Stop | None:
    """How long a player's clocks stand still when mail to them comes back from then on; None: not again this year.

    `earlier` are all such times before, which have come to their ends.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 21, 12, tzinfo=UTC)
    >>> stop = standstill(noon, [Stop(noon - 20 * DAY, noon - 5 * DAY), Stop(noon - 370 * DAY, noon - 360 * DAY)])
    >>> (stop.until - stop.since).days if stop else 0
    10
    """
    stops = [(max(each.since, since - YEAR), each.until) for each in earlier if each.until is not None]
    stood = sum((max(until - began, timedelta()) for began, until in stops), timedelta())
    began = max([since, *(until for _, until in stops)])
    return Stop(began, began + MOST_STANDSTILL - stood) if stood < MOST_STANDSTILL else None


def running(since: datetime, until: datetime, stops: Sequence[Stop]) -> timedelta:
    """How long a clock ran between two moments.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 21, 12, tzinfo=UTC)
    >>> str(running(noon, noon + DAY, [Stop(noon + DAY / 4, noon + DAY / 2), Stop(noon + DAY / 3, None)]))
    '6:00:00'
    """
    ran = max(until - since, timedelta())
    for stop in _merged(stops):
        ends = until if stop.until is None else min(stop.until, until)
        ran -= max(ends - max(stop.since, since), timedelta())
    return ran


def reached(since: datetime, after: timedelta, stops: Sequence[Stop]) -> datetime | None:
    """When a clock that runs from `since` will have run so long; None while a stop has no end.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 21, 12, tzinfo=UTC)
    >>> reached(noon, DAY, [Stop(noon - DAY, noon + DAY)]).isoformat()
    '2026-11-23T12:00:00+00:00'
    """
    at, left = since, after
    for stop in _merged(stops):
        if stop.until is not None and stop.until <= at:
            continue
        if stop.since >= at + left:
            break
        left -= max(stop.since - at, timedelta())
        if stop.until is None:
            return None
        at = stop.until
    return at + left


def _merged(stops: Sequence[Stop]) -> list[Stop]:
    """The same stretches, none touching another, in order."""
    merged: list[Stop] = []
    for stop in sorted(stops, key=lambda each: each.since):
        last = merged[-1] if merged else None
        if last is None or (last.until is not None and stop.since > last.until):
            merged.append(stop)
        elif last.until is not None:
            until = None if stop.until is None else max(last.until, stop.until)
            merged[-1] = Stop(last.since, until)
    return merged
