"""Reads ratings for listings: tallies, rated matches and standings.

Player counts are stored with the ratings, so that listings need not count rows. Each day has the number of players
in the pool whose last match ended then, and day 0 the number of all; established and other ratings are counted
apart.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    delete,
    func,
    literal_column,
    or_,
    select,
    text,
)

from pbmserv.matches.player import Player
from pbmserv.matches.queries import Queries
from pbmserv.matches.ratings import (
    ENDED_BY,
    ESTABLISHED_SIGMA,
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
from pbmserv.store.accounts import FORMER
from pbmserv.store.tables import entries, players, rating_changes, rating_counts, ratings, seats

Group = tuple[Section, bool]
"""A section of the standings, and whether its ratings are established."""

EVERYBODY: Final = 0
"""The day that stands for all days."""

Kept = Mapping[tuple[bool, int], int]
"""A number of players for each day, established or not."""


def counted_players(states: Iterable[tuple[float, datetime]]) -> Kept:
    """The counts for players with these uncertainties and times of their last matches."""
    found: Counter[tuple[bool, int]] = Counter()
    for sigma, last_at in states:
        is_established = sigma <= ESTABLISHED_SIGMA
        found[is_established, EVERYBODY] += 1
        found[is_established, last_at.astimezone(UTC).toordinal()] += 1
    return found


def add_to_counts(connection: Connection, pool: str, more: Kept, sign: int = 1) -> None:
    """Adds to the counts of a pool, or subtracts if the sign is -1."""
    rows = [
        {"pool": pool, "is_established": is_established, "day": day, "players": sign * count}
        for (is_established, day), count in sorted(more.items())
    ]
    if rows:
        connection.execute(_ADD, rows)


def renew_counts(connection: Connection, pool: str) -> None:
    """Recounts the players of a pool."""
    connection.execute(delete(rating_counts).where(rating_counts.c.pool == pool))
    add_to_counts(connection, pool, counted_players(_states(connection, pool)))


def stored_counts(connection: Connection, pool: str) -> Kept:
    """The counts of a pool, without zeros."""
    rows = connection.execute(
        select(rating_counts).where(rating_counts.c.pool == pool, rating_counts.c.players != 0)
    )
    return {(row.is_established, row.day): row.players for row in rows}


def in_groups(connection: Connection, pool: str, now: datetime) -> Mapping[Group, int]:
    """How many players of a pool each section of the standings has, without deleted accounts."""
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


def _names(game: str) -> list[str]:
    return [pool.name for pool in pools_of(game)]


class RankingQueries(Queries):
    """Queries for ratings, within one transaction."""

    _connection: Connection

    def tallies(self, player: Player, game: str | None = None) -> Mapping[Pool, Tally]:
        query = select(ratings).where(ratings.c.player_id == player.id)
        if game is not None:
            query = query.where(ratings.c.pool.in_(_names(game)))
        # Not sorted by the database, whose order of names depends on its language.
        rows = sorted(self._connection.execute(query), key=lambda row: row.pool)
        return {pool_named(row.pool): _tally(row) for row in rows}

    def rated_pools(self, game: str) -> Sequence[Pool]:
        # There are fewer counts than ratings.
        query = select(rating_counts.c.pool).where(
            rating_counts.c.pool.in_(_names(game)),
            rating_counts.c.day == EVERYBODY,
            rating_counts.c.players > 0,
        )
        there = set(self._connection.execute(query).scalars())
        return [pool for pool in pools_of(game) if pool.name in there]

    def rated_matches(self, player: Player, game: str | None, first: int, count: int) -> RatedMatches:
        lines = self._newest(player, game, first, count)
        return RatedMatches(lines, sum(tally.counted for tally in self.tallies(player, game).values()))

    def rated_on(self, player: Player, boards: Sequence[int]) -> Mapping[int, RatedMatch]:
        rows = self._connection.execute(_RATED_ON, {"player": player.id, "boards": [*boards]}).all()
        return {line.board: line for line in self._rated(rows)}

    def results(self, player: Player, count: int) -> tuple[RatedResult, ...]:
        """A player's newest rated matches, at most `count`, with their results."""
        lines = self._newest(player, None, 0, count)
        boards = {"boards": [line.board for line in lines]}
        ranks: dict[int, list[int]] = {line.board: [] for line in lines}
        for row in self._connection.execute(_RANKS, boards):
            ranks[row.match].append(row.rank)
        ended = {row.match: ENDED_BY[row.kind] for row in self._connection.execute(_LAST_ENTRIES, boards)}
        return tuple(
            RatedResult(line, ranks[line.board].count(line.rank) > 1, ended[line.board]) for line in lines
        )

    def course(self, player: Player, pool: Pool, count: int) -> tuple[Rated, ...]:
        """A player's rating in a pool after each of the last `count` matches, the earliest first."""
        wanted = {"player": player.id, "pool": pool.name, "most": count}
        rows = self._connection.execute(_COURSE, wanted).all()
        return tuple(Rated(row.at, Rating(row.mu, row.sigma)) for row in reversed(rows))

    def standings(
        self, pool: Pool, sections: Sequence[Section], now: datetime, first: int, count: int
    ) -> Standings:
        # The numbers of players are kept, and each part of a section is read in the order of an index.
        groups = in_groups(self._connection, pool.name, now)
        counts = {section: sum(groups[section, each] for each in (True, False)) for section in SECTIONS}
        lines: list[Ranked] = []
        skipped = first
        for group in ((section, each) for section in SECTIONS if section in sections for each in (True, False)):
            wanted = count - len(lines)
            if wanted > 0 and skipped < groups[group]:
                listed = _of_group(pool, group, now).offset(skipped).limit(wanted)
                ranked = enumerate(self._connection.execute(listed), skipped + 1)
                lines += [_ranked(group[0], place, row) for place, row in ranked]
            skipped = max(0, skipped - groups[group])
        return Standings(tuple(lines), counts)

    def _newest(self, player: Player, game: str | None, first: int, count: int) -> tuple[RatedMatch, ...]:
        theirs = [rating_changes.c.player_id == player.id]
        if game is not None:
            theirs.append(rating_changes.c.pool.in_(_names(game)))
        query = select(rating_changes).where(*theirs)
        newest_first = query.order_by(rating_changes.c.at.desc(), rating_changes.c.match.desc())
        return self._rated(self._connection.execute(newest_first.offset(first).limit(count)).all())

    def _rated(self, rows: Sequence[Row[Any]]) -> tuple[RatedMatch, ...]:
        sat: dict[int, tuple[str, ...]] = {}
        boards = [row.match for row in rows]
        for seat in self._connection.execute(_SAT, {"boards": boards}) if boards else ():
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


def _of_group(pool: Pool, group: Group, now: datetime) -> Select[Any]:
    """The players of a group in order, without deleted accounts."""
    section, is_established = group
    since = now - INACTIVE_AFTER
    was_then = ratings.c.last_at < since if section == "inactive" else ratings.c.last_at >= since
    query = _ESTABLISHED if is_established else _PROVISIONAL
    return query.where(ratings.c.pool == pool.name, was_then)


def _ranked(section: Section, place: int, row: Row[Any]) -> Ranked:
    shown = place if section == "established" else None
    return Ranked(section, shown, row.userid, row.robot is not None, _tally(row))


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
    """The winners' userids, by board, of those boards that count for ratings."""
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
