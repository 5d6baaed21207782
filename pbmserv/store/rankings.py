"""What listings tell of ratings: rows in, values out."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, and_, bindparam, case, func, select

from pbmserv.matches.rankings import SECTIONS, Ranked, RatedMatch, RatedMatches, Standings
from pbmserv.matches.rating import ESTABLISHED_SIGMA, INACTIVE_AFTER, Rating, Section, Tally
from pbmserv.store.accounts import FORMER
from pbmserv.store.tables import players, rating_changes, ratings, seats


def tallies(connection: Connection, player_id: int, game: str | None) -> dict[str, Tally]:
    """What a player's matches have come to, by game."""
    query = select(ratings).where(ratings.c.player_id == player_id).order_by(ratings.c.game)
    if game is not None:
        query = query.where(ratings.c.game == game)
    return {row.game: _tally(row) for row in connection.execute(query)}


def rated_matches(
    connection: Connection, player_id: int, game: str | None, first: int, count: int
) -> RatedMatches:
    """A page of what single matches did to a player's ratings, newest first."""
    theirs = [rating_changes.c.player_id == player_id]
    if game is not None:
        theirs.append(rating_changes.c.game == game)
    query = select(rating_changes).where(*theirs)
    newest_first = query.order_by(rating_changes.c.at.desc(), rating_changes.c.match.desc())
    rows = connection.execute(newest_first.offset(first).limit(count)).all()
    total = connection.execute(select(func.count()).select_from(rating_changes).where(*theirs)).scalar_one()
    return RatedMatches(_rated(connection, rows), total)


def rated_on(connection: Connection, player_id: int, boards: Sequence[int]) -> dict[int, RatedMatch]:
    """What single matches did to a player's ratings, by number."""
    rows = connection.execute(_RATED_ON, {"player": player_id, "boards": list(boards)}).all()
    return {line.board: line for line in _rated(connection, rows)}


def standings(
    connection: Connection, game: str, sections: Sequence[Section], now: datetime, first: int, count: int
) -> Standings:
    """A page of the players of a game; those who were forgotten are left out."""
    number = _number_of_section(now)
    wanted = [SECTIONS.index(section) for section in sections]
    there = ratings.join(players, players.c.id == ratings.c.player_id)
    listed = and_(ratings.c.game == game, players.c.userid != FORMER)
    place = func.row_number().over(partition_by=number, order_by=(ratings.c.mu.desc(), players.c.userid_lower))
    page = (
        select(ratings, players.c.userid, players.c.robot, number.label("section"), place.label("place"))
        .select_from(there)
        .where(listed, number.in_(wanted))
        .order_by(number, place)
    )
    rows = connection.execute(page.offset(first).limit(count)).all()
    in_all = select(number.label("section"), func.count().label("players")).select_from(there).where(listed)
    counts: dict[Section, int] = dict.fromkeys(SECTIONS, 0)
    for row in connection.execute(in_all.group_by(number)):
        counts[SECTIONS[row.section]] = row.players
    return Standings(tuple(map(_ranked, rows)), counts)


def _number_of_section(now: datetime) -> ColumnElement[int]:
    """As `Tally.section` tells it, as an index into SECTIONS."""
    return case(
        (ratings.c.last_at < now - INACTIVE_AFTER, 2),
        (ratings.c.sigma <= ESTABLISHED_SIGMA, 0),
        else_=1,
    )


def _ranked(row: Row[Any]) -> Ranked:
    section = SECTIONS[row.section]
    place = row.place if section == "established" else None
    return Ranked(section, place, row.userid, row.robot is not None, _tally(row))


def _rated(connection: Connection, rows: Sequence[Row[Any]]) -> tuple[RatedMatch, ...]:
    sat: dict[int, tuple[str, ...]] = {}
    for seat in connection.execute(_SAT, {"boards": [row.match for row in rows]}) if rows else ():
        sat[seat.match] = (*sat.get(seat.match, ()), seat.userid)
    return tuple(
        RatedMatch(
            at=row.at,
            board=row.match,
            game=row.game,
            userids=sat[row.match],
            rank=row.rank,
            before=Rating(row.mu_before, row.sigma_before),
            after=Rating(row.mu, row.sigma),
        )
        for row in rows
    )


def _tally(row: Row[Any]) -> Tally:
    return Tally(Rating(row.mu, row.sigma), row.counted, row.won, row.last_at)


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
