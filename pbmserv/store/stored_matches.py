"""Matches as they are stored, many at a time: their logs, and all that is derived from these."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from sqlalchemy import BindParameter, Connection, Row, bindparam, func, select

from pbmserv.matches.log import Entry, Match
from pbmserv.matches.state import Summary
from pbmserv.store import clocks
from pbmserv.store.matches import options_of, summary_of
from pbmserv.store.tables import entries, matches, players, rating_changes, seats


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match with its log, and what is stored of its state."""

    match: Match
    summary: Summary
    ended: frozenset[datetime | None]
    """When it ended, as its seats say."""
    player_ids: tuple[int, ...]
    """Of its seats, in order of play."""
    rated: frozenset[tuple[str, datetime, int, int]]
    """What it counts as: pool, time, and each player's id and rank."""


@dataclass(slots=True)
class _Seats:
    userids: list[str] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    ended: set[datetime | None] = field(default_factory=set)


def count_from(connection: Connection, first: int) -> int:
    """How many matches have this number or a higher one."""
    return connection.execute(select(func.count()).where(matches.c.number >= first)).scalar_one()


def numbers_from(connection: Connection, first: int, most: int) -> Sequence[int]:
    """The next numbers of matches, ascending, beginning with `first`; at most so many."""
    query = select(matches.c.number).where(matches.c.number >= first).order_by(matches.c.number).limit(most)
    return connection.execute(query).scalars().all()


def load_all(connection: Connection, numbers: Sequence[int]) -> list[StoredMatch]:
    """These matches, in ascending order; a damaged row raises whatever it raises."""
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
            match=_match(row, sitting[row.number].userids, logs[row.number]),
            summary=summary_of(row),
            ended=frozenset(sitting[row.number].ended),
            player_ids=tuple(sitting[row.number].ids),
            rated=frozenset(rated[row.number]),
        )
        for row in connection.execute(_MATCHES, wanted)
    ]


def _match(row: Row[Any], userids: Sequence[str], log: Sequence[Entry]) -> Match:
    return Match(
        number=row.number,
        game=row.game,
        rules=row.rules,
        options=options_of(row),
        rated=row.rated,
        userids=tuple(userids),
        started_by=row.starter,
        started=row.started_at,
        clock=clocks.from_json(row.clock),
        after=row.after,
        practice=row.practice,
        entries=tuple(log),
    )


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
