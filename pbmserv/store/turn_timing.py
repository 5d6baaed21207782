"""The timing of a board's present turn: when it was delivered, and what stops its clock."""

from datetime import UTC, datetime, time, timedelta

from sqlalchemy import Connection

from pbmserv.matches.clock import Away, Stop, Timing
from pbmserv.matches.replay import GameState
from pbmserv.store import bounces, heartbeats, players
from pbmserv.store.clocks import Clock


def timing(connection: Connection, board: GameState, clock: Clock | None, now: datetime) -> Timing:
    """The timing of the present turn as of now, by the clock of that turn."""
    if board.match.clock is None or board.on_turn is None:
        return Timing(now)
    started = None if clock is None else clock.started
    since = started or now
    away = [Away(*row) for row in players.vacations_of(connection, board.match.userids, since.date())]
    stops = [_stop(each) for each in away if each.userid == board.on_turn]
    if started is not None:
        stops += heartbeats.outages_since(connection, started, now)
    unreached = () if clock is None else bounces.standstills_in_force(connection, clock.player_id, since)
    return Timing(
        as_of=now,
        started=started,
        stops=(*stops, *unreached),
        away=tuple(each for each in away if each.last >= now.date()),
        standstill=next((each for each in unreached if each.since <= now < (each.until or now)), None),
    )


def _stop(holiday: Away) -> Stop:
    """The stop from the beginning of the first day to the end of the last."""
    first, last = (datetime.combine(day, time(), UTC) for day in (holiday.first, holiday.last))
    return Stop(first, last + timedelta(days=1))
