"""Matches and their logs, which only `write` changes, and the plans of seats: queued and submitted moves."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Row,
    Text,
    bindparam,
    cast,
    delete,
    func,
    insert,
    select,
    update,
)

from pbmserv.commands.changes import DroppedConditionalPlan, NewConditionalPlan
from pbmserv.commands.command import Decision
from pbmserv.games.game import Seat
from pbmserv.matches.conditional_moves import ConditionalPlan, PlanKind
from pbmserv.matches.log import Entry, Match
from pbmserv.matches.player import Player
from pbmserv.matches.queries import Queries
from pbmserv.matches.ratings import Pool, pools_of
from pbmserv.matches.replay import GameState, replay
from pbmserv.matches.state import Summary, summarise
from pbmserv.store import clocks, ratings
from pbmserv.store.tables import conditional_moves, entries, matches, players, rating_changes, seats

FIRST_NUMBER: Final = 101


class MatchQueries(Queries):
    """Queries for matches and plans, within one transaction."""

    _connection: Connection

    def plan(self, board: int, seat: Seat, kind: PlanKind) -> ConditionalPlan | None:
        key = {"board": board, "of_seat": seat, "of_kind": kind}
        row = self._connection.execute(_FIND_PLAN, key).one_or_none()
        return None if row is None else ConditionalPlan(row.plies, row.content)

    def have_played(self, one: Player, other: Player) -> bool:
        theirs = seats.alias()
        together = select(seats.c.match).join(theirs, theirs.c.match == seats.c.match)
        together = together.join(matches, matches.c.number == seats.c.match)
        found = together.where(
            seats.c.player_id == one.id, theirs.c.player_id == other.id, matches.c.status != "declined"
        )
        return self._connection.execute(found.limit(1)).first() is not None

    def next_number(self) -> int:
        # If two transactions take the same one, the primary key makes one retry.
        highest = self._connection.execute(select(func.max(matches.c.number))).scalar_one()
        return FIRST_NUMBER if highest is None else highest + 1

    def running(self) -> Sequence[tuple[str, int]]:
        counted = matches.c.status == "active", matches.c.practice.is_(False)
        query = select(matches.c.game, func.count()).where(*counted).group_by(matches.c.game)
        return [(row[0], row[1]) for row in self._connection.execute(query)]

    def practice_of(self, player: Player) -> int | None:
        query = select(matches.c.number).where(matches.c.started_by == player.id, matches.c.practice)
        return self._connection.execute(query.limit(1)).scalar_one_or_none()


def update_plans(connection: Connection, board: GameState) -> None:
    """Deletes the plans of players who no longer play on a board."""
    playing = board.state.seats_in if board.state.status == "active" else ()
    if len(playing) < len(board.match.userids):
        connection.execute(_DROP_ALL_BUT, {"board": board.match.number, "playing": [*playing]})


def write_plan(connection: Connection, change: NewConditionalPlan | DroppedConditionalPlan, now: datetime) -> None:
    """Replaces or deletes a seat's plan of that kind."""
    key = {"match": change.board, "seat": change.seat, "kind": change.kind}
    connection.execute(delete(conditional_moves).filter_by(**key))
    if isinstance(change, NewConditionalPlan):
        row = {**key, "plies": change.plies, "content": dict(change.content), "made_at": now}
        connection.execute(insert(conditional_moves).values(row))


_DROP_ALL_BUT: Final = delete(conditional_moves).where(
    conditional_moves.c.match == bindparam("board"),
    conditional_moves.c.seat.not_in(bindparam("playing", expanding=True)),
)
_FIND_PLAN: Final = select(conditional_moves.c.plies, conditional_moves.c.content).where(
    conditional_moves.c.match == bindparam("board"),
    conditional_moves.c.seat == bindparam("of_seat"),
    conditional_moves.c.kind == bindparam("of_kind"),
)


_SUMMARY = ("status", "to_move", "plies", "last_at", "last_move")


def write(connection: Connection, decision: Decision) -> None:
    """Writes a new match, new log entries, and the resulting summaries, clocks, plans and ratings."""
    opened = None if decision.opened is None else decision.opened.number
    for board in decision.boards:
        if board.match.number == opened:
            _open(connection, board)
        else:
            write_summary(connection, board.match.number, summarise(board.state), _may_end(board, decision))
        clocks.update_clock(connection, board)
        update_plans(connection, board)
    if decision.entries:
        connection.execute(_ADD_ENTRIES, [_entry_row(entry) for entry in decision.entries])
    ratings.update_ratings(connection, decision.boards)


def write_summary(connection: Connection, number: int, summary: Summary, may_end: bool = True) -> None:
    """Replaces the summary of a match. Without `may_end`, the end stored with its seats is kept."""
    connection.execute(_WRITE_SUMMARY, {"wanted": number, **_summary_row(summary, "new_")})
    if may_end:
        connection.execute(_WRITE_END, {"wanted": number, "new_ended_at": _ended_at(summary)})


def lock(connection: Connection, numbers: Iterable[int]) -> None:
    """Locks matches until the transaction ends; in ascending order, to avoid deadlocks."""
    wanted = sorted(set(numbers))
    # On SQLite a writing transaction has locked the whole file already.
    if wanted and connection.dialect.name != "sqlite":
        query = select(matches.c.number).where(matches.c.number.in_(wanted)).order_by(matches.c.number)
        connection.execute(query.with_for_update())


def lock_if_free(connection: Connection, number: int) -> bool:
    """Locks a match until the transaction ends. False, at once, if another transaction has locked it."""
    if connection.dialect.name == "sqlite":
        return True
    query = select(matches.c.number).where(matches.c.number == number)
    return connection.execute(query.with_for_update(skip_locked=True)).one_or_none() is not None


def sitting_at(connection: Connection, numbers: Iterable[int]) -> Sequence[str]:
    """The userids of all players with a seat at any of these boards."""
    wanted = set(numbers)
    return (
        [userid for userids in userids_at(connection, [*wanted]).values() for userid in userids] if wanted else ()
    )


def load(connection: Connection, number: int) -> Match | None:
    """A match with its whole log."""
    match = _without_log(connection, number)
    return None if match is None else match.with_entries(_log(connection, number, after=0))


def replayed(
    connection: Connection, number: int, known: GameState | None = None, match: Match | None = None
) -> GameState | None:
    """A match with the state after its whole log. Raises BrokenLog.

    `known` is the same board at an earlier commit: only entries added since are read and applied.
    `match` is the match without its log, if it was already read.
    """
    match = match or _without_log(connection, number)
    if match is None:
        return None
    seen = known.match.entries if known is not None and replace(known.match, entries=()) == match else ()
    tail = _log(connection, number, after=max(len(seen) - 1, 0))
    if known is None or not seen or tail[:1] != seen[-1:]:
        return replay(match.with_entries(_log(connection, number, after=0) if seen else tail))
    board = known
    for entry in tail[1:]:
        board = board.apply(entry)
    return board


def game_of(connection: Connection, number: int) -> str | None:
    """The game of a match; None if there is no such match."""
    return connection.execute(_GAME_OF, {"wanted": number}).scalar_one_or_none()


def summary(connection: Connection, number: int) -> Summary | None:
    """The stored summary of a match."""
    row = connection.execute(select(matches).where(matches.c.number == number)).one_or_none()
    return None if row is None else summary_of(row)


def userids_at(connection: Connection, wanted: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """The userids of the players at each of these boards, in order of play."""
    query = (
        select(seats.c.match, players.c.userid)
        .join(players, players.c.id == seats.c.player_id)
        .where(seats.c.match.in_(wanted))
        .order_by(seats.c.match, seats.c.seat)
    )
    found: dict[int, tuple[str, ...]] = dict.fromkeys(wanted, ())
    for row in connection.execute(query):
        found[row.match] += (row.userid,)
    return found


def options_of(row: Row[Any]) -> tuple[tuple[str, str], ...]:
    """The options of a row of matches."""
    return tuple(sorted(row.options.items()))


def summary_of(row: Row[Any]) -> Summary:
    """The summary of a row of matches."""
    return Summary(row.status, row.to_move, row.plies, row.last_at, row.last_move)


def _open(connection: Connection, board: GameState) -> None:
    match = board.match
    lowered = {userid.lower() for userid in (*match.userids, match.started_by)}
    query = select(players.c.userid_lower, players.c.id).where(players.c.userid_lower.in_(lowered))
    ids = {row.userid_lower: row.id for row in connection.execute(query)}
    row = {
        "number": match.number,
        "game": match.game,
        "rules": match.rules,
        "options": dict(match.options),
        "rated": match.rated,
        "clock": clocks.as_json(match.clock),
        "after": match.after,
        "practice": match.practice,
        "started_by": ids[match.started_by.lower()],
        "started_at": match.started,
        **_summary_row(summarise(board.state)),
    }
    connection.execute(insert(matches).values(row))
    ended = _ended_at(summarise(board.state))
    sitting = [
        {"match": match.number, "seat": seat, "player_id": ids[userid.lower()], "ended_at": ended}
        for seat, userid in enumerate(match.userids)
    ]
    connection.execute(insert(seats), sitting)


def _may_end(board: GameState, decision: Decision) -> bool:
    """Whether a match is over, or was reopened by the operator."""
    number = board.match.number
    is_rewound = any(entry.kind == "rewound" and entry.match == number for entry in decision.entries)
    return is_rewound or board.state.status != "active"


def _ended_at(summary: Summary) -> datetime | None:
    return None if summary.status == "active" else summary.last_at


def _without_log(connection: Connection, number: int) -> Match | None:
    row = connection.execute(_FACTS_OF_ONE, {"wanted": number}).one_or_none()
    if row is None:
        return None
    return match_of(row, tuple(connection.execute(_USERIDS_OF_ONE, {"wanted": number}).scalars()))


def match_of(row: Row[Any], userids: tuple[str, ...]) -> Match:
    """The match, without its log, of a row with the columns FACTS."""
    return Match(
        number=row.number,
        game=row.game,
        rules=row.rules,
        options=options_of(row),
        rated=row.rated,
        userids=userids,
        started_by=row.starter,
        started=row.started_at,
        clock=clocks.from_json(row.clock),
        after=row.after,
        practice=row.practice,
    )


def _log(connection: Connection, number: int, after: int) -> tuple[Entry, ...]:
    rows = connection.execute(_LOG_AFTER, {"wanted": number, "after": after})
    return tuple(Entry(number, row.seq, row.at, row.kind, row.seat, row.text, row.used) for row in rows)


def _summary_row(summary: Summary, prefix: str = "") -> dict[str, object]:
    return {f"{prefix}{name}": getattr(summary, name) for name in _SUMMARY}


def _entry_row(entry: Entry) -> dict[str, object]:
    return {
        "match": entry.match,
        "seq": entry.seq,
        "at": entry.at,
        "kind": entry.kind,
        "seat": entry.seat,
        "text": entry.text,
        "used": entry.used,
    }


STARTERS: Final = players.alias("starters")
"""Those who started matches; joined by `matches.started_by`."""

FACTS: Final[tuple[ColumnElement[Any], ...]] = (
    matches.c.number,
    matches.c.game,
    matches.c.rules,
    matches.c.options,
    matches.c.rated,
    matches.c.started_at,
    matches.c.clock,
    matches.c.after,
    matches.c.practice,
    STARTERS.c.userid.label("starter"),
)
"""The columns that `match_of` needs."""

# Built once: building a statement costs more than what SQLite does for it.
_FACTS_OF_ONE: Final = (
    select(*FACTS)
    .join(STARTERS, STARTERS.c.id == matches.c.started_by)
    .where(matches.c.number == bindparam("wanted"))
)
_GAME_OF: Final = select(matches.c.game).where(matches.c.number == bindparam("wanted"))
_USERIDS_OF_ONE: Final = (
    select(players.c.userid)
    .join(seats, players.c.id == seats.c.player_id)
    .where(seats.c.match == bindparam("wanted"))
    .order_by(seats.c.seat)
)
_LOG_AFTER: Final = (
    select(entries)
    .where(entries.c.match == bindparam("wanted"), entries.c.seq > bindparam("after"))
    .order_by(entries.c.seq)
)
_WRITE_SUMMARY: Final = (
    update(matches)
    .where(matches.c.number == bindparam("wanted"))
    .values({name: bindparam(f"new_{name}") for name in _SUMMARY})
)
_WRITE_END: Final = (
    update(seats).where(seats.c.match == bindparam("wanted")).values(ended_at=bindparam("new_ended_at"))
)
_ADD_ENTRIES: Final = insert(entries)


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match with its log, and its state as stored."""

    match: Match
    summary: Summary
    ended: frozenset[datetime | None]
    """When it ended, as its seats say."""
    player_ids: tuple[int, ...]
    """Of its seats, in order of play."""
    rated: frozenset[tuple[str, datetime, int, int]]
    """What it counts as for ratings: pool, time, and each player's id and rank."""


@dataclass(slots=True)
class _Seats:
    userids: list[str] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    ended: set[datetime | None] = field(default_factory=set)


def count_from(connection: Connection, first: int) -> int:
    """How many matches have this number or a higher one."""
    return connection.execute(select(func.count()).where(matches.c.number >= first)).scalar_one()


def numbers_from(connection: Connection, first: int, most: int) -> Sequence[int]:
    """Up to `most` numbers of matches, ascending, from `first` on."""
    query = select(matches.c.number).where(matches.c.number >= first).order_by(matches.c.number).limit(most)
    return connection.execute(query).scalars().all()


def load_all(connection: Connection, numbers: Sequence[int]) -> list[StoredMatch]:
    """These matches, in ascending order. A damaged row may raise any exception."""
    wanted = {"numbers": [*numbers]}
    sitting: dict[int, _Seats] = {number: _Seats() for number in numbers}
    for number, userid, player_id, ended_at in connection.execute(_SEATS, wanted):
        at = sitting[number]
        at.userids.append(userid)
        at.ids.append(player_id)
        at.ended.add(ended_at)
    logs: dict[int, list[Entry]] = {number: [] for number in numbers}
    for row in connection.execute(_LOGS, wanted):
        logs[row[0]].append(Entry(*row))
    rated: dict[int, set[tuple[str, datetime, int, int]]] = {number: set() for number in numbers}
    for number, *change in connection.execute(_RATED, wanted):
        rated[number].add(tuple(change))
    return [
        StoredMatch(
            match=match_of(row, tuple(sitting[row.number].userids)).with_entries(tuple(logs[row.number])),
            summary=summary_of(row),
            ended=frozenset(sitting[row.number].ended),
            player_ids=tuple(sitting[row.number].ids),
            rated=frozenset(rated[row.number]),
        )
        for row in connection.execute(_MATCHES, wanted)
    ]


_NUMBERS: Final[BindParameter[Any]] = bindparam("numbers", expanding=True)
_MATCHES: Final = (
    select(matches, players.c.userid.label("starter"))
    .join(players, players.c.id == matches.c.started_by)
    .where(matches.c.number.in_(_NUMBERS))
    .order_by(matches.c.number)
)
_SEATS: Final = (
    select(seats.c.match, players.c.userid, seats.c.player_id, seats.c.ended_at)
    .join(players, players.c.id == seats.c.player_id)
    .where(seats.c.match.in_(_NUMBERS))
    .order_by(seats.c.match, seats.c.seat)
)
_LOGS: Final = (
    select(*(entries.c[name] for name in ("match", "seq", "at", "kind", "seat", "text", "used")))
    .where(entries.c.match.in_(_NUMBERS))
    .order_by(entries.c.match, entries.c.seq)
)
_RATED: Final = select(
    rating_changes.c.match,
    rating_changes.c.pool,
    rating_changes.c.at,
    rating_changes.c.player_id,
    rating_changes.c.rank,
).where(rating_changes.c.match.in_(_NUMBERS))


_OPTIONS: Final = cast(matches.c.options, Text).label("options")


def all_numbers(connection: Connection) -> Sequence[int]:
    """The numbers of all matches, ascending."""
    return connection.execute(select(matches.c.number).order_by(matches.c.number)).scalars().all()


def numbers_over(connection: Connection, pool: Pool) -> Sequence[int]:
    """The numbers of the matches of a pool that are over, ascending."""
    query = select(matches.c.number, _OPTIONS).where(matches.c.game == pool.game, matches.c.status != "active")
    rows = connection.execute(query.order_by(matches.c.number))
    return [row.number for row in rows if ratings.read_pool(pool.game, row.options) == pool]


def pools_at(connection: Connection, numbers: Collection[int]) -> set[Pool]:
    """The pools of these matches; all pools of the game if the options of one are damaged."""
    found: set[Pool] = set()
    query = select(matches.c.game, _OPTIONS).where(matches.c.number.in_(numbers)).distinct()
    for row in connection.execute(query):
        pool = ratings.read_pool(row.game, row.options)
        found |= set(pools_of(row.game)) if pool is None else {pool}
    return found


def numbers_started_at(connection: Connection, game: str, started: datetime) -> Sequence[int]:
    """The numbers of the matches of a game that started at exactly that time, ascending."""
    query = select(matches.c.number).where(matches.c.game == game, matches.c.started_at == started)
    return connection.execute(query.order_by(matches.c.number)).scalars().all()


def numbers_finished_between(connection: Connection, since: datetime, until: datetime) -> Sequence[int]:
    """The numbers of the matches finished in that time, ascending; practice is left out."""
    query = select(matches.c.number).where(
        matches.c.status == "finished",
        matches.c.last_at >= since,
        matches.c.last_at < until,
        matches.c.practice.is_(False),
    )
    return connection.execute(query.order_by(matches.c.number)).scalars().all()
