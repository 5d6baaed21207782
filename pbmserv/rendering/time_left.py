"""How much time is left on a board, as a value ready for `mail/time.txt` and the pages."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from pbmserv.matches.clock import DAY, Away, Timing
from pbmserv.matches.replay import Replayed
from pbmserv.matches.terms import bank, deadline, left, limit, spent

SHOWN_AHEAD: Final = 14 * DAY
"""So long before they begin, holidays are told with each board."""

_HOUR: Final = timedelta(hours=1)
_MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """The present turn of a board with clocks, as of now.

    `userid` is on turn and has `left` (None: no limit), until `until` if nothing more stops the clock. The turn
    `has_begun` once the board was handed over. `stopped` is why the clock does not run at the moment, and
    `stopped_until` how long that may last where mail to the player comes back ("mail"). `banks` are
    what each player still in has for the whole game, where that is limited, by userid. `away` are the holidays
    that go on or begin soon.
    """

    userid: str
    left: timedelta | None
    until: datetime | None
    has_begun: bool
    stopped: Literal["", "pause", "vacation", "mail", "outage"]
    stopped_until: datetime | None
    banks: tuple[tuple[str, timedelta], ...]
    away: tuple[Away, ...]


def time_left(board: Replayed, timing: Timing | None) -> TimeLeft | None:
    """The time left on a board; None when nobody is to move, or it has no clocks."""
    if board.match.clock is None or board.on_turn is None:
        return None
    timing = timing or Timing(board.state.last_at)
    most = limit(board)
    until = deadline(board, timing)
    return TimeLeft(
        userid=board.on_turn,
        left=left(board, timing),
        until=until,
        has_begun=timing.started is not None,
        stopped_until=None if timing.standstill is None else timing.standstill.until,
        stopped=_stopped(board, timing, runs=most is None or timing.started is None or until is not None),
        banks=tuple(_banks(board, timing)),
        away=tuple(each for each in timing.away if each.first <= (timing.as_of + SHOWN_AHEAD).date()),
    )


def span(length: timedelta) -> str:
    """A length of time as people say it, in its two greatest units.

    >>> hours = (504, 291, 25.1, 5, 1.5)
    >>> [span(timedelta(hours=each)) for each in hours]
    ['21 days', '12 days and 3 hours', '1 day and 1 hour', '5 hours', '1 hour and 30 minutes']
    >>> span(timedelta(seconds=86399)), span(timedelta(seconds=59))
    ('1 day', 'less than a minute')
    """
    if length < _MINUTE:
        return "less than a minute"
    small = _MINUTE if length < DAY - _MINUTE / 2 else _HOUR
    rounded = round(length / small) * small
    days, hours = rounded // DAY, rounded % DAY // _HOUR
    minutes = rounded % _HOUR // _MINUTE
    parts = ((days, "day"), (hours, "hour"), (minutes, "minute"))
    return " and ".join(f"{count} {unit}{'' if count == 1 else 's'}" for count, unit in parts if count)


def _banks(board: Replayed, timing: Timing) -> list[tuple[str, timedelta]]:
    found = []
    for seat in board.state.seats_in:
        whole = bank(board, seat)
        if whole is not None:
            gone = spent(board, timing) if seat == board.state.to_move else timedelta()
            found.append((board.match.userids[seat], max(whole - gone, timedelta())))
    return found


def _stopped(board: Replayed, timing: Timing, runs: bool) -> Literal["", "pause", "vacation", "mail", "outage"]:
    if board.state.is_paused:
        return "pause"
    today = timing.as_of.date()
    if any(each.userid == board.on_turn and each.first <= today <= each.last for each in timing.away):
        return "vacation"
    if timing.standstill is not None:
        return "mail"
    return "" if runs else "outage"
