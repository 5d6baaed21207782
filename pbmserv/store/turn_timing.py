"""The timing of a board's present turn: when it was delivered, and what stops its clock."""

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta

from sqlalchemy import Connection

from pbmserv.matches.clock import Away, Stop, Timing
from pbmserv.matches.replay import GameState
from pbmserv.store import clocks, heartbeats, standstills, vacations
from pbmserv.store.seatings import Seating


def timing(connection: Connection, board: GameState, now: datetime, seating: Seating | None = None) -> Timing:
    """The timing of the present turn as of now. What the board's `seating` knows is not read again."""
    if board.match.clock is None or board.on_turn is None:
        return Timing(now)
    clock = seating.clock_of(board) if seating is not None else clocks.find(connection, board.match.number)
    started = clock.started if clock is not None and clock.turn == board.state.turn else None
    since = started or now
    may_be_away = seating is None or seating.has_holidays
    holidays = vacations.of_players(connection, board.match.userids, since.date()) if may_be_away else ()
    away = [Away(*row) for row in holidays]
    stops = [_stop(each) for each in away if each.userid == board.on_turn]
    if started is not None:
        stops += heartbeats.outages_since(connection, started, now)
    unreached: Sequence[Stop] = ()
    if clock is not None and (seating is None or clock.player_id in seating.unreached):
        unreached = standstills.standstills_in_force(connection, clock.player_id, since)
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
