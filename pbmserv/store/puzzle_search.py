"""How far finished games were looked through for puzzles: one place, at which all hosts go on."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, and_, bindparam, func, insert, or_, select, update

from pbmserv.store.tables import matches, puzzle_search, seats

_ONLY: Final = 1


@dataclass(frozen=True, slots=True)
class SearchPlace:
    """A finished match, and the ply after which its position is to be looked at next."""

    ended: datetime
    match: int
    ply: int
    """Negative where all was looked at."""


def place(connection: Connection) -> SearchPlace | None:
    """Where the search stands; None before it has begun."""
    row = connection.execute(select(puzzle_search)).one_or_none()
    return None if row is None else SearchPlace(row.at, row.match, row.ply)


def next_match(
    connection: Connection, after: SearchPlace | None, games: Sequence[str], seats_wanted: int
) -> SearchPlace | None:
    """The next finished match of these games for so many, in the order in which they ended; None if none is."""
    query = _NEXT if after is None else _NEXT.where(_IS_LATER)
    values = {} if after is None else {"at": after.ended, "match": after.match}
    row = connection.execute(query, {**values, "games": games, "seats": seats_wanted}).one_or_none()
    return None if row is None else SearchPlace(row.last_at, row.number, 0)


def move_on(connection: Connection, before: SearchPlace | None, after: SearchPlace) -> bool:
    """Moves the search on; False if another host has moved it meanwhile."""
    values = {"at": after.ended, "match": after.match, "ply": after.ply}
    if before is None:
        if connection.execute(select(func.count()).select_from(puzzle_search)).scalar_one():
            return False
        connection.execute(insert(puzzle_search).values(id=_ONLY, **values))
        return True
    stands = and_(puzzle_search.c.match == before.match, puzzle_search.c.ply == before.ply)
    return connection.execute(update(puzzle_search).where(stands).values(values)).rowcount == 1


_SEATS: Final = select(func.count()).where(seats.c.match == matches.c.number).scalar_subquery()
# The first condition says nothing new, but begins the search where the index has it.
_IS_LATER: Final = and_(
    matches.c.last_at >= bindparam("at"),
    or_(matches.c.last_at > bindparam("at"), matches.c.number > bindparam("match")),
)
_NEXT: Final = (
    select(matches.c.number, matches.c.last_at)
    .where(
        matches.c.status == "finished",
        matches.c.game.in_(bindparam("games", expanding=True)),
        bindparam("seats") == _SEATS,
    )
    .order_by(matches.c.last_at, matches.c.number)
    .limit(1)
)
