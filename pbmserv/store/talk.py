"""How much players have said to others, never what: talk has limits. And who listens to what is said to all."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, exists, func, insert, select

from pbmserv.commands.changes import Said
from pbmserv.store.tables import addresses, players, said


def said_since(connection: Connection, player_id: int, kind: str, since: datetime) -> int:
    """How often a player has spoken so since then."""
    query = select(func.count()).where(said.c.player_id == player_id, said.c.kind == kind, said.c.at > since)
    return connection.execute(query).scalar_one()


def from_strangers_since(connection: Connection, player_id: int, since: datetime) -> int:
    """How many messages a player was sent since then by those with whom they had never played."""
    query = select(func.count()).where(said.c.stranger_id == player_id, said.c.at > since)
    return connection.execute(query).scalar_one()


def listeners(connection: Connection) -> Sequence[str]:
    """The userids of those who want what is written to all, in alphabetical order."""
    has_address = exists().where(addresses.c.player_id == players.c.id, addresses.c.confirmed_at.is_not(None))
    query = select(players.c.userid).where(players.c.broadcast, players.c.banned_at.is_(None), has_address)
    return connection.execute(query.order_by(players.c.userid_lower)).scalars().all()


def keep(connection: Connection, change: Said, now: datetime) -> None:
    """Counts once more."""
    who = {"player_id": change.player_id, "stranger_id": change.stranger_id}
    connection.execute(insert(said).values(**who, kind=change.kind, at=now))


def tidy(connection: Connection, before: datetime) -> None:
    """Forgets what was said before then."""
    connection.execute(delete(said).where(said.c.at < before))
