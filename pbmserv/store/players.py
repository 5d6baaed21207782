"""Reads players and their addresses, and locks them. `accounts` writes them."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    exists,
    func,
    or_,
    select,
)

from pbmserv.matches.player import MailSettings, Player
from pbmserv.matches.queries import Queries
from pbmserv.store import mail_tokens
from pbmserv.store.mail_tokens import digest
from pbmserv.store.tables import addresses, blocks, outbox, players

_MOST_COMPARED: Final = 100
_PREFIX: Final = 3
"""First letters that a similar username must share, unless its player is among the newest."""

NO_HASH: Final = "-"
"""The hash of an account for which no password works."""


class PlayerQueries(Queries):
    """Queries for players, within one transaction."""

    _connection: Connection

    def named_like(self, skeleton: str) -> Sequence[Player]:
        query = _players().where(players.c.skeleton == skeleton).order_by(players.c.userid_lower)
        return [player_of(row) for row in self._connection.execute(query)]

    def robot(self, name: str) -> Player | None:
        return _one(self._connection, _FIND_ROBOT, {"robot": name})

    def owner_of(self, address: str) -> Player | None:
        return owner_of(self._connection, address)

    def known_among(self, userids: Iterable[str]) -> frozenset[str]:
        """Those of these userids (lower case) that are taken."""
        return known_among(self._connection, userids)

    def signed_up(self, player: Player) -> datetime:
        query = select(players.c.created_at).where(players.c.id == player.id)
        return self._connection.execute(query).scalar_one()  # type: ignore[no-any-return]

    def has_password(self, player: Player) -> bool:
        return password_hash(self._connection, player.userid) != NO_HASH

    def addresses(self, player: Player) -> Sequence[str]:
        query = select(addresses.c.address).where(addresses.c.player_id == player.id)
        in_order = query.order_by(addresses.c.is_first.desc(), addresses.c.address)
        return self._connection.execute(in_order).scalars().all()

    def is_blocked(self, userid: str, by: str) -> bool:
        pair = {"userid": userid.lower(), "by": by.lower()}
        return self._connection.execute(_IS_BLOCKED, pair).scalar_one()

    def blocked_by(self, userid: str) -> Sequence[str]:
        query = select(players.c.userid).join(blocks, blocks.c.blocked_id == players.c.id)
        blocking = query.where(blocks.c.player_id == _id_of("by")).order_by(players.c.userid_lower)
        return self._connection.execute(blocking, {"by": userid.lower()}).scalars().all()

    def listeners(self) -> Sequence[str]:
        has_address = exists().where(addresses.c.player_id == players.c.id, addresses.c.confirmed_at.is_not(None))
        query = select(players.c.userid).where(players.c.broadcast, players.c.banned_at.is_(None), has_address)
        return self._connection.execute(query.order_by(players.c.userid_lower)).scalars().all()

    def similar_userids(self, userid: str) -> Sequence[str]:
        # Sought among the newest players and among those whose names begin alike.
        has_address = exists().where(addresses.c.player_id == players.c.id)
        query = select(players.c.userid_lower, players.c.userid).where(has_address).limit(_MOST_COMPARED)
        lowered = userid.lower()
        begin = lowered[:_PREFIX]
        is_alike = players.c.userid_lower.between(begin, begin + "zzz")
        found = (query.order_by(players.c.id.desc()), query.where(is_alike).order_by(players.c.userid_lower))
        known = {row.userid_lower: row.userid for each in found for row in self._connection.execute(each)}
        return [known[found] for found in get_close_matches(lowered, known, n=3, cutoff=0.6)]


def find(connection: Connection, userid: str) -> Player | None:
    """The player with that userid, in any case."""
    return _one(connection, _FIND, {"userid": userid.lower()})


def find_at(connection: Connection, address: str) -> Player | None:
    """The player with that confirmed address."""
    return _one(connection, _FIND_AT, {"address": address.lower()})


def owner_of(connection: Connection, address: str) -> Player | None:
    """The player with that address, confirmed or not."""
    return _one(connection, _OWNER_OF, {"address": address.lower()})


def addressed_by(connection: Connection, tokens: Sequence[str]) -> Player | None:
    """The player who was sent the mail with the first known one of these tokens; None if there is none."""
    digests = [digest(token) for token in tokens]
    rows = connection.execute(_ADDRESSED_BY, {"digests": digests}).all() if digests else []
    found = min(rows, key=lambda row: digests.index(row.token_digest), default=None)
    if found is None and digests:
        owner = mail_tokens.owner_of_old(connection, digests)
        found = None if owner is None else connection.execute(_WITH_ID, {"player_id": owner}).one_or_none()
    return None if found is None else player_of(found)


def known_among(connection: Connection, userids: Iterable[str]) -> frozenset[str]:
    """Those of these userids (lower case) that are taken."""
    wanted = [*userids]
    return frozenset(connection.execute(_KNOWN, {"wanted": wanted}).scalars()) if wanted else frozenset()


def everybody(connection: Connection) -> list[Player]:
    """All players, by userid."""
    rows = connection.execute(_players().order_by(players.c.userid_lower))
    return [player_of(row) for row in rows]


def take_digest_due(connection: Connection, now: datetime) -> Player | None:
    """The unlocked player whose digest has been due longest, locked until the transaction ends."""
    due = connection.execute(_DIGEST_DUE, {"now": now}).scalar_one_or_none()
    return None if due is None else find(connection, due)


def lock(connection: Connection, userids: Iterable[str], alone: bool) -> None:
    """Locks players until the transaction ends; with `alone` exclusively. Ascending, to avoid deadlocks."""
    wanted = {userid.lower() for userid in userids}
    # On SQLite a writing transaction has locked the whole file already.
    if wanted and connection.dialect.name != "sqlite":
        query = select(players.c.id).where(players.c.userid_lower.in_(wanted)).order_by(players.c.id)
        connection.execute(query.with_for_update(read=not alone))


def password_hash(connection: Connection, userid: str) -> str | None:
    """The stored hash; None if there is no such player."""
    return connection.execute(_PASSWORD_HASH, {"userid": userid.lower()}).scalar_one_or_none()


PLAYER: Final[tuple[ColumnElement[Any], ...]] = (
    players.c.id,
    players.c.userid,
    func.coalesce(addresses.c.address, "").label("address"),
    addresses.c.suspended_at.is_not(None).label("is_suspended"),
    or_(addresses.c.confirmed_at.is_not(None), players.c.robot.is_not(None)).label("is_confirmed"),
    players.c.html,
    players.c.accessible_text,
    players.c.takes_challenges,
    players.c.broadcast,
    players.c.messages,
    players.c.receipts,
    players.c.board_mail,
    players.c.mail_off_at.is_not(None).label("is_mail_off"),
    players.c.moves_acknowledged,
    players.c.robot,
    players.c.digest,
    players.c.puzzle_at.is_not(None).label("wants_puzzles"),
    players.c.banned_at.is_not(None).label("is_banned"),
)
"""The columns that `player_of` needs, of `players` and, joined by FIRST_ADDRESS, `addresses`."""

FIRST_ADDRESS: Final = and_(addresses.c.player_id == players.c.id, addresses.c.is_first)


def _players() -> Select[Any]:
    found = select(*PLAYER).outerjoin(addresses, FIRST_ADDRESS)
    return found.where(or_(addresses.c.address.is_not(None), players.c.robot.is_not(None)))


def _one(connection: Connection, query: Select[Any], values: dict[str, str]) -> Player | None:
    row = connection.execute(query, values).one_or_none()
    return None if row is None else player_of(row)


def player_of(row: Row[Any]) -> Player:
    """The player of a row with the columns PLAYER."""
    return Player(
        id=row.id,
        userid=row.userid,
        address=row.address,
        is_suspended=row.is_suspended,
        is_confirmed=row.is_confirmed,
        takes_challenges=row.takes_challenges,
        robot=row.robot,
        is_banned=row.is_banned,
        mail=MailSettings(
            html=row.html,
            words=row.accessible_text,
            broadcast=row.broadcast,
            messages=row.messages,
            receipts=row.receipts,
            boards=row.board_mail,
            digest=row.digest,
            puzzle=row.wants_puzzles,
            is_off=row.is_mail_off,
            acknowledged=row.moves_acknowledged,
        ),
    )


def _id_of(name: str) -> Any:
    return select(players.c.id).where(players.c.userid_lower == bindparam(name)).scalar_subquery()


_FIND: Final = _players().where(players.c.userid_lower == bindparam("userid"))
_KNOWN: Final = select(players.c.userid_lower).where(
    players.c.userid_lower.in_(bindparam("wanted", expanding=True))
)
_FIND_ROBOT: Final = _players().where(players.c.robot == bindparam("robot"))
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
_WITH_ID: Final = _players().where(players.c.id == bindparam("player_id"))
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
