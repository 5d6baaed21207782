"""Reads ratings for listings: tallies, rated matches and standings."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import BindParameter, ColumnElement, Connection, Row, and_, bindparam, case, func, select

from pbmserv.matches.pools import Pool, pool_named, pools_of
from pbmserv.matches.rankings import (
    ENDED_BY,
    SECTIONS,
    Ranked,
    Rated,
    RatedMatch,
    RatedMatches,
    RatedResult,
    Standings,
)
from pbmserv.matches.ratings import ESTABLISHED_SIGMA, INACTIVE_AFTER, Rating, Section, Tally
from pbmserv.store.accounts import FORMER
from pbmserv.store.tables import entries, players, rating_changes, ratings, seats


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
    query = select(ratings.c.pool).distinct().where(ratings.c.pool.in_(_names(game)))
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

    What it costs grows with the players of the pool, who are counted in an index, and not with its matches.
    """
    counts = _in_sections(connection, pool, now)
    lines: list[Ranked] = []
    skipped = first
    for section in (each for each in SECTIONS if each in sections):
        wanted = count - len(lines)
        if wanted > 0 and skipped < counts[section]:
            lines += _of_section(connection, pool, section, now, skipped, wanted)
        skipped = max(0, skipped - counts[section])
    return Standings(tuple(lines), counts)


def _in_sections(connection: Connection, pool: Pool, now: datetime) -> dict[Section, int]:
    conditions = _conditions(now)
    counts = [func.count().filter(conditions[section]) for section in SECTIONS]
    everybody = select(*counts).where(ratings.c.pool == pool.name)
    forgotten = everybody.where(ratings.c.player_id.in_(select(players.c.id).where(players.c.userid == FORMER)))
    in_all, gone = (connection.execute(query).one() for query in (everybody, forgotten))
    return {section: in_all[number] - gone[number] for number, section in enumerate(SECTIONS)}


def _of_section(
    connection: Connection, pool: Pool, section: Section, now: datetime, first: int, count: int
) -> list[Ranked]:
    order = (*_ORDER[section], players.c.userid_lower)
    there = ratings.join(players, players.c.id == ratings.c.player_id)
    listed = (ratings.c.pool == pool.name, players.c.userid != FORMER, _conditions(now)[section])
    chosen = select(ratings.c.player_id).select_from(there).where(*listed).order_by(*order)
    page = chosen.offset(first).limit(count).subquery()
    query = select(ratings, players.c.userid, players.c.robot).select_from(there)
    rows = connection.execute(
        query.where(ratings.c.pool == pool.name, ratings.c.player_id.in_(select(page.c.player_id))).order_by(
            *order
        )
    )
    return [
        Ranked(
            section,
            place if section == "established" else None,
            row.userid,
            row.robot is not None,
            _tally(row),
        )
        for place, row in enumerate(rows, first + 1)
    ]


def _conditions(now: datetime) -> dict[Section, ColumnElement[bool]]:
    """As `Tally.section` tells them."""
    plays = ratings.c.last_at >= now - INACTIVE_AFTER
    return {
        "established": and_(plays, _is_established),
        "provisional": and_(plays, ~_is_established),
        "inactive": ratings.c.last_at < now - INACTIVE_AFTER,
    }


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


_is_established = ratings.c.sigma <= ESTABLISHED_SIGMA
_ORDER: Final[Mapping[Section, tuple[ColumnElement[Any], ...]]] = {
    "established": (ratings.c.mu.desc(),),
    "provisional": (ratings.c.counted.desc(),),
    "inactive": (
        case((_is_established, ratings.c.mu)).desc().nulls_last(),
        case((_is_established, 0), else_=ratings.c.counted).desc(),
    ),
}
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
