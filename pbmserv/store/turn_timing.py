"""What is known of a board's present turn beside its log: when it was handed over, and what stops its clock."""

from datetime import UTC, datetime, time, timedelta

from sqlalchemy import Connection

from pbmserv.matches.clock import Away, Stop, Timing
from pbmserv.matches.replay import Replayed
from pbmserv.store import clocks, outages, standstills, vacations


def timing(connection: Connection, board: Replayed, now: datetime) -> Timing:
    """The timing of the present turn as of now."""
    if board.match.clock is None or board.on_turn is None:
        return Timing(now)
    clock = clocks.find(connection, board.match.number)
    started = clock.started if clock is not None and clock.turn == board.state.turn else None
    since = started or now
    away = [Away(*row) for row in vacations.of(connection, board.match.userids, since.date())]
    stops = [_stop(each) for each in away if each.userid == board.on_turn]
    if started is not None:
        stops += outages.since(connection, started, now)
    unreached = () if clock is None else standstills.in_force(connection, clock.player_id, since)
    return Timing(
        as_of=now,
        started=started,
        stops=(*stops, *unreached),
        away=tuple(each for each in away if each.last >= now.date()),
        standstill=next((each for each in unreached if each.since <= now < (each.until or now)), None),
    )


def _stop(holiday: Away) -> Stop:
    """From the beginning of the first day to the end of the last."""
    first, last = (datetime.combine(day, time(), UTC) for day in (holiday.first, holiday.last))
    return Stop(first, last + timedelta(days=1))
