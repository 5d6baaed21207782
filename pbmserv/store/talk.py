"""How much players have said to others, never what: talk has limits."""

from datetime import datetime

from sqlalchemy import Connection, delete, func, insert, select

from pbmserv.commands.changes import Said
from pbmserv.store.tables import said


def said_since(connection: Connection, player_id: int, kind: str, since: datetime) -> int:
    """How often a player has spoken so since then."""
    query = select(func.count()).where(said.c.player_id == player_id, said.c.kind == kind, said.c.at > since)
    return connection.execute(query).scalar_one()


def keep(connection: Connection, change: Said, now: datetime) -> None:
    """Counts once more."""
    connection.execute(insert(said).values(player_id=change.player_id, kind=change.kind, at=now))


def tidy(connection: Connection, before: datetime) -> None:
    """Forgets what was said before then."""
    connection.execute(delete(said).where(said.c.at < before))
