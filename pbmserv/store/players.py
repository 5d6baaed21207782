"""Players and their addresses: rows in, values out."""

from datetime import datetime
from difflib import get_close_matches

from sqlalchemy import Connection, Select, insert, select, update

from pbmserv.commands.decision import NewPassword, NewPlayer
from pbmserv.matches.player import Player
from pbmserv.store.tables import addresses, players

_MOST_COMPARED = 2000


def find(connection: Connection, userid: str) -> Player | None:
    """The player of a userid, whatever its case."""
    return _one(connection, _players().where(players.c.userid_lower == userid.lower()))


def find_at(connection: Connection, address: str) -> Player | None:
    """The player whom an address belongs to."""
    owner = select(addresses.c.player_id).where(addresses.c.address == address.lower()).scalar_subquery()
    return _one(connection, _players().where(players.c.id == owner))


def everybody(connection: Connection) -> list[Player]:
    """All players, by userid."""
    rows = connection.execute(_players().order_by(players.c.userid_lower))
    return [Player(row.id, row.userid, row.address) for row in rows]


def similar(connection: Connection, userid: str) -> list[str]:
    """At most three userids that `userid` may be a slip for, best first."""
    query = select(players.c.userid_lower, players.c.userid).order_by(players.c.id.desc()).limit(_MOST_COMPARED)
    known = {row.userid_lower: row.userid for row in connection.execute(query)}
    return [known[found] for found in get_close_matches(userid.lower(), known, n=3, cutoff=0.6)]


def password_hash(connection: Connection, userid: str) -> str | None:
    """The stored hash; None when nobody has the userid."""
    query = select(players.c.password_hash).where(players.c.userid_lower == userid.lower())
    return connection.execute(query).scalar_one_or_none()


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


def _players() -> Select[tuple[int, str, str]]:
    return (
        select(players.c.id, players.c.userid, addresses.c.address)
        .join(addresses, addresses.c.player_id == players.c.id)
        .where(addresses.c.is_first)
    )


def _one(connection: Connection, query: Select[tuple[int, str, str]]) -> Player | None:
    row = connection.execute(query).one_or_none()
    return None if row is None else Player(row.id, row.userid, row.address)
