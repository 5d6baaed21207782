"""The players and watchers of boards, with all that a mail about these boards needs of them.

Subscriptions end with the game; their rows stay until they are purged.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    ScalarSelect,
    and_,
    bindparam,
    delete,
    exists,
    func,
    insert,
    select,
)

from pbmserv.commands.changes import Subscription
from pbmserv.games.game import Seat
from pbmserv.matches.clock import Away, Stop, Timing
from pbmserv.matches.conditional_moves import ConditionalPlan, PlanKind
from pbmserv.matches.log import Match
from pbmserv.matches.player import Player
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import GameState
from pbmserv.store import operating
from pbmserv.store.clocks import CLOCK, Clock, clock_of, find_clock, standstills_in_force, vacations_of
from pbmserv.store.matches import FACTS, STARTERS, match_of
from pbmserv.store.players import FIRST_ADDRESS, PLAYER, player_of
from pbmserv.store.tables import (
    addresses,
    blocks,
    clocks,
    conditional_moves,
    entries,
    matches,
    players,
    seats,
    standstills,
    subscriptions,
    vacations,
)


@dataclass(frozen=True, slots=True)
class Seating:
    """A board without its log, and its players."""

    match: Match
    # By userid in lower case; None for somebody who has left.
    players: Mapping[str, Player | None]
    plans: Mapping[tuple[Seat, PlanKind], ConditionalPlan] = field(repr=False)
    # Userids, in lower case, of those who ignore somebody else at the board.
    ignoring: frozenset[str]
    # Ids of those who have no play link that was used late without their being told.
    without_late_use: frozenset[int]
    is_watched: bool
    # The clock as it was when this was read.
    clock: Clock | None
    # Whether anybody has holidays, even past ones, and ids of those mail to whom has come back once.
    has_holidays: bool
    unreached: frozenset[int]

    def clock_of(self, board: GameState) -> Clock | None:
        """The clock of the board's current turn, which may have begun after this was read."""
        if self.clock is not None and self.clock.turn == board.state.turn:
            return self.clock
        player = None if board.on_turn is None else self.players.get(board.on_turn.lower())
        if player is None or player.robot is not None:
            return None
        return Clock(board.match.number, board.state.turn, player.id, None, None, None, 0)


class SeatingQueries(Queries):
    """Queries for the players and watchers of boards, within one transaction."""

    _connection: Connection

    def count_running(self, player: Player) -> int:
        """The number of a player's active boards, including practice."""
        return self._connection.execute(_COUNT_RUNNING, {"player": player.id}).scalar_one()

    def started_since(self, userid: str, since: datetime) -> int:
        return self._started(userid, matches.c.started_at > since)

    def started_in_play(self, userid: str) -> int:
        return self._started(userid, matches.c.status == "active")

    def _started(self, userid: str, which: ColumnElement[bool]) -> int:
        counted = select(func.count()).select_from(matches).where(which, matches.c.practice.is_(False))
        return self._connection.execute(counted.where(matches.c.started_by == _id_of(userid))).scalar_one()

    def unbegun(self, starter: str, opponent: str) -> int:
        seated = and_(seats.c.match == matches.c.number, seats.c.player_id == _id_of(opponent))
        moved = exists().where(
            entries.c.match == matches.c.number, entries.c.seat == seats.c.seat, entries.c.kind == "played"
        )
        query = select(func.count()).select_from(matches.join(seats, seated))
        waiting = query.where(
            matches.c.started_by == _id_of(starter),
            matches.c.status == "active",
            matches.c.practice.is_(False),
            ~moved,
        )
        return self._connection.execute(waiting).scalar_one()

    def vacations(self, player: Player, since: date) -> Sequence[tuple[date, date]]:
        return [stay[1:] for stay in vacations_of(self._connection, (player.userid,), since)]

    def watchers(self, board: int) -> Sequence[str]:
        return self._connection.execute(_WATCHERS, {"board": board}).scalars().all()

    def watched(self, player: Player) -> Sequence[int]:
        return self._connection.execute(_WATCHED, {"player_id": player.id}).scalars().all()


def _id_of(userid: str) -> ScalarSelect[Any]:
    return select(players.c.id).where(players.c.userid_lower == userid.lower()).scalar_subquery()


def find_all(connection: Connection, numbers: Iterable[int]) -> dict[int, Seating]:
    """The seatings of these boards, by number; missing boards are left out."""
    rows: dict[int, list[Any]] = {}
    for row in connection.execute(_FIND_ALL, {"wanted": [*numbers]}):
        rows.setdefault(row.number, []).append(row)
    return {number: _seating(of_board) for number, of_board in rows.items()}


def _seating(rows: Sequence[Row[Any]]) -> Seating:
    """The seating of one board; a player has a row for each kind of plan."""
    by_seat = {row.seat: row for row in rows}
    return Seating(
        match_of(rows[0], tuple(row.userid for row in by_seat.values())),
        {row.userid.lower(): player_of(row) if row.is_there else None for row in by_seat.values()},
        {(row.seat, row.kind): ConditionalPlan(row.plan_plies, row.content) for row in rows if row.kind},
        frozenset(row.userid.lower() for row in by_seat.values() if row.is_ignoring),
        frozenset(row.id for row in by_seat.values() if row.late_link_at is None),
        rows[0].is_watched,
        None if rows[0].turn is None else clock_of(rows[0]),
        any(row.has_holidays for row in rows),
        frozenset(row.id for row in rows if row.is_unreached),
    )


_beside: Final = seats.alias("beside")
_IS_IGNORING: Final = exists().where(
    blocks.c.player_id == seats.c.player_id,
    blocks.c.blocked_id == _beside.c.player_id,
    _beside.c.match == seats.c.match,
)
_FIND_ALL: Final = (
    select(
        *FACTS,
        seats.c.seat,
        *PLAYER,
        (addresses.c.address.is_not(None) | players.c.robot.is_not(None)).label("is_there"),
        players.c.late_link_at,
        _IS_IGNORING.label("is_ignoring"),
        exists().where(subscriptions.c.match == seats.c.match).label("is_watched"),
        conditional_moves.c.kind,
        conditional_moves.c.plies.label("plan_plies"),
        conditional_moves.c.content,
        *CLOCK,
        exists().where(vacations.c.player_id == seats.c.player_id).label("has_holidays"),
        exists().where(standstills.c.player_id == seats.c.player_id).label("is_unreached"),
    )
    .select_from(seats)
    .join(matches, matches.c.number == seats.c.match)
    .join(STARTERS, STARTERS.c.id == matches.c.started_by)
    .join(players, players.c.id == seats.c.player_id)
    .outerjoin(addresses, FIRST_ADDRESS)
    .outerjoin(clocks, clocks.c.match == seats.c.match)
    .outerjoin(
        conditional_moves,
        (conditional_moves.c.match == seats.c.match) & (conditional_moves.c.seat == seats.c.seat),
    )
    .where(seats.c.match.in_(bindparam("wanted", expanding=True)))
    .order_by(seats.c.match, seats.c.seat)
)
_COUNT_RUNNING: Final = select(func.count()).where(
    seats.c.player_id == bindparam("player"),
    seats.c.ended_at.is_(None),
)


def timing(connection: Connection, board: GameState, now: datetime, seating: Seating | None = None) -> Timing:
    """The timing of the current turn. What the board's `seating` holds is not read again."""
    if board.match.clock is None or board.on_turn is None:
        return Timing(now)
    clock = seating.clock_of(board) if seating is not None else find_clock(connection, board.match.number)
    started = clock.started if clock is not None and clock.turn == board.state.turn else None
    since = started or now
    may_be_away = seating is None or seating.has_holidays
    holidays = vacations_of(connection, board.match.userids, since.date()) if may_be_away else ()
    away = [Away(*row) for row in holidays]
    stops = [_stop(each) for each in away if each.userid == board.on_turn]
    if started is not None:
        stops += operating.outages_since(connection, started, now)
    unreached: Sequence[Stop] = ()
    if clock is not None and (seating is None or clock.player_id in seating.unreached):
        unreached = standstills_in_force(connection, clock.player_id, since)
    return Timing(
        as_of=now,
        started=started,
        stops=(*stops, *unreached),
        away=tuple(each for each in away if each.last >= now.date()),
        standstill=next((each for each in unreached if each.since <= now < (each.until or now)), None),
    )


def _stop(holiday: Away) -> Stop:
    """The clock stop from the start of the first day to the end of the last."""
    first, last = (datetime.combine(day, time(), UTC) for day in (holiday.first, holiday.last))
    return Stop(first, last + timedelta(days=1))


def entry_counts(connection: Connection, boards: Sequence[int]) -> Mapping[int, int]:
    """The number of log entries of these boards. Reads only primary keys."""
    rows = connection.execute(_ENTRY_COUNTS, {"boards": [*boards]})
    return {number: count or 0 for number, count in rows}


def write_subscription(connection: Connection, change: Subscription) -> None:
    """Starts or ends a subscription."""
    row = {"match": change.board, "player_id": change.player_id}
    connection.execute(delete(subscriptions).filter_by(**row))
    if not change.is_over:
        connection.execute(insert(subscriptions).values(row))


def purge_subscriptions(connection: Connection) -> None:
    """Deletes the subscriptions to boards that are over."""
    over = select(matches.c.number).where(matches.c.status != "active")
    connection.execute(delete(subscriptions).where(subscriptions.c.match.in_(over)))


_WATCHERS: Final = (
    select(players.c.userid)
    .join(subscriptions, subscriptions.c.player_id == players.c.id)
    .where(subscriptions.c.match == bindparam("board"))
    .order_by(players.c.userid_lower)
)
_WATCHED: Final = (
    select(subscriptions.c.match)
    .join(matches, matches.c.number == subscriptions.c.match)
    .where(subscriptions.c.player_id == bindparam("player_id"), matches.c.status == "active")
    .order_by(subscriptions.c.match)
)
_LAST_ENTRY: Final = select(func.max(entries.c.seq)).where(entries.c.match == matches.c.number).scalar_subquery()
_ENTRY_COUNTS: Final = select(matches.c.number, _LAST_ENTRY).where(
    matches.c.number.in_(bindparam("boards", expanding=True))
)
