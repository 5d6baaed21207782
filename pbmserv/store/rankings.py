"""Reads ratings for listings: tallies, rated matches and standings."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import BindParameter, Connection, Row, and_, bindparam, func, select

from pbmserv.matches.ratings import (
    ENDED_BY,
    INACTIVE_AFTER,
    SECTIONS,
    Pool,
    Ranked,
    Rated,
    RatedMatch,
    RatedMatches,
    RatedResult,
    Rating,
    Section,
    Standings,
    Tally,
    pool_named,
    pools_of,
)
from pbmserv.store import standing_counts
from pbmserv.store.accounts import FORMER
from pbmserv.store.standing_counts import IS_ESTABLISHED, IS_PROVISIONAL, Group
from pbmserv.store.tables import entries, players, rating_changes, rating_counts, ratings, seats


def tallies(connection: Connection, player_id: int, game: str | None) -> dict[Pool, Tally]:
    """A player's tally in each pool, or in each one of a game; in the order of their names."""
    query = select(ratings).where(ratings.c.player_id == player_id)
    if game is not None:
        query = query.where(ratings.c.pool.in_(_names(game)))
    # Not sorted by the database, whose order of names depends on its language.
    rows = sorted(connection.execute(query), key=lambda row: row.pool)
    return {pool_named(row.pool): _tally(row) for row in rows}


def rated_pools(connection: Connection, game: str) -> list[Pool]:
    """The pools of a game in which anybody has a rating, the plain one first."""
    # There are fewer counts than ratings.
    query = select(rating_counts.c.pool).where(
        rating_counts.c.pool.in_(_names(game)),
        rating_counts.c.day == standing_counts.EVERYBODY,
        rating_counts.c.players > 0,
    )
    there = set(connection.execute(query).scalars())
    return [pool for pool in pools_of(game) if pool.name in there]


def _names(game: str) -> list[str]:
    return [pool.name for pool in pools_of(game)]


def rated_matches(
    connection: Connection, player_id: int, game: str | None, first: int, count: int
) -> RatedMatches:
    """A page of a player's rated matches, newest first."""
    lines = _newest(connection, player_id, game, first, count)
    total = sum(tally.counted for tally in tallies(connection, player_id, game).values())
    return RatedMatches(lines, total)


def _newest(
    connection: Connection, player_id: int, game: str | None, first: int, count: int
) -> tuple[RatedMatch, ...]:
    theirs = [rating_changes.c.player_id == player_id]
    if game is not None:
        theirs.append(rating_changes.c.pool.in_(_names(game)))
    query = select(rating_changes).where(*theirs)
    newest_first = query.order_by(rating_changes.c.at.desc(), rating_changes.c.match.desc())
    return _rated(connection, connection.execute(newest_first.offset(first).limit(count)).all())


def results(connection: Connection, player_id: int, count: int) -> tuple[RatedResult, ...]:
    """A player's newest rated matches, at most `count`, with how they ended."""
    lines = _newest(connection, player_id, None, 0, count)
    boards = {"boards": [line.board for line in lines]}
    ranks: dict[int, list[int]] = {line.board: [] for line in lines}
    for row in connection.execute(_RANKS, boards):
        ranks[row.match].append(row.rank)
    ended = {row.match: ENDED_BY[row.kind] for row in connection.execute(_LAST_ENTRIES, boards)}
    return tuple(RatedResult(line, ranks[line.board].count(line.rank) > 1, ended[line.board]) for line in lines)


def course(connection: Connection, player_id: int, pool: Pool, count: int) -> tuple[Rated, ...]:
    """A player's rating in a pool after each of the last `count` matches, the earliest first."""
    rows = connection.execute(_COURSE, {"player": player_id, "pool": pool.name, "most": count}).all()
    return tuple(Rated(row.at, Rating(row.mu, row.sigma)) for row in reversed(rows))


def rated_on(connection: Connection, player_id: int, boards: Sequence[int]) -> dict[int, RatedMatch]:
    """What single matches did to a player's ratings, by number."""
    rows = connection.execute(_RATED_ON, {"player": player_id, "boards": list(boards)}).all()
    return {line.board: line for line in _rated(connection, rows)}


def standings(
    connection: Connection, pool: Pool, sections: Sequence[Section], now: datetime, first: int, count: int
) -> Standings:
    """A page of the players of a pool, without deleted accounts.

    The numbers of players are kept, and each part of a section is read in the order of an index.
    """
    groups = standing_counts.in_groups(connection, pool.name, now)
    counts = {section: sum(groups[section, each] for each in (True, False)) for section in SECTIONS}
    lines: list[Ranked] = []
    skipped = first
    for group in ((section, each) for section in SECTIONS if section in sections for each in (True, False)):
        wanted = count - len(lines)
        if wanted > 0 and skipped < groups[group]:
            lines += _of_group(connection, pool, group, now, skipped, wanted)
        skipped = max(0, skipped - groups[group])
    return Standings(tuple(lines), counts)


def _of_group(
    connection: Connection, pool: Pool, group: Group, now: datetime, first: int, count: int
) -> list[Ranked]:
    section, is_established = group
    since = now - INACTIVE_AFTER
    last_at = ratings.c.last_at
    query = _ESTABLISHED if is_established else _PROVISIONAL
    query = query.where(
        ratings.c.pool == pool.name, last_at < since if section == "inactive" else last_at >= since
    )
    return [
        Ranked(
            section,
            place if section == "established" else None,
            row.userid,
            row.robot is not None,
            _tally(row),
        )
        for place, row in enumerate(connection.execute(query.offset(first).limit(count)), first + 1)
    ]


def _rated(connection: Connection, rows: Sequence[Row[Any]]) -> tuple[RatedMatch, ...]:
    sat: dict[int, tuple[str, ...]] = {}
    for seat in connection.execute(_SAT, {"boards": [row.match for row in rows]}) if rows else ():
        sat[seat.match] = (*sat.get(seat.match, ()), seat.userid)
    return tuple(
        RatedMatch(
            at=row.at,
            board=row.match,
            pool=pool_named(row.pool),
            userids=sat[row.match],
            rank=row.rank,
            before=Rating(row.mu_before, row.sigma_before),
            after=Rating(row.mu, row.sigma),
            counted=row.counted,
        )
        for row in rows
    )


def _tally(row: Row[Any]) -> Tally:
    return Tally(Rating(row.mu, row.sigma), row.counted, row.won, row.last_at)


_LISTED: Final = (
    select(ratings, players.c.userid, players.c.robot)
    .join(players, players.c.id == ratings.c.player_id)
    .where(players.c.userid != FORMER)
)
_ESTABLISHED: Final = _LISTED.where(IS_ESTABLISHED).order_by(ratings.c.mu.desc(), players.c.userid_lower)
_PROVISIONAL: Final = _LISTED.where(IS_PROVISIONAL).order_by(ratings.c.counted.desc(), players.c.userid_lower)
_RATED_ON: Final = select(rating_changes).where(
    rating_changes.c.player_id == bindparam("player"),
    rating_changes.c.match.in_(bindparam("boards", expanding=True)),
)
_SAT: Final = (
    select(seats.c.match, players.c.userid)
    .join(players, players.c.id == seats.c.player_id)
    .where(seats.c.match.in_(bindparam("boards", expanding=True)))
    .order_by(seats.c.match, seats.c.seat)
)
_RANKS: Final = select(rating_changes.c.match, rating_changes.c.rank).where(
    rating_changes.c.match.in_(bindparam("boards", expanding=True))
)
_last = (
    select(entries.c.match, func.max(entries.c.seq).label("seq"))
    .where(entries.c.match.in_(bindparam("boards", expanding=True)))
    .group_by(entries.c.match)
    .subquery()
)
_LAST_ENTRIES: Final = select(entries.c.match, entries.c.kind).join(
    _last, and_(entries.c.match == _last.c.match, entries.c.seq == _last.c.seq)
)
_COURSE: Final = (
    select(rating_changes.c.at, rating_changes.c.mu, rating_changes.c.sigma)
    .where(rating_changes.c.player_id == bindparam("player"), rating_changes.c.pool == bindparam("pool"))
    .order_by(rating_changes.c.at.desc(), rating_changes.c.match.desc())
    .limit(bindparam("most"))
)


def winners_of(connection: Connection, numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """The userids of the first in rank, by board, of those boards that count for ratings."""
    found: dict[int, tuple[str, ...]] = {}
    for row in connection.execute(_FIRST_IN_RANK, {"numbers": numbers}) if numbers else ():
        found[row.match] = (*found.get(row.match, ()), row.userid)
    return found


_NUMBERS: Final[BindParameter[Any]] = bindparam("numbers", expanding=True)
_FIRST_IN_RANK: Final = (
    select(rating_changes.c.match, players.c.userid)
    .join(players, players.c.id == rating_changes.c.player_id)
    .where(rating_changes.c.match.in_(_NUMBERS), rating_changes.c.rank == 1)
    .order_by(rating_changes.c.match, players.c.userid_lower)
)
