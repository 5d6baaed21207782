"""Mails of ours that came back, and the addresses that board mail is held back from since.

A row of the outbox that is held back is "withheld"; it waits again once its address is written to again. Locks are
taken in one order: the mail, then the address; rows that a sender has in hand are left to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from pbmserv.store import standstills
from pbmserv.store.answered_mails import is_threaded
from pbmserv.store.outbox import AT_ONCE, UNASKED
from pbmserv.store.tables import addresses, bounces, outbox, players
from pbmserv.store.tokens import digest

WITHHELD: Final = "withheld"


@dataclass(frozen=True, slots=True)
class Returned:
    """A mail that came back: its number in the outbox, and where it went."""

    id: int
    recipient: str


@dataclass(frozen=True, slots=True)
class Suspended:
    """An address that board mail is held back from, why, and how much is held back; newest reason first."""

    address: str
    userid: str
    since: datetime
    reasons: tuple[str, ...]
    withheld: int


def find(connection: Connection, thread_word: str) -> Returned | None:
    """The mail whose Message-ID and envelope sender bear that word, locked until the transaction ends; None when
    there is none, or it was tidied."""
    is_it = is_threaded(bindparam("digests", [digest(thread_word)], expanding=True))
    query = select(outbox.c.id, outbox.c.recipient).where(is_it, outbox.c.recipient != "")
    row = connection.execute(query.with_for_update()).one_or_none()
    return None if row is None else Returned(row.id, row.recipient)


def note(connection: Connection, mail: Returned, is_hard: bool, reason: str, now: datetime) -> bool:
    """Notes that a mail came back. A mail does so once; what is hard takes the place of what was soft.

    Whether this was news.
    """
    values = {"address": mail.recipient, "at": now, "is_hard": is_hard, "reason": reason}
    row = connection.execute(select(bounces.c.is_hard).where(bounces.c.outbox_id == mail.id)).one_or_none()
    if row is None:
        connection.execute(insert(bounces).values(outbox_id=mail.id, **values))
        return True
    if is_hard and not row.is_hard:
        connection.execute(update(bounces).where(bounces.c.outbox_id == mail.id).values(values))
        return True
    return False


def lock_unsuspended(connection: Connection, address: str) -> int | None:
    """The player whose mail goes there, locked; None when nobody's does, or it is suspended already."""
    query = select(addresses.c.player_id).where(
        addresses.c.address == address, addresses.c.is_first, addresses.c.suspended_at.is_(None)
    )
    return connection.execute(query.with_for_update()).scalar_one_or_none()


def first_hard(connection: Connection, address: str, since: datetime) -> datetime | None:
    """When the first mail to an address came back for good after then."""
    query = select(func.min(bounces.c.at)).where(
        bounces.c.address == address, bounces.c.is_hard, bounces.c.at > since
    )
    first: datetime | None = connection.execute(query).scalar_one()
    return first


def suspended_since(connection: Connection, player_id: int) -> datetime | None:
    """Since when board mail to a player is held back; None when it is not."""
    query = select(addresses.c.suspended_at).where(addresses.c.player_id == player_id, addresses.c.is_first)
    return connection.execute(query).scalar_one_or_none()


def hard_since(connection: Connection, address: str, since: datetime) -> int:
    """How many mails to an address came back for good after then."""
    query = select(func.count()).where(bounces.c.address == address, bounces.c.is_hard, bounces.c.at > since)
    return connection.execute(query).scalar_one()


def suspend(connection: Connection, address: str, now: datetime) -> None:
    """Holds back board mail to an address, that too which waits already and nobody has in hand."""
    connection.execute(update(addresses).where(addresses.c.address == address).values(suspended_at=now))
    waiting = select(outbox.c.id).where(
        outbox.c.recipient == address, outbox.c.status == "waiting", outbox.c.kind.in_(UNASKED)
    )
    idle = connection.execute(waiting.with_for_update(skip_locked=True)).scalars().all()
    if idle:
        connection.execute(update(outbox).where(outbox.c.id.in_(idle)).values(status=WITHHELD))


def lift(connection: Connection, address: str, now: datetime) -> bool:
    """Lets mail go to an address again; False when it is not suspended. What came back so far no more counts.

    All that was withheld waits again, and of what came back the newest mail about each board, which none repeats.
    """
    lifted = update(addresses).where(addresses.c.address == address, addresses.c.suspended_at.is_not(None))
    if connection.execute(lifted.values(suspended_at=None)).rowcount == 0:
        return False
    to_address = outbox.c.recipient == address
    newest = select(func.max(outbox.c.id)).where(to_address, outbox.c.match.is_not(None)).group_by(outbox.c.match)
    came_back = and_(
        outbox.c.status.in_(("sent", "failed")),
        outbox.c.id.in_(select(bounces.c.outbox_id).where(bounces.c.address == address)),
        outbox.c.id.in_(newest),
    )
    again = update(outbox).where(to_address, or_(outbox.c.status == WITHHELD, came_back))
    connection.execute(again.values(status="waiting", tries=0, not_before=AT_ONCE, error=None, sent_at=None))
    connection.execute(delete(bounces).where(bounces.c.address == address))
    owner = select(addresses.c.player_id).where(addresses.c.address == address)
    standstills.end(connection, connection.execute(owner).scalar_one(), now)
    return True


def is_owed() -> ColumnElement[bool]:
    """Of a row of the outbox: whether it may have to be sent once its address is written to again."""
    of_suspended = select(bounces.c.outbox_id).where(bounces.c.address.in_(_suspended()))
    return or_(outbox.c.status == WITHHELD, outbox.c.id.in_(of_suspended))


def is_settled() -> ColumnElement[bool]:
    """Of a row of the bounces: whether it belongs to no suspended address."""
    return bounces.c.address.not_in(_suspended())


def listing(connection: Connection) -> Sequence[Suspended]:
    """Every address that is suspended, the latest first."""
    query = (
        select(addresses.c.address, players.c.userid, addresses.c.suspended_at)
        .join(players, players.c.id == addresses.c.player_id)
        .where(addresses.c.suspended_at.is_not(None))
        .order_by(addresses.c.suspended_at.desc(), addresses.c.address)
    )
    return [
        Suspended(
            row.address,
            row.userid,
            row.suspended_at,
            _reasons(connection, row.address),
            _withheld(connection, row.address),
        )
        for row in connection.execute(query).all()
    ]


def _suspended() -> Select[tuple[str]]:
    return select(addresses.c.address).where(addresses.c.suspended_at.is_not(None))


def _reasons(connection: Connection, address: str) -> tuple[str, ...]:
    query = select(bounces.c.reason).where(bounces.c.address == address, bounces.c.is_hard)
    newest_first = query.order_by(bounces.c.at.desc(), bounces.c.outbox_id.desc()).limit(10)
    return tuple(dict.fromkeys(connection.execute(newest_first).scalars()))


def _withheld(connection: Connection, address: str) -> int:
    query = select(func.count()).where(outbox.c.recipient == address, outbox.c.status == WITHHELD)
    return connection.execute(query).scalar_one()
