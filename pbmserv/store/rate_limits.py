"""What rate limits count: failed logins, by userid and by sender, sign-ups on the page, messages of players,
and the games that they start."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, ScalarSelect, and_, delete, exists, func, insert, select

from pbmserv.commands.changes import TalkCounted
from pbmserv.store.mail_tokens import digest
from pbmserv.store.tables import (
    addresses,
    entries,
    failed_logins,
    matches,
    players,
    seats,
    talk_counts,
    web_sign_ups,
)

FAILED_LOGIN_RETENTION: Final = timedelta(days=1)


def record_failed_login(connection: Connection, userid: str, sender: str | None, now: datetime) -> None:
    """Records a failed login, whether or not the userid exists."""
    values = {"userid_lower": userid.lower(), "sender": sender or "", "at": now}
    connection.execute(insert(failed_logins).values(values))


def failed_logins_for(connection: Connection, userid: str, since: datetime) -> int:
    """Failed logins for a userid, from anybody."""
    query = select(func.count()).where(failed_logins.c.userid_lower == userid.lower(), failed_logins.c.at > since)
    return connection.execute(query).scalar_one()


def failed_logins_from(connection: Connection, sender: str | None, since: datetime) -> int:
    """Failed logins from an address, for any userid; None stands for all mails without a usable sender."""
    query = select(func.count()).where(failed_logins.c.sender == (sender or ""), failed_logins.c.at > since)
    return connection.execute(query).scalar_one()


def failed_logins_of_pair(connection: Connection, userid: str, sender: str | None, since: datetime) -> int:
    """Failed logins from an address for one userid."""
    is_pair = (failed_logins.c.sender == (sender or "")) & (failed_logins.c.userid_lower == userid.lower())
    return connection.execute(select(func.count()).where(is_pair, failed_logins.c.at > since)).scalar_one()


def failed_logins_in_all(connection: Connection, since: datetime) -> int:
    """All failed logins."""
    return connection.execute(select(func.count()).where(failed_logins.c.at > since)).scalar_one()


def purge_failed_logins(connection: Connection, now: datetime) -> None:
    """Deletes those that no limit counts any more."""
    connection.execute(delete(failed_logins).where(failed_logins.c.at < now - FAILED_LOGIN_RETENTION))


def said_since(connection: Connection, player_id: int, kind: str, since: datetime) -> int:
    """How many messages of this kind a player has sent."""
    query = select(func.count()).where(
        talk_counts.c.player_id == player_id, talk_counts.c.kind == kind, talk_counts.c.at > since
    )
    return connection.execute(query).scalar_one()


def from_strangers_since(connection: Connection, player_id: int, since: datetime) -> int:
    """How many messages a player got from people they have never played with."""
    query = select(func.count()).where(talk_counts.c.stranger_id == player_id, talk_counts.c.at > since)
    return connection.execute(query).scalar_one()


def listeners(connection: Connection) -> Sequence[str]:
    """The userids of all who take broadcasts, in alphabetical order."""
    has_address = exists().where(addresses.c.player_id == players.c.id, addresses.c.confirmed_at.is_not(None))
    query = select(players.c.userid).where(players.c.broadcast, players.c.banned_at.is_(None), has_address)
    return connection.execute(query.order_by(players.c.userid_lower)).scalars().all()


def count_talk(connection: Connection, change: TalkCounted, now: datetime) -> None:
    """Counts one message."""
    who = {"player_id": change.player_id, "stranger_id": change.stranger_id}
    connection.execute(insert(talk_counts).values(**who, kind=change.kind, at=now))


def record_web_sign_up(connection: Connection, address: str, host: str | None, now: datetime) -> None:
    """Records a sign-up on the page, for an address, from a host if that is known."""
    values = {"at": now, "address_digest": digest(address), "host": host}
    connection.execute(insert(web_sign_ups).values(values))


def web_sign_ups_since(
    connection: Connection, since: datetime, address: str | None = None, host: str | None = None
) -> int:
    """How many there were since then: in all, for an address, or from a host."""
    query = select(func.count()).where(web_sign_ups.c.at > since)
    if address is not None:
        query = query.where(web_sign_ups.c.address_digest == digest(address))
    if host is not None:
        query = query.where(web_sign_ups.c.host == host)
    return connection.execute(query).scalar_one()


def purge_web_sign_ups(connection: Connection, before: datetime) -> None:
    """Deletes those from before then."""
    connection.execute(delete(web_sign_ups).where(web_sign_ups.c.at < before))


def purge_talk(connection: Connection, before: datetime) -> None:
    """Deletes counts from before then."""
    connection.execute(delete(talk_counts).where(talk_counts.c.at < before))


def started_since(connection: Connection, userid: str, since: datetime) -> int:
    """How many matches a player started since then; practice is not counted."""
    return _started(connection, userid, matches.c.started_at > since)


def started_in_play(connection: Connection, userid: str) -> int:
    """How many active matches a player started; practice is not counted."""
    return _started(connection, userid, matches.c.status == "active")


def _started(connection: Connection, userid: str, which: ColumnElement[bool]) -> int:
    counted = select(func.count()).select_from(matches).where(which, matches.c.practice.is_(False))
    return connection.execute(counted.where(matches.c.started_by == _id_of(userid))).scalar_one()


def unbegun(connection: Connection, starter: str, opponent: str) -> int:
    """How many active matches of `starter` wait for a first move of `opponent`; practice is not counted."""
    seated = and_(seats.c.match == matches.c.number, seats.c.player_id == _id_of(opponent))
    moved = exists().where(
        entries.c.match == matches.c.number, entries.c.seat == seats.c.seat, entries.c.kind == "played"
    )
    query = select(func.count()).select_from(matches.join(seats, seated))
    waiting = query.where(
        matches.c.started_by == _id_of(starter),
        matches.c.status == "active",
        matches.c.practice.is_(False),
        ~moved,
    )
    return connection.execute(waiting).scalar_one()


def _id_of(userid: str) -> ScalarSelect[Any]:
    return select(players.c.id).where(players.c.userid_lower == userid.lower()).scalar_subquery()
