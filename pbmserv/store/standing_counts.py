"""How many players of a pool have played until when: kept with the ratings, so that nobody has to be counted.

For each day there is a number of players whose last match ended then, and for day 0 the number of all; both apart
for established ratings and for others.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, time, timedelta
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    bindparam,
    delete,
    func,
    literal_column,
    or_,
    select,
    text,
)

from pbmserv.matches.ratings import ESTABLISHED_SIGMA, INACTIVE_AFTER, Section
from pbmserv.store.accounts import FORMER
from pbmserv.store.tables import players, rating_counts, ratings

Group = tuple[Section, bool]
"""A section of the standings, and whether its ratings are established."""

EVERYBODY: Final = 0
"""The day that stands for all days."""

Kept = Mapping[tuple[bool, int], int]
"""A number of players for each day, established or not."""


def counted(states: Iterable[tuple[float, datetime]]) -> Kept:
    """The counts of players with these uncertainties, whose last matches ended then."""
    found: Counter[tuple[bool, int]] = Counter()
    for sigma, last_at in states:
        is_established = sigma <= ESTABLISHED_SIGMA
        found[is_established, EVERYBODY] += 1
        found[is_established, last_at.astimezone(UTC).toordinal()] += 1
    return found


def add(connection: Connection, pool: str, more: Kept, sign: int = 1) -> None:
    """Adds to the counts of a pool, or takes away with -1 as the sign."""
    rows = [
        {"pool": pool, "is_established": is_established, "day": day, "players": sign * count}
        for (is_established, day), count in sorted(more.items())
    ]
    if rows:
        connection.execute(_ADD, rows)


def renew(connection: Connection, pool: str) -> None:
    """Counts the players of a pool anew."""
    connection.execute(delete(rating_counts).where(rating_counts.c.pool == pool))
    add(connection, pool, counted(_states(connection, pool)))


def stored(connection: Connection, pool: str) -> Kept:
    """The counts of a pool, without those that are 0."""
    rows = connection.execute(
        select(rating_counts).where(rating_counts.c.pool == pool, rating_counts.c.players != 0)
    )
    return {(row.is_established, row.day): row.players for row in rows}


def in_groups(connection: Connection, pool: str, now: datetime) -> Mapping[Group, int]:
    """How many players of a pool each part of the standings has; deleted accounts are left out."""
    since = (now - INACTIVE_AFTER).astimezone(UTC)
    values = {"of_pool": pool, "since": since, "until": _next_day(since), "day": since.toordinal()}
    found: Counter[Group] = Counter()
    for row in connection.execute(_KEPT, values).all():
        active = row.later + _on_that_day(connection, row.is_established, values)
        found["established" if row.is_established else "provisional", row.is_established] += active
        found["inactive", row.is_established] += row.in_all - active
    for sigma, last_at in connection.execute(_FORGOTTEN, {"of_pool": pool}).all():
        is_established = sigma <= ESTABLISHED_SIGMA
        plays: Section = "established" if is_established else "provisional"
        found[plays if last_at >= since else "inactive", is_established] -= 1
    return MappingProxyType(found)


def _on_that_day(connection: Connection, is_established: bool, values: Mapping[str, Any]) -> int:
    query = _ESTABLISHED_THEN if is_established else _OTHERS_THEN
    return connection.execute(query, values).scalar_one()


def _states(connection: Connection, pool: str) -> Iterable[tuple[float, datetime]]:
    query = select(ratings.c.sigma, ratings.c.last_at).where(ratings.c.pool == pool)
    return [(row.sigma, row.last_at) for row in connection.execute(query)]


def _next_day(moment: datetime) -> datetime:
    return datetime.combine(moment.date() + timedelta(days=1), time(), UTC)


# Exactly the conditions of the indexes ix_ratings_established and ix_ratings_provisional.
IS_ESTABLISHED: Final[ColumnElement[bool]] = literal_column(f"ratings.sigma <= {ESTABLISHED_SIGMA}")
IS_PROVISIONAL: Final[ColumnElement[bool]] = literal_column(f"ratings.sigma > {ESTABLISHED_SIGMA}")

_ADD: Final = text(
    "INSERT INTO rating_counts (pool, is_established, day, players)"
    " VALUES (:pool, :is_established, :day, :players)"
    " ON CONFLICT (pool, is_established, day) DO UPDATE SET players = rating_counts.players + excluded.players"
)
_later = rating_counts.c.day > bindparam("day")
_KEPT: Final = (
    select(
        rating_counts.c.is_established,
        func.coalesce(func.sum(rating_counts.c.players).filter(rating_counts.c.day == EVERYBODY), 0).label(
            "in_all"
        ),
        func.coalesce(func.sum(rating_counts.c.players).filter(_later), 0).label("later"),
    )
    .where(rating_counts.c.pool == bindparam("of_pool"), or_(rating_counts.c.day == EVERYBODY, _later))
    .group_by(rating_counts.c.is_established)
)
# An expression, for which there is no index: without statistics SQLite would read all ratings of the pool.
_IS_OF_POOL: Final = ratings.c.pool.concat("") == bindparam("of_pool")
_THEN: Final = select(func.count()).where(
    _IS_OF_POOL,
    ratings.c.last_at >= bindparam("since"),
    ratings.c.last_at < bindparam("until"),
)
_ESTABLISHED_THEN: Final = _THEN.where(ratings.c.sigma <= ESTABLISHED_SIGMA)
_OTHERS_THEN: Final = _THEN.where(ratings.c.sigma > ESTABLISHED_SIGMA)
_FORGOTTEN: Final = (
    select(ratings.c.sigma, ratings.c.last_at)
    .join(players, players.c.id == ratings.c.player_id)
    # The skeleton of deleted accounts is empty, and there is an index of skeletons.
    .where(players.c.skeleton == "", players.c.userid == FORMER, _IS_OF_POOL)
)
