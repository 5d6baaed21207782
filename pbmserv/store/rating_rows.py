"""The rows of rating changes, in the order in which matches count: read from a place on, and written."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, and_, bindparam, delete, exists, insert, or_, select

from pbmserv.matches.ratings import Rating, RatingChange, RatingResult, Tally
from pbmserv.store import standing_counts
from pbmserv.store.standing_counts import counted
from pbmserv.store.tables import rating_changes, ratings, seats

Place = tuple[Any, int]
"""When a match ended, and its number: the order in which matches count."""

_AT_ONCE: Final = 1000

THE_END: Final[Place] = (datetime(9999, 12, 31, tzinfo=UTC), 0)


def comes_after(connection: Connection, pool: str, start: Place) -> bool:
    """Whether any match stands at a place or later."""
    later = select(rating_changes.c.match).where(rating_changes.c.pool == pool, is_from(start)).limit(1)
    return connection.execute(later).first() is not None


def place_after(connection: Connection, pool: str, start: Place, count: int) -> Place | None:
    """The place of the match that comes so many after the first from a place on; None when there is none."""
    at, match = rating_changes.c.at, rating_changes.c.match
    query = select(at, match).distinct().where(rating_changes.c.pool == pool, is_from(start))
    row = connection.execute(query.order_by(at, match).offset(count).limit(1)).one_or_none()
    return None if row is None else (row.at, row.match)


def results_between(connection: Connection, pool: str, start: Place, end: Place | None) -> list[RatingResult]:
    """What matches counted as from a place on, up to another or (None) to the end, in their order."""
    query = (
        select(rating_changes.c.at, rating_changes.c.match, rating_changes.c.player_id, rating_changes.c.rank)
        .join(seats, SEAT_OF_CHANGE)
        .where(rating_changes.c.pool == pool, is_between(start, end))
        .order_by(rating_changes.c.at, rating_changes.c.match, seats.c.seat)
    )
    found: dict[Place, tuple[tuple[int, int], ...]] = {}
    for row in connection.execute(query):
        place = (row.at, row.match)
        found[place] = (*found.get(place, ()), (row.player_id, row.rank))
    return [RatingResult(at, board, ranks) for (at, board), ranks in found.items()]


def results_with_changes(
    connection: Connection, pool: str
) -> Iterator[tuple[RatingResult, tuple[RatingChange, ...]]]:
    """Each match of a pool, in order, and what it did as it is stored; read as they are asked for."""
    query = (
        select(rating_changes)
        .outerjoin(seats, SEAT_OF_CHANGE)
        .where(rating_changes.c.pool == pool)
        .order_by(rating_changes.c.at, rating_changes.c.match, seats.c.seat)
        .execution_options(yield_per=_AT_ONCE)
    )
    for (at, board), rows in groupby(connection.execute(query), key=lambda row: (row.at, row.match)):
        changes = tuple(map(change_of, rows))
        yield RatingResult(at, board, tuple((each.player_id, each.rank) for each in changes)), changes


def tallies_before(
    connection: Connection, pool: str, results: Iterable[RatingResult], start: Place
) -> dict[int, Tally]:
    """The tallies of these matches' players before a place."""
    players = sorted({player_id for each in results for player_id, _ in each.ranks})
    return {player_id: _tally_before(connection, pool, player_id, start) for player_id in players}


def with_changes_from(connection: Connection, pool: str, players: Iterable[int], end: Place | None) -> set[int]:
    """Those of these players who have a change from a place on."""
    if end is None:
        return set()
    theirs = (rating_changes.c.player_id == ratings.c.player_id) & (rating_changes.c.pool == pool)
    has_later = exists().where(theirs, is_from(end))
    query = select(ratings.c.player_id).where(
        ratings.c.pool == pool, ratings.c.player_id.in_(sorted(players)), has_later
    )
    return set(connection.execute(query).scalars())


def forget_tallies(connection: Connection, pool: str, players: Iterable[int]) -> None:
    """Deletes the tallies of these players."""
    theirs = delete(ratings).where(ratings.c.pool == pool, ratings.c.player_id.in_(sorted(players)))
    gone = connection.execute(theirs.returning(ratings.c.sigma, ratings.c.last_at)).all()
    standing_counts.add(connection, pool, counted((row.sigma, row.last_at) for row in gone), sign=-1)


def add(connection: Connection, pool: str, changes: Sequence[RatingChange], tallies: Mapping[int, Tally]) -> None:
    """Writes changes and tallies, none of which may be there."""
    if changes:
        connection.execute(_ADD_CHANGES, [_change_row(pool, change) for change in changes])
    rows = [
        {"pool": pool, "player_id": player_id, "last_at": tally.last_at, **_tally_row(tally)}
        for player_id, tally in tallies.items()
        if tally.counted
    ]
    if rows:
        connection.execute(_ADD_TALLIES, rows)
        standing_counts.add(connection, pool, counted(states_of(tallies.values())))


def states_of(tallies: Iterable[Tally]) -> Iterator[tuple[float, datetime]]:
    """The uncertainty of each tally, and when its last match ended; those without any match are left out."""
    return ((each.rating.sigma, each.last_at) for each in tallies if each.counted and each.last_at)


def _change_row(pool: str, change: RatingChange) -> dict[str, object]:
    return {
        "match": change.board,
        "player_id": change.player_id,
        "pool": pool,
        "at": change.at,
        "rank": change.rank,
        "mu_before": change.before.mu,
        "sigma_before": change.before.sigma,
        **_tally_row(change.after),
    }


def _tally_row(tally: Tally) -> dict[str, object]:
    return {"mu": tally.rating.mu, "sigma": tally.rating.sigma, "counted": tally.counted, "won": tally.won}


def change_of(row: Row[Any]) -> RatingChange:
    """A row as a value."""
    return RatingChange(
        at=row.at,
        board=row.match,
        player_id=row.player_id,
        rank=row.rank,
        before=Rating(row.mu_before, row.sigma_before),
        after=Tally(Rating(row.mu, row.sigma), row.counted, row.won, row.at),
    )


def is_from(start: Place) -> ColumnElement[bool]:
    """Of a change: whether it stands at a place or later."""
    at, board = start
    # The first condition is the one that an index is searched by.
    return and_(rating_changes.c.at >= at, or_(rating_changes.c.at > at, rating_changes.c.match >= board))


def is_between(start: Place, end: Place | None) -> ColumnElement[bool]:
    """The same, and before another place, if there is one."""
    if end is None:
        return is_from(start)
    return and_(is_from(start), rating_changes.c.at <= end[0], ~is_from(end))


def _tally_before(connection: Connection, pool: str, player_id: int, start: Place) -> Tally:
    at, board = start
    values = {"pool": pool, "player": player_id, "at": at, "board": board}
    row = connection.execute(_LAST_BEFORE, values).one_or_none()
    return Tally() if row is None else change_of(row).after


SEAT_OF_CHANGE: Final = and_(
    seats.c.match == rating_changes.c.match, seats.c.player_id == rating_changes.c.player_id
)
_LAST_BEFORE: Final = (
    select(rating_changes)
    .where(
        rating_changes.c.player_id == bindparam("player"),
        rating_changes.c.pool == bindparam("pool"),
        or_(
            rating_changes.c.at < bindparam("at"),
            and_(rating_changes.c.at == bindparam("at"), rating_changes.c.match < bindparam("board")),
        ),
    )
    .order_by(rating_changes.c.at.desc(), rating_changes.c.match.desc())
    .limit(1)
)
_ADD_CHANGES: Final = insert(rating_changes)
_ADD_TALLIES: Final = insert(ratings)
