"""Ratings, derived from rated matches in the order in which they ended.

They are updated in the transaction that writes the log. If a match is written late, gets another result or is
voided, all later ones are recalculated in steps. Progress is stored, so that the next transaction continues from
there; new results are added meanwhile. A tally is a player's state after their last change.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from json import loads
from typing import Any, Final
from zlib import crc32

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Text,
    and_,
    bindparam,
    cast,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
)

from pbmserv.matches.next_state import AFTER_THE_END
from pbmserv.matches.ratings import (
    Pool,
    Rating,
    RatingChange,
    RatingResult,
    Tally,
    pool_of,
    pool_with,
    ranks_of,
    reckoned,
)
from pbmserv.matches.replay import GameState
from pbmserv.store import rankings
from pbmserv.store.rankings import counted_players
from pbmserv.store.tables import matches, rating_changes, rating_counts, ratings, recounts, seats

Place = tuple[Any, int]
"""When a match ended, and its number: the order in which matches count."""

_AT_ONCE: Final = 1000

THE_END: Final[Place] = (datetime(9999, 12, 31, tzinfo=UTC), 0)


def comes_after(connection: Connection, pool: str, start: Place) -> bool:
    """Whether any match has this place or a later one."""
    later = select(rating_changes.c.match).where(rating_changes.c.pool == pool, is_from(start)).limit(1)
    return connection.execute(later).first() is not None


def place_after(connection: Connection, pool: str, start: Place, count: int) -> Place | None:
    """The place of the match `count` matches after the first one at or after `start`; None if there is none."""
    at, match = rating_changes.c.at, rating_changes.c.match
    query = select(at, match).distinct().where(rating_changes.c.pool == pool, is_from(start))
    row = connection.execute(query.order_by(at, match).offset(count).limit(1)).one_or_none()
    return None if row is None else (row.at, row.match)


def results_between(connection: Connection, pool: str, start: Place, end: Place | None) -> list[RatingResult]:
    """The results of matches from one place up to another, or to the end (None), in order."""
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
    """Each match of a pool, in order, with its stored rating changes; read lazily."""
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
    rankings.add_to_counts(connection, pool, counted_players((row.sigma, row.last_at) for row in gone), sign=-1)


def add_rows(
    connection: Connection, pool: str, changes: Sequence[RatingChange], tallies: Mapping[int, Tally]
) -> None:
    """Inserts changes and tallies, none of which may exist."""
    if changes:
        connection.execute(_ADD_CHANGES, [_change_row(pool, change) for change in changes])
    rows = [
        {"pool": pool, "player_id": player_id, "last_at": tally.last_at, **_tally_row(tally)}
        for player_id, tally in tallies.items()
        if tally.counted
    ]
    if rows:
        connection.execute(_ADD_TALLIES, rows)
        rankings.add_to_counts(connection, pool, counted_players(states_of(tallies.values())))


def states_of(tallies: Iterable[Tally]) -> Iterator[tuple[float, datetime]]:
    """The uncertainty of each tally and the end of its last match; tallies without matches are left out."""
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
    """The rating change of a row."""
    return RatingChange(
        at=row.at,
        board=row.match,
        player_id=row.player_id,
        rank=row.rank,
        before=Rating(row.mu_before, row.sigma_before),
        after=Tally(Rating(row.mu, row.sigma), row.counted, row.won, row.at),
    )


def is_from(start: Place) -> ColumnElement[bool]:
    """SQL: whether a change is at a place or later."""
    at, board = start
    # The first condition is the one that an index is searched by.
    return and_(rating_changes.c.at >= at, or_(rating_changes.c.at > at, rating_changes.c.match >= board))


def is_between(start: Place, end: Place | None) -> ColumnElement[bool]:
    """SQL: whether a change is at a place or later, and before another place, if there is one."""
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


STEP: Final = 200
"""Matches recalculated in one transaction."""

_LOCK_OF_RATINGS: Final = 7_284_546
"""Keeps our advisory locks in PostgreSQL apart from those of other programs in the same database."""


def update_ratings(connection: Connection, boards: Iterable[GameState]) -> None:
    """Updates ratings after new entries of these boards were written."""
    for board in sorted(boards, key=lambda each: (pool_of(each.match).name, each.match.number)):
        was_changed_late = any(entry.kind in AFTER_THE_END for entry in board.match.entries)
        if was_changed_late or ranks_of(board) is not None:
            _settle(connection, board)


def lock_pool(connection: Connection, pool: str) -> None:
    """Locks the ratings of a pool until the transaction ends."""
    # On SQLite a writing transaction has locked the whole file already.
    if connection.dialect.name != "sqlite":
        connection.execute(_HOLD, {"pool": crc32(pool.encode()) - 2**31})


def result_of(board: GameState, player_ids: Sequence[int]) -> RatingResult | None:
    """What a board counts as for ratings; None if it does not count. `player_ids` are those of its seats."""
    ranks = ranks_of(board)
    if ranks is None:
        return None
    return RatingResult(board.state.last_at, board.match.number, tuple(zip(player_ids, ranks, strict=True)))


def pools(connection: Connection) -> set[str]:
    """The pools that have ratings."""
    is_counted = select(rating_counts.c.pool).where(rating_counts.c.players != 0)
    names = select(rating_changes.c.pool).union(select(ratings.c.pool), is_counted)
    return set(connection.execute(names).scalars())


def never_rated(connection: Connection) -> Sequence[str]:
    """The pools that have finished rated matches but no ratings."""
    options = cast(matches.c.options, Text)
    query = select(matches.c.game, options).where(matches.c.status == "finished", matches.c.rated).distinct()
    played = {read_pool(game, found) for game, found in connection.execute(query)}
    is_rated = set(connection.execute(select(ratings.c.pool).distinct()).scalars())
    return sorted({pool.name for pool in played if pool is not None} - is_rated)


def read_pool(game: str, options: str) -> Pool | None:
    """The pool of a match from its stored options; None if they are damaged."""
    try:
        return pool_with(game, loads(options).items())
    except (ValueError, AttributeError):
        return None


def stored_changes(connection: Connection, pool: str) -> tuple[RatingChange, ...]:
    """The stored rating changes of every match of a pool, in order."""
    query = (
        select(rating_changes)
        .outerjoin(seats, SEAT_OF_CHANGE)
        .where(rating_changes.c.pool == pool)
        .order_by(rating_changes.c.at, rating_changes.c.match, seats.c.seat)
    )
    return tuple(change_of(row) for row in connection.execute(query))


def stored_tallies(connection: Connection, pool: str) -> dict[int, Tally]:
    """The stored tally of each player."""
    rows = connection.execute(select(ratings).where(ratings.c.pool == pool))
    return {row.player_id: Tally(Rating(row.mu, row.sigma), row.counted, row.won, row.last_at) for row in rows}


def latest(changes: Iterable[RatingChange]) -> dict[int, Tally]:
    """Each player's tally after these changes, given in order."""
    return {change.player_id: change.after for change in changes}


def replace_all(connection: Connection, pool: str, changes: Sequence[RatingChange]) -> None:
    """Replaces all ratings of a pool."""
    connection.execute(delete(rating_changes).where(rating_changes.c.pool == pool))
    connection.execute(delete(ratings).where(ratings.c.pool == pool))
    connection.execute(delete(rating_counts).where(rating_counts.c.pool == pool))
    add_rows(connection, pool, changes, latest(changes))
    connection.execute(delete(recounts).where(recounts.c.pool == pool))


def recounted(connection: Connection) -> dict[str, int]:
    """The pools being recalculated, each with the first board left to do."""
    return {row.pool: row.match for row in connection.execute(select(recounts))}


def to_recount(connection: Connection, pool: str) -> int:
    """How many matches of a pool are still to be recalculated."""
    start = _recount_from(connection, pool)
    if start is None:
        return 0
    query = select(func.count(rating_changes.c.match.distinct())).where(
        rating_changes.c.pool == pool, is_from(start)
    )
    return connection.execute(query).scalar_one()


def recount(connection: Connection, pool: str) -> int:
    """Recalculates up to STEP matches of a pool; returns how many, 0 if nothing is left to do."""
    lock_pool(connection, pool)
    start = _recount_from(connection, pool)
    if start is None:
        return 0
    end = place_after(connection, pool, start, STEP)
    results = results_between(connection, pool, start, end)
    tallies = tallies_before(connection, pool, results, start)
    changes = reckoned(tallies, results)
    connection.execute(delete(rating_changes).where(rating_changes.c.pool == pool, is_between(start, end)))
    later = with_changes_from(connection, pool, tallies, end)
    fresh = {player_id: tally for player_id, tally in latest(changes).items() if player_id not in later}
    forget_tallies(connection, pool, fresh)
    add_rows(connection, pool, changes, fresh)
    _note_recount(connection, pool, end)
    return len(results)


def _settle(connection: Connection, board: GameState) -> None:
    """Updates the ratings for one board's present result."""
    match = board.match
    pool = pool_of(match).name
    lock_pool(connection, pool)
    sat = connection.execute(_SAT, {"board": match.number}).all()
    counted = tuple((row.player_id, row.rank) for row in sat if row.rank is not None)
    before = RatingResult(sat[0].at, match.number, counted) if counted else None
    now = result_of(board, [row.player_id for row in sat])
    if now != before:
        _recalculate(connection, pool, before, now)


def _recalculate(connection: Connection, pool: str, before: RatingResult | None, now: RatingResult | None) -> None:
    """Replaces one match's result, and starts recalculating the matches after its old or new place."""
    changed = [each for each in (before, now) if each is not None]
    players = {player_id for each in changed for player_id, _ in each.ranks}
    if before is not None:
        connection.execute(delete(rating_changes).where(rating_changes.c.match == before.board))
    tallies = {} if now is None else tallies_before(connection, pool, [now], now.place)
    changes = reckoned(tallies, [now] if now else [])
    start = min(each.place for each in changed)
    is_last = before is None and not comes_after(connection, pool, start)
    forget_tallies(connection, pool, players)
    add_rows(connection, pool, changes, latest(changes) if is_last else {})
    if is_last:
        return
    # Until they are recalculated, tallies are those after each player's last change.
    add_rows(connection, pool, (), tallies_before(connection, pool, changed, THE_END))
    begun = _recount_from(connection, pool)
    _note_recount(connection, pool, start if begun is None else min(start, begun))
    if begun is None:
        recount(connection, pool)


def _recount_from(connection: Connection, pool: str) -> Place | None:
    row = connection.execute(select(recounts.c.at, recounts.c.match).where(recounts.c.pool == pool)).one_or_none()
    return None if row is None else (row.at, row.match)


def _note_recount(connection: Connection, pool: str, start: Place | None) -> None:
    connection.execute(delete(recounts).where(recounts.c.pool == pool))
    if start is not None:
        connection.execute(insert(recounts).values(pool=pool, at=start[0], match=start[1]))


_HOLD: Final = select(func.pg_advisory_xact_lock(_LOCK_OF_RATINGS, bindparam("pool")))
_SAT: Final = (
    select(seats.c.player_id, rating_changes.c.at, rating_changes.c.rank)
    .outerjoin(rating_changes, SEAT_OF_CHANGE)
    .where(seats.c.match == bindparam("board"))
    .order_by(seats.c.seat)
)
