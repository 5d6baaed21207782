"""The clocks of running boards, and what stops them: holidays, and mail to a player that bounces.

A clock says whose turn it is, when that player was notified, and when to check again. `update_clock` updates it
with its match; `turns_delivered` starts it once the board was sent. At `next_at` the clock is `due`: the scheduler
checks it and calls `record_check`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from pbmserv.commands.changes import NewVacations
from pbmserv.matches.clock import YEAR, Stop, TimeControl, standstill
from pbmserv.matches.replay import GameState
from pbmserv.matches.turn_time import limit
from pbmserv.store.outbox import Shown
from pbmserv.store.tables import addresses, clocks, players, standstills, vacations

AT_ONCE: Final = datetime(1970, 1, 1, tzinfo=UTC)

CHECK_UNDELIVERED_AFTER: Final = timedelta(days=7)
"""When to check whether the board of a turn is still waiting to be sent."""

FIRST_LOOK_AFTER: Final = timedelta(minutes=10)
LONG_TURN: Final = 2 * 3600
"""A turn of at least LONG_TURN seconds is first checked FIRST_LOOK_AFTER its beginning: by then quick players have
moved, and nothing is due before half the turn is over."""

NOT_NOTIFIED: Final = -1
"""Stored as `reminders`: the turn has begun, but its player has a new address and was not notified there."""

DEADLINE: Final = clocks.c.deadline_at
"""When a turn ends; NULL until it was checked, and on boards without clocks."""

_TERMS: Final = ("nag", "forfeit", "total", "increment")


@dataclass(frozen=True, slots=True)
class Clock:
    """A row of the clocks."""

    match: int
    turn: int
    """The number of the log entry that began the turn."""
    player_id: int
    started: datetime | None
    next_at: datetime | None
    deadline: datetime | None
    reminders: int


def as_json(terms: TimeControl | None) -> dict[str, float | None] | None:
    """A time control as it is stored, in seconds."""
    if terms is None:
        return None
    lengths = {name: getattr(terms, name) for name in _TERMS}
    return {name: None if length is None else length.total_seconds() for name, length in lengths.items()}


def from_json(stored: Mapping[str, float | None] | None) -> TimeControl | None:
    """A stored time control."""
    if stored is None:
        return None
    lengths: dict[str, Any] = {
        name: None if stored[name] is None else timedelta(seconds=stored[name] or 0) for name in _TERMS
    }
    return TimeControl(**lengths)


def find_clock(connection: Connection, board: int) -> Clock | None:
    """The clock of a board; None if nobody is to move, or it has no clock."""
    row = connection.execute(_FIND, {"board": board}).one_or_none()
    return None if row is None else clock_of(row)


def clock_of(row: Row[Any]) -> Clock:
    """The clock of a row with the columns CLOCK."""
    started = row.turn_started_at
    return Clock(row.of_match, row.turn, row.of_player, started, row.next_at, row.deadline_at, row.reminders)


def update_clock(connection: Connection, board: GameState) -> None:
    """Updates the clock after a change of its board. If the turn goes on, so does the clock; it is checked."""
    match, state = board.match, board.state
    if match.clock is None:
        return
    place = {"board": match.number}
    if board.on_turn is None:
        connection.execute(_STOP, place)
        return
    most = limit(board)
    lasts = None if most is None else int(most.total_seconds())
    if connection.execute(_TURN, place).scalar_one_or_none() == state.turn:
        connection.execute(_LOOK_AGAIN, {**place, "new_lasts": lasts})
        return
    connection.execute(_STOP, place)
    row = {
        "match": match.number,
        "new_turn": state.turn,
        "new_plies": state.plies,
        "userid": board.on_turn.lower(),
        "look_at": state.last_at + CHECK_UNDELIVERED_AFTER,
        "new_lasts": lasts,
    }
    connection.execute(_BEGIN, row)


def turns_delivered(connection: Connection, mails: Iterable[Shown], now: datetime) -> None:
    """Begins the turns that waited for these mails, which were sent now and show boards, each after a ply."""
    turns = [
        (board, ply, mail.player_id) for mail in mails if mail.player_id is not None for board, ply in mail.boards
    ]
    rows = [
        {"board": board, "ply": ply, "to_player": player_id, "now": now} for board, ply, player_id in sorted(turns)
    ]
    if rows:
        connection.execute(_START, rows)


def with_deadline(query: Select[Any], number: ColumnElement[int]) -> Select[Any]:
    """Adds the columns that `deadline_of` needs to a query for matches."""
    known = query.add_columns(DEADLINE, clocks.c.started_at.label("begun_at"), clocks.c.next_at, clocks.c.lasts)
    return known.outerjoin(clocks, clocks.c.match == number)


def deadline_of(row: Row[Any]) -> datetime | None:
    """When the current turn ends, as far as known, even if the clock has not been checked since it began."""
    is_seen = row.deadline_at is not None or row.next_at != row.begun_at
    if is_seen or row.begun_at is None or row.lasts is None:
        return row.deadline_at  # type: ignore[no-any-return]
    return row.begun_at + timedelta(seconds=row.lasts)  # type: ignore[no-any-return]


def start(connection: Connection, board: int, at: datetime) -> None:
    """Starts a turn at that time although its player cannot be notified, and has its clock checked."""
    begun = update(clocks).where(clocks.c.match == board, clocks.c.started_at.is_(None))
    connection.execute(begun.values(started_at=at, next_at=at))


def clear_deadlines(connection: Connection, player_id: int) -> None:
    """A player's clocks stop or resume: clears their deadlines and has all of them checked."""
    theirs = update(clocks).where(clocks.c.player_id == player_id)
    connection.execute(theirs.values(next_at=AT_ONCE, deadline_at=None))


def resend_boards(connection: Connection, player_id: int) -> None:
    """Has the boards on which a player is to move sent again, to their new address."""
    theirs = update(clocks).where(clocks.c.player_id == player_id)
    connection.execute(theirs.values(next_at=AT_ONCE, reminders=NOT_NOTIFIED))


def mail_undelivered(connection: Connection, player_id: int) -> None:
    """Has the clocks of a player's unsent boards checked, which sends each board in its own mail."""
    unsent = update(clocks).where(clocks.c.player_id == player_id, clocks.c.started_at.is_(None))
    connection.execute(unsent.values(next_at=AT_ONCE))


def check_again(connection: Connection, player_id: int) -> None:
    """Has a player's clocks checked, because their holidays have changed."""
    changed = update(clocks).where(clocks.c.player_id == player_id)
    connection.execute(changed.values(next_at=func.coalesce(clocks.c.started_at, AT_ONCE)))


def check_all_again(connection: Connection) -> None:
    """Has all running clocks checked."""
    running = update(clocks).where(clocks.c.started_at.is_not(None))
    connection.execute(running.values(next_at=clocks.c.started_at))


def due(connection: Connection, now: datetime, count: int) -> Sequence[int]:
    """The boards whose clocks are due, the longest due first. A long turn that has just begun can wait a while."""
    has_just_begun = and_(
        clocks.c.started_at.is_not(None),
        clocks.c.started_at == clocks.c.next_at,
        clocks.c.next_at > now - FIRST_LOOK_AFTER,
        or_(clocks.c.lasts.is_(None), clocks.c.lasts >= LONG_TURN),
    )
    query = select(clocks.c.match).where(clocks.c.next_at <= now, ~has_just_begun)
    return connection.execute(query.order_by(clocks.c.next_at, clocks.c.match).limit(count)).scalars().all()


def record_check(
    connection: Connection, board: int, next_at: datetime | None, deadline: datetime | None, reminders: int
) -> None:
    """Records a check: when to check again, when the turn ends, and how often its player was reminded."""
    values = {"next_at": next_at, "deadline_at": deadline, "reminders": reminders}
    connection.execute(update(clocks).where(clocks.c.match == board).values(values))


def postpone(connection: Connection, board: int, now: datetime, until: datetime) -> None:
    """Postpones a clock whose check failed, unless it has changed since."""
    still_due = update(clocks).where(clocks.c.match == board, clocks.c.next_at <= now)
    connection.execute(still_due.values(next_at=until))


CLOCK: Final[tuple[ColumnElement[Any], ...]] = (
    clocks.c.match.label("of_match"),
    clocks.c.turn,
    clocks.c.player_id.label("of_player"),
    clocks.c.started_at.label("turn_started_at"),
    clocks.c.next_at,
    clocks.c.deadline_at,
    clocks.c.reminders,
)
"""The columns that `clock_of` needs, with names of their own beside those of matches and players."""

_FIND: Final = select(*CLOCK).where(clocks.c.match == bindparam("board"))
_STOP: Final = delete(clocks).where(clocks.c.match == bindparam("board"))
_TURN: Final = select(clocks.c.turn).where(clocks.c.match == bindparam("board"))
_LOOK_AGAIN: Final = (
    update(clocks)
    .where(clocks.c.match == bindparam("board"))
    .values(next_at=func.coalesce(clocks.c.started_at, clocks.c.next_at), lasts=bindparam("new_lasts"))
)
# To a suspended address the board is never sent, nor to somebody without mail.
_LOOK_AT: Final = case(
    (
        players.c.mail_off_at.is_not(None)
        | exists().where(addresses.c.player_id == players.c.id, addresses.c.suspended_at.is_not(None)),
        bindparam("at_once", AT_ONCE, type_=clocks.c.next_at.type),
    ),
    else_=bindparam("look_at", type_=clocks.c.next_at.type),
)
_IS_NEXT: Final = (players.c.userid_lower == bindparam("userid")) & players.c.robot.is_(None)
_BEGIN: Final = insert(clocks).from_select(
    ["match", "turn", "plies", "player_id", "reminders", "next_at", "lasts"],
    select(
        bindparam("match", type_=clocks.c.match.type),
        bindparam("new_turn", type_=clocks.c.turn.type),
        bindparam("new_plies", type_=clocks.c.plies.type),
        players.c.id,
        bindparam("none_yet", 0, type_=clocks.c.reminders.type),
        _LOOK_AT,
        bindparam("new_lasts", type_=clocks.c.lasts.type),
    ).where(_IS_NEXT),
)
_START: Final = (
    update(clocks)
    .where(
        clocks.c.match == bindparam("board"),
        clocks.c.plies == bindparam("ply"),
        clocks.c.player_id == bindparam("to_player"),
        clocks.c.started_at.is_(None),
    )
    .values(started_at=bindparam("now"), next_at=bindparam("now"))
)


@dataclass(frozen=True, slots=True)
class StandstillOver:
    """A standstill that has ended although the player's mail still bounces."""

    id: int
    player_id: int
    address: str


def begin_standstill(connection: Connection, player_id: int, since: datetime) -> Stop | None:
    """Stops a player's clocks because their mail bounces; returns for how long, or None if they may not stop."""
    stop = standstill(since, standstills_in_force(connection, player_id, since - YEAR))
    if stop is not None:
        row = {"player_id": player_id, "began_at": stop.since, "until_at": stop.until}
        connection.execute(insert(standstills).values(row))
    clear_deadlines(connection, player_id)
    return stop


def end_standstill(connection: Connection, player_id: int, now: datetime) -> None:
    """Mail to a player may arrive again: their clocks resume."""
    theirs = (standstills.c.player_id == player_id) & (standstills.c.until_at > now)
    connection.execute(update(standstills).where(theirs).values(until_at=now))
    clear_deadlines(connection, player_id)


def standstills_in_force(connection: Connection, player_id: int, since: datetime) -> Sequence[Stop]:
    """The standstills of a player that end after then, in order."""
    query = select(standstills).where(standstills.c.player_id == player_id, standstills.c.until_at > since)
    return [Stop(row.began_at, row.until_at) for row in connection.execute(query.order_by(standstills.c.began_at))]


def next_standstill_over(connection: Connection, now: datetime) -> StandstillOver | None:
    """A standstill that has ended without notice to the opponents, locked until the transaction ends."""
    query = (
        select(standstills.c.id, standstills.c.player_id, addresses.c.address)
        .join(addresses, addresses.c.player_id == standstills.c.player_id)
        .where(
            standstills.c.notified_at.is_(None),
            standstills.c.until_at <= now,
            addresses.c.is_first,
            addresses.c.suspended_at.is_not(None),
            # An earlier one ended because mail arrived again.
            standstills.c.until_at > addresses.c.suspended_at,
        )
        .order_by(standstills.c.id)
        .limit(1)
        .with_for_update(skip_locked=True, of=standstills)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else StandstillOver(row.id, row.player_id, row.address)


@dataclass(frozen=True, slots=True)
class LastMailDue:
    """A suspended address whose player has not been notified."""

    address: str
    since: datetime


def next_last_mail(connection: Connection, before: datetime) -> LastMailDue | None:
    """An address suspended before then that got no last mail, locked until the transaction ends."""
    query = (
        select(addresses.c.address, addresses.c.suspended_at)
        .where(addresses.c.suspended_at <= before, addresses.c.last_mail_at.is_(None), addresses.c.is_first)
        .order_by(addresses.c.suspended_at)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else LastMailDue(*row)


def mark_last_mail(connection: Connection, address: str, now: datetime) -> None:
    """Records that the last mail to a suspended address goes out."""
    connection.execute(update(addresses).where(addresses.c.address == address).values(last_mail_at=now))


def mark_standstill_notified(connection: Connection, standstill_id: int, now: datetime) -> None:
    """Records that the opponents were notified."""
    connection.execute(update(standstills).where(standstills.c.id == standstill_id).values(notified_at=now))


def vacations_of(connection: Connection, userids: Sequence[str], since: date) -> Sequence[tuple[str, date, date]]:
    """These players' holidays that end on that day or later: userid, first and last day."""
    lowered = [userid.lower() for userid in userids]
    rows = connection.execute(_VACATIONS_OF, {"lowered": lowered, "since": since})
    return [(row.userid, row.first_day, row.last_day) for row in rows]


def write_vacations(connection: Connection, change: NewVacations) -> None:
    """Replaces a player's holidays from `since` on; earlier days stay."""
    theirs = vacations.c.player_id == change.player_id
    ended = theirs & (vacations.c.first_day < change.since) & (vacations.c.last_day >= change.since)
    connection.execute(update(vacations).where(ended).values(last_day=_day_before(change.since)))
    connection.execute(delete(vacations).where(theirs, vacations.c.first_day >= change.since))
    rows = [{"player_id": change.player_id, "first_day": first, "last_day": last} for first, last in change.days]
    if rows:
        connection.execute(insert(vacations), rows)
    check_again(connection, change.player_id)


def _day_before(day: date) -> date:
    return date.fromordinal(day.toordinal() - 1)


_VACATIONS_OF: Final = (
    select(players.c.userid, vacations.c.first_day, vacations.c.last_day)
    .join(vacations, vacations.c.player_id == players.c.id)
    .where(
        players.c.userid_lower.in_(bindparam("lowered", expanding=True)),
        vacations.c.last_day >= bindparam("since"),
    )
    .order_by(vacations.c.first_day, players.c.userid_lower)
)
