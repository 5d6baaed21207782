"""Wrong passwords in mails: each is noted with the userid that it was for and the address that it came from."""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, delete, func, insert, select

from pbmserv.store.tables import false_claims

KEPT: Final = timedelta(days=1)


def note(connection: Connection, userid: str, sender: str | None, now: datetime) -> None:
    """Notes one, whether or not there is such a userid."""
    values = {"userid_lower": userid.lower(), "sender": sender or "", "at": now}
    connection.execute(insert(false_claims).values(values))


def count_for(connection: Connection, userid: str, since: datetime) -> int:
    """How many came for a userid, from anybody."""
    query = select(func.count()).where(false_claims.c.userid_lower == userid.lower(), false_claims.c.at > since)
    return connection.execute(query).scalar_one()


def count_from(connection: Connection, sender: str | None, since: datetime) -> int:
    """How many came from an address, for anybody; from None: where no address can be told."""
    query = select(func.count()).where(false_claims.c.sender == (sender or ""), false_claims.c.at > since)
    return connection.execute(query).scalar_one()


def count_pair(connection: Connection, userid: str, sender: str | None, since: datetime) -> int:
    """How many came from an address for one userid."""
    is_pair = (false_claims.c.sender == (sender or "")) & (false_claims.c.userid_lower == userid.lower())
    return connection.execute(select(func.count()).where(is_pair, false_claims.c.at > since)).scalar_one()


def count_all(connection: Connection, since: datetime) -> int:
    """How many came in all."""
    return connection.execute(select(func.count()).where(false_claims.c.at > since)).scalar_one()


def tidy(connection: Connection, now: datetime) -> None:
    """Deletes what counts no more."""
    connection.execute(delete(false_claims).where(false_claims.c.at < now - KEPT))
