"""Bounced mails, suspended addresses, and the standstills of clocks that follow.

Board mail to a suspended address is "withheld" in the outbox, and waits again once the suspension is lifted. Locks
are taken in one order, the mail and then the address; rows that a sender has leased are left alone.
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

from pbmserv.matches.clock import YEAR, Stop, standstill
from pbmserv.store import clocks
from pbmserv.store.mail_tokens import digest, is_threaded
from pbmserv.store.outbox import AT_ONCE, UNSOLICITED
from pbmserv.store.tables import addresses, bounces, outbox, players, standstills

WITHHELD: Final = "withheld"


@dataclass(frozen=True, slots=True)
class BouncedMail:
    """A mail that bounced: its id in the outbox, and its recipient."""

    id: int
    recipient: str


@dataclass(frozen=True, slots=True)
class Suspended:
    """A suspended address."""

    address: str
    userid: str
    since: datetime
    reasons: tuple[str, ...]
    """What the mail servers said, newest first."""
    withheld: int
    """Mails that wait for it."""


def find(connection: Connection, thread_word: str) -> BouncedMail | None:
    """The mail with that word in its Message-ID and envelope sender, locked until the transaction ends.

    None if there is none, or it was redacted.
    """
    is_it = is_threaded(bindparam("digests", [digest(thread_word)], expanding=True))
    query = select(outbox.c.id, outbox.c.recipient).where(is_it, outbox.c.recipient != "")
    row = connection.execute(query.with_for_update()).one_or_none()
    return None if row is None else BouncedMail(row.id, row.recipient)


def mark_bounced(connection: Connection, mail: BouncedMail) -> None:
    """Records that a mail which was sent has come back."""
    is_it = (outbox.c.id == mail.id) & (outbox.c.status == "sent")
    connection.execute(update(outbox).where(is_it).values(status="bounced"))


def record(
    connection: Connection,
    mail: BouncedMail,
    is_hard: bool,
    reason: str,
    now: datetime,
    inbox_id: int | None = None,
) -> bool:
    """Records a bounce; False if it is known. A mail counts once, and a hard bounce replaces a soft one.

    `inbox_id` is the mail that reported it.
    """
    values = {"address": mail.recipient, "at": now, "is_hard": is_hard, "reason": reason, "inbox_id": inbox_id}
    row = connection.execute(select(bounces.c.is_hard).where(bounces.c.outbox_id == mail.id)).one_or_none()
    if row is None:
        connection.execute(insert(bounces).values(outbox_id=mail.id, **values))
        return True
    if is_hard and not row.is_hard:
        connection.execute(update(bounces).where(bounces.c.outbox_id == mail.id).values(values))
        return True
    return False


def lock_unsuspended(connection: Connection, address: str) -> int | None:
    """The player who gets mail there, with the address locked; None if nobody does, or it is suspended already."""
    query = select(addresses.c.player_id).where(
        addresses.c.address == address, addresses.c.is_first, addresses.c.suspended_at.is_(None)
    )
    return connection.execute(query.with_for_update()).scalar_one_or_none()


def first_hard(connection: Connection, address: str, since: datetime) -> datetime | None:
    """When the first hard bounce from an address came after then."""
    query = select(func.min(bounces.c.at)).where(
        bounces.c.address == address, bounces.c.is_hard, bounces.c.at > since
    )
    first: datetime | None = connection.execute(query).scalar_one()
    return first


def suspended_since(connection: Connection, player_id: int) -> datetime | None:
    """Since when a player's address is suspended; None if it is not."""
    query = select(addresses.c.suspended_at).where(addresses.c.player_id == player_id, addresses.c.is_first)
    return connection.execute(query).scalar_one_or_none()


def hard_since(connection: Connection, address: str, since: datetime) -> int:
    """How many hard bounces from an address came after then."""
    query = select(func.count()).where(bounces.c.address == address, bounces.c.is_hard, bounces.c.at > since)
    return connection.execute(query).scalar_one()


def suspend(connection: Connection, address: str, now: datetime) -> None:
    """Suspends an address: board mail is withheld, also what waits already, unless a sender has leased it."""
    connection.execute(update(addresses).where(addresses.c.address == address).values(suspended_at=now))
    waiting = select(outbox.c.id).where(
        outbox.c.recipient == address, outbox.c.status == "waiting", outbox.c.kind.in_(UNSOLICITED)
    )
    idle = connection.execute(waiting.with_for_update(skip_locked=True)).scalars().all()
    if idle:
        connection.execute(update(outbox).where(outbox.c.id.in_(idle)).values(status=WITHHELD))


def lift(connection: Connection, address: str, now: datetime) -> bool:
    """Lifts a suspension and clears the bounces; False if the address is not suspended.

    All withheld mails wait again. So does, of the bounced ones, the newest about each board.
    """
    lifted = update(addresses).where(addresses.c.address == address, addresses.c.suspended_at.is_not(None))
    if connection.execute(lifted.values(suspended_at=None)).rowcount == 0:
        return False
    to_address = outbox.c.recipient == address
    newest = select(func.max(outbox.c.id)).where(to_address, outbox.c.match.is_not(None)).group_by(outbox.c.match)
    came_back = and_(
        outbox.c.status.in_(("sent", "bounced", "failed")),
        outbox.c.id.in_(select(bounces.c.outbox_id).where(bounces.c.address == address)),
        outbox.c.id.in_(newest),
    )
    again = update(outbox).where(to_address, or_(outbox.c.status == WITHHELD, came_back))
    connection.execute(again.values(status="waiting", tries=0, not_before=AT_ONCE, error=None, sent_at=None))
    connection.execute(delete(bounces).where(bounces.c.address == address))
    owner = select(addresses.c.player_id).where(addresses.c.address == address)
    end_standstill(connection, connection.execute(owner).scalar_one(), now)
    return True


def may_be_sent_again() -> ColumnElement[bool]:
    """SQL: whether a row of the outbox may have to be sent once a suspension is lifted."""
    of_suspended = select(bounces.c.outbox_id).where(bounces.c.address.in_(_suspended()))
    return or_(outbox.c.status == WITHHELD, outbox.c.id.in_(of_suspended))


def is_settled() -> ColumnElement[bool]:
    """SQL: whether a bounce belongs to no suspended address."""
    return bounces.c.address.not_in(_suspended())


def listing(connection: Connection) -> Sequence[Suspended]:
    """All suspended addresses, the latest first."""
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


@dataclass(frozen=True, slots=True)
class StandstillOver:
    """A standstill that has ended although the player's mail still bounces."""

    id: int
    player_id: int
    address: str


def begin_standstill(connection: Connection, player_id: int, since: datetime) -> Stop | None:
    """Stops a player's clocks because their mail bounces; gives for how long, None if they may not stop."""
    stop = standstill(since, standstills_in_force(connection, player_id, since - YEAR))
    if stop is not None:
        row = {"player_id": player_id, "began_at": stop.since, "until_at": stop.until}
        connection.execute(insert(standstills).values(row))
    clocks.clear_deadlines(connection, player_id)
    return stop


def end_standstill(connection: Connection, player_id: int, now: datetime) -> None:
    """Mail to a player may arrive again: their clocks resume."""
    theirs = (standstills.c.player_id == player_id) & (standstills.c.until_at > now)
    connection.execute(update(standstills).where(theirs).values(until_at=now))
    clocks.clear_deadlines(connection, player_id)


def standstills_in_force(connection: Connection, player_id: int, since: datetime) -> Sequence[Stop]:
    """The standstills of a player that end after then, in order."""
    query = select(standstills).where(standstills.c.player_id == player_id, standstills.c.until_at > since)
    return [Stop(row.began_at, row.until_at) for row in connection.execute(query.order_by(standstills.c.began_at))]


def next_standstill_over(connection: Connection, now: datetime) -> StandstillOver | None:
    """One that has ended and of which the opponents were not notified, locked until the transaction ends."""
    query = (
        select(standstills.c.id, standstills.c.player_id, addresses.c.address)
        .join(addresses, addresses.c.player_id == standstills.c.player_id)
        .where(
            standstills.c.notified_at.is_(None),
            standstills.c.until_at <= now,
            addresses.c.is_first,
            addresses.c.suspended_at.is_not(None),
            # An earlier one ended because mail arrived again.
            standstills.c.until_at > addresses.c.suspended_at,
        )
        .order_by(standstills.c.id)
        .limit(1)
        .with_for_update(skip_locked=True, of=standstills)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else StandstillOver(row.id, row.player_id, row.address)


def mark_standstill_notified(connection: Connection, standstill_id: int, now: datetime) -> None:
    """Records that the opponents were notified."""
    connection.execute(update(standstills).where(standstills.c.id == standstill_id).values(notified_at=now))
