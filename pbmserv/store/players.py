"""Players and their addresses: rows in, values out. How they change is in `accounts`."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, and_, bindparam, exists, func, or_, select

from pbmserv.matches.player import Player
from pbmserv.store.tables import addresses, blocks, outbox, players
from pbmserv.store.tokens import digest

_MOST_COMPARED = 2000


def find(connection: Connection, userid: str) -> Player | None:
    """The player of a userid, whatever its case."""
    return _one(connection, _FIND, {"userid": userid.lower()})


def find_at(connection: Connection, address: str) -> Player | None:
    """The player whom an address belongs to; one that nobody has answered from yet belongs to nobody."""
    return _one(connection, _FIND_AT, {"address": address.lower()})


def owner_of(connection: Connection, address: str) -> Player | None:
    """The player who has that address, answered from or not."""
    return _one(connection, _OWNER_OF, {"address": address.lower()})


def addressed_by(connection: Connection, tokens: Sequence[str]) -> Player | None:
    """The player whom the first of these tokens' mails was sent to; None when none was sent to a player."""
    digests = [digest(token) for token in tokens]
    rows = connection.execute(_ADDRESSED_BY, {"digests": digests}).all() if digests else []
    found = min(rows, key=lambda row: digests.index(row.token_digest), default=None)
    return None if found is None else _player(found)


def known_among(connection: Connection, userids: Iterable[str]) -> frozenset[str]:
    """Those of these userids, in lower case, that somebody has."""
    wanted = [*userids]
    query = select(players.c.userid_lower).where(players.c.userid_lower.in_(wanted))
    return frozenset(connection.execute(query).scalars()) if wanted else frozenset()


def named_like(connection: Connection, skeleton: str) -> list[Player]:
    """The players whose userids have that skeleton, by userid."""
    query = _players().where(players.c.skeleton == skeleton).order_by(players.c.userid_lower)
    return [_player(row) for row in connection.execute(query)]


def everybody(connection: Connection) -> list[Player]:
    """All players, by userid."""
    rows = connection.execute(_players().order_by(players.c.userid_lower))
    return [_player(row) for row in rows]


def take_digest_due(connection: Connection, now: datetime) -> Player | None:
    """The player whose digest is due longest, held until the transaction ends; nobody who is held by others."""
    due = connection.execute(_DIGEST_DUE, {"now": now}).scalar_one_or_none()
    return None if due is None else find(connection, due)


def lock(connection: Connection, userids: Iterable[str], alone: bool) -> None:
    """Holds players as they are until the transaction ends; with `alone` nobody else holds them meanwhile.

    Ascending, so that two never wait for each other.
    """
    wanted = {userid.lower() for userid in userids}
    # A writing transaction of SQLite holds the whole file already.
    if wanted and connection.dialect.name != "sqlite":
        query = select(players.c.id).where(players.c.userid_lower.in_(wanted)).order_by(players.c.id)
        connection.execute(query.with_for_update(read=not alone))


def similar(connection: Connection, userid: str) -> list[str]:
    """At most three userids that `userid` may be a slip for, best first."""
    has_address = exists().where(addresses.c.player_id == players.c.id)
    query = select(players.c.userid_lower, players.c.userid).where(has_address)
    rows = connection.execute(query.order_by(players.c.id.desc()).limit(_MOST_COMPARED))
    known = {row.userid_lower: row.userid for row in rows}
    return [known[found] for found in get_close_matches(userid.lower(), known, n=3, cutoff=0.6)]


def password_hash(connection: Connection, userid: str) -> str | None:
    """The stored hash; None when nobody has the userid."""
    return connection.execute(_PASSWORD_HASH, {"userid": userid.lower()}).scalar_one_or_none()


def signed_up(connection: Connection, player_id: int) -> datetime:
    """When an account was opened."""
    opened: datetime = connection.execute(
        select(players.c.created_at).where(players.c.id == player_id)
    ).scalar_one()
    return opened


def addresses_of(connection: Connection, player_id: int) -> Sequence[str]:
    """Every address of a player, the first one first."""
    query = select(addresses.c.address).where(addresses.c.player_id == player_id)
    return connection.execute(query.order_by(addresses.c.is_first.desc(), addresses.c.address)).scalars().all()


def is_blocked(connection: Connection, userid: str, by: str) -> bool:
    """Whether the player `by` wants nothing from the player `userid`."""
    return connection.execute(_IS_BLOCKED, {"userid": userid.lower(), "by": by.lower()}).scalar_one()


def blocked_by(connection: Connection, userid: str) -> Sequence[str]:
    """The userids of those that a player wants nothing from."""
    query = select(players.c.userid).join(blocks, blocks.c.blocked_id == players.c.id)
    blocking = query.where(blocks.c.player_id == _id_of("by")).order_by(players.c.userid_lower)
    return connection.execute(blocking, {"by": userid.lower()}).scalars().all()


def _players() -> Select[Any]:
    return (
        select(
            players.c.id,
            players.c.userid,
            func.coalesce(addresses.c.address, "").label("address"),
            addresses.c.suspended_at.is_not(None).label("is_suspended"),
            or_(addresses.c.confirmed_at.is_not(None), players.c.robot.is_not(None)).label("is_confirmed"),
            players.c.html,
            players.c.words,
            players.c.takes_challenges,
            players.c.broadcast,
            players.c.messages,
            players.c.robot,
            players.c.digest,
            players.c.banned_at.is_not(None).label("is_banned"),
        )
        .outerjoin(addresses, and_(addresses.c.player_id == players.c.id, addresses.c.is_first))
        .where(or_(addresses.c.address.is_not(None), players.c.robot.is_not(None)))
    )


def _one(connection: Connection, query: Select[Any], values: dict[str, str]) -> Player | None:
    row = connection.execute(query, values).one_or_none()
    return None if row is None else _player(row)


def _player(row: Row[Any]) -> Player:
    return Player(
        id=row.id,
        userid=row.userid,
        address=row.address,
        is_suspended=row.is_suspended,
        is_confirmed=row.is_confirmed,
        html=row.html,
        words=row.words,
        takes_challenges=row.takes_challenges,
        broadcast=row.broadcast,
        messages=row.messages,
        robot=row.robot,
        digest=row.digest,
        is_banned=row.is_banned,
    )


def _id_of(name: str) -> Any:
    return select(players.c.id).where(players.c.userid_lower == bindparam(name)).scalar_subquery()


_FIND: Final = _players().where(players.c.userid_lower == bindparam("userid"))
_HAS_ADDRESS: Final = select(addresses.c.player_id).where(addresses.c.address == bindparam("address"))
_OWNER_OF: Final = _players().where(players.c.id == _HAS_ADDRESS.scalar_subquery())
_FIND_AT: Final = _players().where(
    players.c.id == _HAS_ADDRESS.where(addresses.c.confirmed_at.is_not(None)).scalar_subquery()
)
_ADDRESSED_BY: Final = (
    _players()
    .add_columns(outbox.c.token_digest)
    .join(outbox, outbox.c.player_id == players.c.id)
    .where(outbox.c.token_digest.in_(bindparam("digests", expanding=True)))
)
_PASSWORD_HASH: Final = select(players.c.password_hash).where(players.c.userid_lower == bindparam("userid"))
_DIGEST_DUE: Final = (
    select(players.c.userid_lower)
    .where(players.c.digest_at <= bindparam("now"))
    .order_by(players.c.digest_at)
    .limit(1)
    .with_for_update(skip_locked=True, key_share=True)
)
_IS_BLOCKED: Final = select(
    exists().where(blocks.c.player_id == _id_of("by"), blocks.c.blocked_id == _id_of("userid"))
)
