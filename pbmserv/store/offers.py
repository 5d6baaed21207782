"""Open offers of games."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, delete, exists, insert, or_, select, update

from pbmserv.commands.changes import EndedOffer, JoinedOffer, LeftOffer, NewOffer
from pbmserv.matches.open_offer import OpenOffer
from pbmserv.matches.queries import Queries
from pbmserv.store import clocks
from pbmserv.store.tables import matches, offer_players, offers, players

OfferChange = NewOffer | JoinedOffer | LeftOffer | EndedOffer

_OPEN = offers.c.status == "open"


class OfferQueries(Queries):
    """Queries for open offers, within one transaction."""

    _connection: Connection

    def open_offers(self) -> Sequence[OpenOffer]:
        return _values(self._connection, _rows().where(_OPEN).order_by(offers.c.number))

    def offer(self, number: int) -> OpenOffer | None:
        query = _rows().where(offers.c.number == number).order_by(offers.c.id.desc()).limit(1)
        return next(iter(_values(self._connection, query)), None)

    def last_offer_number(self) -> int:
        query = select(offers.c.number).order_by(offers.c.id.desc()).limit(1)
        return self._connection.execute(query).scalar_one_or_none() or 0

    def rematch_of(self, board: int) -> int | None:
        query = select(matches.c.number).where(matches.c.after == board, matches.c.status == "active")
        return self._connection.execute(query.order_by(matches.c.number).limit(1)).scalar_one_or_none()


def write(connection: Connection, change: OfferChange, now: datetime) -> None:
    """Writes one change."""
    match change:
        case NewOffer():
            row = {
                "number": change.number,
                "player_id": change.player_id,
                "game": change.game,
                "options": dict(change.options),
                "rated": change.rated,
                "clock": clocks.as_json(change.clock),
                "seats": change.seats,
                "moves_last": change.moves_last,
                "made_at": now,
                "status": "open",
            }
            connection.execute(insert(offers).values(row))
        case JoinedOffer(offer_id, player_id):
            connection.execute(insert(offer_players).values(offer_id=offer_id, player_id=player_id, at=now))
        case LeftOffer(offer_id, player_id):
            connection.execute(delete(offer_players).filter_by(offer_id=offer_id, player_id=player_id))
        case EndedOffer(offer_id, status, match_number):
            ended = update(offers).where(offers.c.id == offer_id)
            connection.execute(ended.values(status=status, match=match_number))


def lock(connection: Connection, numbers: Iterable[int], userids: Iterable[str]) -> None:
    """Locks the open offers of these numbers, and all made by these players, until the transaction ends.

    In ascending order, to avoid deadlocks.
    """
    wanted, lowered = set(numbers), {userid.lower() for userid in userids}
    # On SQLite a writing transaction has locked the whole file already.
    if (wanted or lowered) and connection.dialect.name != "sqlite":
        theirs = select(players.c.id).where(players.c.userid_lower.in_(lowered))
        concerned = or_(offers.c.number.in_(wanted), offers.c.player_id.in_(theirs))
        query = select(offers.c.id).where(_OPEN, concerned).order_by(offers.c.id)
        connection.execute(query.with_for_update())


def made_before(connection: Connection, before: datetime, most: int) -> Sequence[OpenOffer]:
    """Open offers made before then that nobody else has locked; locked until the transaction ends."""
    query = select(offers.c.id).where(_OPEN, offers.c.made_at <= before).order_by(offers.c.id).limit(most)
    held = list(connection.execute(query.with_for_update(skip_locked=True)).scalars())
    return _values(connection, _rows().where(offers.c.id.in_(held)).order_by(offers.c.id))


def players_of(connection: Connection, numbers: Iterable[int]) -> Sequence[str]:
    """The userids of all who made or joined the open offers of these numbers."""
    wanted = set(numbers)
    if not wanted:
        return ()
    has_joined = exists().where(offer_players.c.offer_id == offers.c.id, offer_players.c.player_id == players.c.id)
    has_part = and_(_OPEN, offers.c.number.in_(wanted), or_(offers.c.player_id == players.c.id, has_joined))
    return connection.execute(select(players.c.userid).where(exists().where(has_part))).scalars().all()


def _rows() -> Select[Any]:
    return select(offers, players.c.userid.label("seeker")).join(players, players.c.id == offers.c.player_id)


def _values(connection: Connection, query: Select[Any]) -> list[OpenOffer]:
    rows = connection.execute(query).all()
    joined = _joined(connection, [row.id for row in rows])
    return [_offer(row, joined[row.id]) for row in rows]


def _joined(connection: Connection, ids: Sequence[int]) -> dict[int, tuple[str, ...]]:
    query = (
        select(offer_players.c.offer_id, players.c.userid)
        .join(players, players.c.id == offer_players.c.player_id)
        .where(offer_players.c.offer_id.in_(ids))
        .order_by(offer_players.c.offer_id, offer_players.c.at, offer_players.c.player_id)
    )
    found: dict[int, tuple[str, ...]] = dict.fromkeys(ids, ())
    for row in connection.execute(query) if ids else ():
        found[row.offer_id] += (row.userid,)
    return found


def _offer(row: Row[Any], joined: tuple[str, ...]) -> OpenOffer:
    return OpenOffer(
        id=row.id,
        number=row.number,
        seeker=row.seeker,
        game=row.game,
        options=tuple(sorted(row.options.items())),
        rated=row.rated,
        clock=clocks.from_json(row.clock),
        seats=row.seats,
        moves_last=row.moves_last,
        made=row.made_at,
        joined=joined,
        status=row.status,
        match=row.match,
    )
