"""Ratings: derived from the matches that count, in the order in which these ended.

They follow the logs in the same transaction. Where a match is written late, ends otherwise or is made void, all
that came after it is computed anew.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from zlib import crc32

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
)

from pbmserv.matches.next_state import AFTER_THE_END
from pbmserv.matches.rating import Change, Rating, Result, Tally, ranks_of, reckoned
from pbmserv.matches.replay import Replayed
from pbmserv.store.tables import matches, rating_changes, ratings, seats

Place = tuple[Any, int]
"""When a match ended, and its number: the order in which matches count."""

_LOCK_OF_RATINGS: Final = 7_284_546
"""Tells our advisory locks of PostgreSQL from those that others may take in the same database."""


def follow(connection: Connection, boards: Iterable[Replayed]) -> None:
    """Lets the ratings follow boards whose new entries are written already."""
    for board in sorted(boards, key=lambda each: (each.match.game, each.match.number)):
        was_changed_late = any(entry.kind in AFTER_THE_END for entry in board.match.entries)
        if was_changed_late or ranks_of(board) is not None:
            _settle(connection, board)


def hold(connection: Connection, game: str) -> None:
    """Waits until nobody else changes the ratings of a game, and keeps others off until the transaction ends."""
    # A writing transaction of SQLite holds the whole file already.
    if connection.dialect.name != "sqlite":
        connection.execute(_HOLD, {"game": crc32(game.encode()) - 2**31})


def result_of(board: Replayed, player_ids: Sequence[int]) -> Result | None:
    """What a board counts as; None when it does not. `player_ids` are those of its seats."""
    ranks = ranks_of(board)
    if ranks is None:
        return None
    return Result(board.state.last_at, board.match.number, tuple(zip(player_ids, ranks, strict=True)))


def seated(connection: Connection) -> dict[int, tuple[int, ...]]:
    """The player ids of every match, in order of play."""
    found: dict[int, tuple[int, ...]] = {}
    rows = connection.execute(select(seats.c.match, seats.c.player_id).order_by(seats.c.match, seats.c.seat))
    for row in rows:
        found[row.match] = (*found.get(row.match, ()), row.player_id)
    return found


def games(connection: Connection) -> set[str]:
    """The games of which there are ratings."""
    names = select(rating_changes.c.game).union(select(ratings.c.game))
    return set(connection.execute(names).scalars())


def never_rated(connection: Connection) -> Sequence[str]:
    """The games with finished matches that are to be rated, and without any rating."""
    is_rated = select(ratings.c.game).where(ratings.c.game == matches.c.game).exists()
    query = select(matches.c.game).where(matches.c.status == "finished", matches.c.rated, ~is_rated)
    return connection.execute(query.distinct().order_by(matches.c.game)).scalars().all()


def stored_changes(connection: Connection, game: str) -> tuple[Change, ...]:
    """What every match of a game did, as it stands in the records, in order."""
    query = (
        select(rating_changes)
        .outerjoin(seats, _SEAT_OF_CHANGE)
        .where(rating_changes.c.game == game)
        .order_by(rating_changes.c.at, rating_changes.c.match, seats.c.seat)
    )
    return tuple(_change(row) for row in connection.execute(query))


def stored_tallies(connection: Connection, game: str) -> dict[int, Tally]:
    """What it came to for each player, as it stands in the records."""
    rows = connection.execute(select(ratings).where(ratings.c.game == game))
    return {row.player_id: Tally(Rating(row.mu, row.sigma), row.counted, row.won, row.last_at) for row in rows}


def latest(changes: Iterable[Change]) -> dict[int, Tally]:
    """What changes came to for each player; they stand in their order."""
    return {change.player_id: change.after for change in changes}


def write_anew(connection: Connection, game: str, changes: Sequence[Change]) -> None:
    """Puts these in the place of all ratings of a game."""
    connection.execute(delete(rating_changes).where(rating_changes.c.game == game))
    connection.execute(delete(ratings).where(ratings.c.game == game))
    _add(connection, game, changes, latest(changes))


def _settle(connection: Connection, board: Replayed) -> None:
    """Makes one board count for what it is now."""
    match = board.match
    hold(connection, match.game)
    sat = connection.execute(_SAT, {"board": match.number}).all()
    counted = tuple((row.player_id, row.rank) for row in sat if row.rank is not None)
    before = Result(sat[0].at, match.number, counted) if counted else None
    now = result_of(board, [row.player_id for row in sat])
    if now != before:
        _reckon_anew(connection, match.game, before, now)


def _reckon_anew(connection: Connection, game: str, before: Result | None, now: Result | None) -> None:
    """Takes back all from the earlier of the two places on, which the match had or has, and counts it again."""
    changed = [each for each in (before, now) if each is not None]
    start = min(each.place for each in changed)
    later = _results_from(connection, game, start)
    results = [each for each in later if each.board != changed[0].board]
    concerned = {player_id for each in (*changed, *later) for player_id, _ in each.ranks}
    tallies = {player_id: _tally_before(connection, game, player_id, start) for player_id in sorted(concerned)}
    changes = reckoned(tallies, [*results, *([now] if now else [])])
    if later:
        connection.execute(delete(rating_changes).where(rating_changes.c.game == game, _is_from(start)))
    theirs = ratings.c.player_id.in_(sorted(concerned))
    connection.execute(delete(ratings).where(ratings.c.game == game, theirs))
    _add(connection, game, changes, tallies | latest(changes))


def _results_from(connection: Connection, game: str, start: Place) -> list[Result]:
    query = (
        select(rating_changes.c.at, rating_changes.c.match, rating_changes.c.player_id, rating_changes.c.rank)
        .join(seats, _SEAT_OF_CHANGE)
        .where(rating_changes.c.game == game, _is_from(start))
        .order_by(rating_changes.c.at, rating_changes.c.match, seats.c.seat)
    )
    found: dict[Place, tuple[tuple[int, int], ...]] = {}
    for row in connection.execute(query):
        place = (row.at, row.match)
        found[place] = (*found.get(place, ()), (row.player_id, row.rank))
    return [Result(at, board, ranks) for (at, board), ranks in found.items()]


def _tally_before(connection: Connection, game: str, player_id: int, start: Place) -> Tally:
    at, board = start
    values = {"game": game, "player": player_id, "at": at, "board": board}
    row = connection.execute(_LAST_BEFORE, values).one_or_none()
    return Tally() if row is None else _change(row).after


def _add(connection: Connection, game: str, changes: Sequence[Change], tallies: Mapping[int, Tally]) -> None:
    if changes:
        connection.execute(_ADD_CHANGES, [_change_row(game, change) for change in changes])
    rows = [
        {"game": game, "player_id": player_id, "last_at": tally.last_at, **_tally_row(tally)}
        for player_id, tally in tallies.items()
        if tally.counted
    ]
    if rows:
        connection.execute(_ADD_TALLIES, rows)


def _change_row(game: str, change: Change) -> dict[str, object]:
    return {
        "match": change.board,
        "player_id": change.player_id,
        "game": game,
        "at": change.at,
        "rank": change.rank,
        "mu_before": change.before.mu,
        "sigma_before": change.before.sigma,
        **_tally_row(change.after),
    }


def _tally_row(tally: Tally) -> dict[str, object]:
    return {"mu": tally.rating.mu, "sigma": tally.rating.sigma, "counted": tally.counted, "won": tally.won}


def _change(row: Row[Any]) -> Change:
    return Change(
        at=row.at,
        board=row.match,
        player_id=row.player_id,
        rank=row.rank,
        before=Rating(row.mu_before, row.sigma_before),
        after=Tally(Rating(row.mu, row.sigma), row.counted, row.won, row.at),
    )


def _is_from(start: Place) -> ColumnElement[bool]:
    at, board = start
    same_moment = and_(rating_changes.c.at == at, rating_changes.c.match >= board)
    return or_(rating_changes.c.at > at, same_moment)


_SEAT_OF_CHANGE: Final = and_(
    seats.c.match == rating_changes.c.match, seats.c.player_id == rating_changes.c.player_id
)
_HOLD: Final = select(func.pg_advisory_xact_lock(_LOCK_OF_RATINGS, bindparam("game")))
_SAT: Final = (
    select(seats.c.player_id, rating_changes.c.at, rating_changes.c.rank)
    .outerjoin(rating_changes, _SEAT_OF_CHANGE)
    .where(seats.c.match == bindparam("board"))
    .order_by(seats.c.seat)
)
_LAST_BEFORE: Final = (
    select(rating_changes)
    .where(
        rating_changes.c.player_id == bindparam("player"),
        rating_changes.c.game == bindparam("game"),
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
