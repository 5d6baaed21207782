"""Players and their addresses: rows in, values out."""

from datetime import datetime
from difflib import get_close_matches
from typing import Final

from sqlalchemy import Connection, Row, Select, bindparam, insert, select, update

from pbmserv.commands.decision import NewPassword, NewPlayer
from pbmserv.matches.player import Player
from pbmserv.store.tables import addresses, players

_MOST_COMPARED = 2000


def find(connection: Connection, userid: str) -> Player | None:
    """The player of a userid, whatever its case."""
    return _one(connection, _FIND, {"userid": userid.lower()})


def find_at(connection: Connection, address: str) -> Player | None:
    """The player whom an address belongs to."""
    return _one(connection, _FIND_AT, {"address": address.lower()})


def everybody(connection: Connection) -> list[Player]:
    """All players, by userid."""
    rows = connection.execute(_players().order_by(players.c.userid_lower))
    return [_player(row) for row in rows]


def similar(connection: Connection, userid: str) -> list[str]:
    """At most three userids that `userid` may be a slip for, best first."""
    query = select(players.c.userid_lower, players.c.userid).order_by(players.c.id.desc()).limit(_MOST_COMPARED)
    known = {row.userid_lower: row.userid for row in connection.execute(query)}
    return [known[found] for found in get_close_matches(userid.lower(), known, n=3, cutoff=0.6)]


def password_hash(connection: Connection, userid: str) -> str | None:
    """The stored hash; None when nobody has the userid."""
    return connection.execute(_PASSWORD_HASH, {"userid": userid.lower()}).scalar_one_or_none()


def keep(connection: Connection, account: NewPlayer | NewPassword, now: datetime) -> None:
    """Opens an account or changes a password, as a command decided."""
    match account:
        case NewPlayer():
            _open(connection, account, now)
        case NewPassword():
            changed = update(players).where(players.c.id == account.player_id)
            connection.execute(changed.values(password_hash=account.password_hash))


def _open(connection: Connection, account: NewPlayer, now: datetime) -> None:
    row = {
        "userid": account.userid,
        "userid_lower": account.userid.lower(),
        "password_hash": account.password_hash,
        "created_at": now,
    }
    player_id = connection.execute(insert(players).values(row).returning(players.c.id)).scalar_one()
    first = {"address": account.address.lower(), "player_id": player_id, "is_first": True, "confirmed_at": now}
    connection.execute(insert(addresses).values(first))


def _players() -> Select[tuple[int, str, str, bool]]:
    is_suspended = addresses.c.suspended_at.is_not(None).label("is_suspended")
    return (
        select(players.c.id, players.c.userid, addresses.c.address, is_suspended)
        .join(addresses, addresses.c.player_id == players.c.id)
        .where(addresses.c.is_first)
    )


def _one(
    connection: Connection, query: Select[tuple[int, str, str, bool]], values: dict[str, str]
) -> Player | None:
    row = connection.execute(query, values).one_or_none()
    return None if row is None else _player(row)


def _player(row: Row[tuple[int, str, str, bool]]) -> Player:
    return Player(row.id, row.userid, row.address, row.is_suspended)


_FIND: Final = _players().where(players.c.userid_lower == bindparam("userid"))
_FIND_AT: Final = _players().where(
    players.c.id
    == select(addresses.c.player_id).where(addresses.c.address == bindparam("address")).scalar_subquery()
)
_PASSWORD_HASH: Final = select(players.c.password_hash).where(players.c.userid_lower == bindparam("userid"))
