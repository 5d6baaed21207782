"""Which matches there are: their numbers, by game, pool and time."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, Text, cast, select

from pbmserv.matches.ratings import Pool, pools_of
from pbmserv.store import ratings
from pbmserv.store.tables import matches

_OPTIONS: Final = cast(matches.c.options, Text).label("options")


def numbers(connection: Connection) -> Sequence[int]:
    """The numbers of all matches, ascending."""
    return connection.execute(select(matches.c.number).order_by(matches.c.number)).scalars().all()


def over(connection: Connection, pool: Pool) -> Sequence[int]:
    """The numbers of the matches of a pool that are over, ascending."""
    query = select(matches.c.number, _OPTIONS).where(matches.c.game == pool.game, matches.c.status != "active")
    rows = connection.execute(query.order_by(matches.c.number))
    return [row.number for row in rows if ratings.read_pool(pool.game, row.options) == pool]


def pools_at(connection: Connection, numbers: Collection[int]) -> set[Pool]:
    """The pools that these matches are of; all pools of the game where the options of one are damaged."""
    found: set[Pool] = set()
    query = select(matches.c.game, _OPTIONS).where(matches.c.number.in_(numbers)).distinct()
    for row in connection.execute(query):
        pool = ratings.read_pool(row.game, row.options)
        found |= set(pools_of(row.game)) if pool is None else {pool}
    return found


def started_at(connection: Connection, game: str, started: datetime) -> Sequence[int]:
    """The numbers of the matches of a game that started at exactly that time, ascending."""
    query = select(matches.c.number).where(matches.c.game == game, matches.c.started_at == started)
    return connection.execute(query.order_by(matches.c.number)).scalars().all()


def finished_between(connection: Connection, since: datetime, until: datetime) -> Sequence[int]:
    """The numbers of the finished matches whose last entry is from then, ascending; practice is left out."""
    query = select(matches.c.number).where(
        matches.c.status == "finished",
        matches.c.last_at >= since,
        matches.c.last_at < until,
        matches.c.practice.is_(False),
    )
    return connection.execute(query.order_by(matches.c.number)).scalars().all()
