"""Bounced mails and suspended addresses.

Until the suspension of an address is lifted, letters to it stay unwritten (`letters`), and what waited in the
outbox is "withheld" there, unless a sender has it in hand. The mail is locked before the address: no deadlocks.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    func,
    insert,
    or_,
    select,
    true,
    update,
)

from pbmserv.commands.letter import AT_ONCE, UNSOLICITED, Letter
from pbmserv.store import letters, tables
from pbmserv.store.clocks import end_standstill
from pbmserv.store.mail_tokens import digest, is_threaded, shortened
from pbmserv.store.tables import addresses, bounces, outbox, players

WITHHELD: Final = "withheld"


@dataclass(frozen=True, slots=True)
class BouncedMail:
    """A mail that bounced: its id in the outbox, and its recipient."""

    id: int
    recipient: str
    has_arrived: bool = False
    """Its reader has shown that it, or a later one, arrived."""
    is_certain: bool = True
    """The word that identified it was known to mail systems only."""


@dataclass(frozen=True, slots=True)
class Bounce:
    """That a mail came back: for good or not, why, and the mail in the inbox that reported it, if one did."""

    is_hard: bool
    reason: str
    inbox_id: int | None = None


@dataclass(frozen=True, slots=True)
class Suspended:
    """A suspended address."""

    address: str
    userid: str
    since: datetime
    reasons: tuple[str, ...]
    """What the mail servers said, newest first."""
    withheld: int
    """Letters and mails that wait for it."""


def find(connection: Connection, word: str, is_addressed: bool) -> BouncedMail | None:
    """The mail with that word in its envelope sender (`is_addressed`), or else in its Message-ID, locked until the
    transaction ends; None if there is none, or it was redacted.

    Mails of 0.13.0 and earlier have the same word in both; it proves little, since answers quote it.
    """
    threaded = is_threaded(bindparam("digests", [digest(word)], expanding=True))
    if is_addressed:
        own = outbox.c.bounce_digest == shortened(digest(word))
        threaded = or_(own, outbox.c.bounce_digest.is_(None) & threaded)
    columns = ("id", "recipient", "created_at", "sent_at", "key_used_at", "bounce_digest")
    query = (
        select(*(outbox.c[name] for name in columns), addresses.c.arrived_at)
        .outerjoin(addresses, addresses.c.address == outbox.c.recipient)
        .where(threaded, outbox.c.recipient != "")
    )
    row = connection.execute(query.with_for_update(of=outbox)).one_or_none()
    if row is None:
        return None
    was_read = row.arrived_at is not None and (row.sent_at or row.created_at) < row.arrived_at
    is_certain = is_addressed and row.bounce_digest is not None
    return BouncedMail(row.id, row.recipient, was_read or row.key_used_at is not None, is_certain)


def mark_arrived(connection: Connection, address: str, at: datetime) -> None:
    """Records that mail sent to an address by that time has arrived."""
    connection.execute(_ARRIVED, {"to": address, "seen": at})


_ARRIVED: Final = (
    update(addresses)
    .where(
        addresses.c.address == bindparam("to"),
        or_(addresses.c.arrived_at.is_(None), addresses.c.arrived_at < bindparam("seen")),
    )
    .values(arrived_at=bindparam("seen"))
)


def mark_bounced(connection: Connection, mail: BouncedMail) -> None:
    """Records that a sent mail has bounced."""
    is_it = (outbox.c.id == mail.id) & (outbox.c.status == "sent")
    connection.execute(update(outbox).where(is_it).values(status="bounced"))


def record(connection: Connection, mail: BouncedMail, bounce: Bounce, now: datetime) -> bool:
    """Records a bounce; False if it was recorded already. A mail counts once; a hard bounce replaces a soft."""
    values = {"address": mail.recipient, "at": now, **asdict(bounce)}
    row = connection.execute(select(bounces.c.is_hard).where(bounces.c.outbox_id == mail.id)).one_or_none()
    if row is None:
        connection.execute(insert(bounces).values(outbox_id=mail.id, **values))
        return True
    if bounce.is_hard and not row.is_hard:
        connection.execute(update(bounces).where(bounces.c.outbox_id == mail.id).values(values))
        return True
    return False


def lock_unsuspended(connection: Connection, address: str) -> int | None:
    """The player at that address, which is locked; None if there is none, or it is suspended already."""
    query = select(addresses.c.player_id).where(
        addresses.c.address == address, addresses.c.is_first, addresses.c.suspended_at.is_(None)
    )
    return connection.execute(query.with_for_update()).scalar_one_or_none()


def suspended_since(connection: Connection, player_id: int) -> datetime | None:
    """Since when a player's address is suspended; None if it is not."""
    query = select(addresses.c.suspended_at).where(addresses.c.player_id == player_id, addresses.c.is_first)
    return connection.execute(query).scalar_one_or_none()


def hard_since(connection: Connection, address: str, since: datetime) -> Sequence[datetime]:
    """The times of hard bounces from an address after then, and after mail last arrived there; ascending."""
    last = select(addresses.c.arrived_at).where(addresses.c.address == address)
    arrived: datetime | None = connection.execute(last).scalar_one_or_none()
    query = select(bounces.c.at).where(
        bounces.c.address == address, bounces.c.is_hard, bounces.c.at > max(since, arrived or since)
    )
    return connection.execute(query.order_by(bounces.c.at)).scalars().all()


def suspend(connection: Connection, address: str, now: datetime) -> None:
    """Suspends an address: board mail is withheld, including waiting mail that no sender has leased."""
    stopped = update(addresses).where(addresses.c.address == address)
    connection.execute(stopped.values(suspended_at=now, last_mail_at=None))
    waiting = select(outbox.c.id).where(
        outbox.c.recipient == address, outbox.c.status == "waiting", outbox.c.kind.in_(UNSOLICITED)
    )
    idle = connection.execute(waiting.with_for_update(skip_locked=True)).scalars().all()
    if idle:
        connection.execute(update(outbox).where(outbox.c.id.in_(idle)).values(status=WITHHELD))


def lift(
    connection: Connection, address: str, now: datetime, told: Collection[int] = ()
) -> Sequence[Letter] | None:
    """Lifts a suspension and forgets the bounces so far; None if the address is not suspended.

    All withheld mails are queued again. So is the newest mail about each board among those that have bounced
    since mail last arrived, except for `told` and for boards that the letters are about that this returns: they
    were withheld, and the caller has them written.
    """
    query = select(addresses).where(addresses.c.address == address, addresses.c.suspended_at.is_not(None))
    row = connection.execute(query.with_for_update()).one_or_none()
    if row is None:
        return None
    freed = update(addresses).where(addresses.c.address == address)
    connection.execute(freed.values(suspended_at=None, arrived_at=now))
    released = letters.release(connection, row.player_id, now)
    told = {*told, *(each.board for each in released if each.board is not None)}
    to_address = outbox.c.recipient == address
    newest = select(func.max(outbox.c.id)).where(to_address, outbox.c.match.is_not(None)).group_by(outbox.c.match)
    is_new = true() if row.arrived_at is None else bounces.c.at > row.arrived_at
    came_back = and_(
        outbox.c.status.in_(("sent", "bounced", "failed")),
        outbox.c.id.in_(select(bounces.c.outbox_id).where(bounces.c.address == address, is_new)),
        outbox.c.id.in_(newest),
        or_(outbox.c.match.is_(None), outbox.c.match.not_in(told)),
    )
    again = update(outbox).where(to_address, or_(outbox.c.status == WITHHELD, came_back))
    connection.execute(again.values(status="waiting", tries=0, not_before=AT_ONCE, error=None, sent_at=None))
    end_standstill(connection, row.player_id, now)
    return released


def may_be_sent_again() -> ColumnElement[bool]:
    """SQL: whether a row of the outbox may have to be sent again once a suspension is lifted."""
    of_suspended = select(bounces.c.outbox_id).where(bounces.c.address.in_(_suspended()))
    return or_(outbox.c.status == WITHHELD, outbox.c.id.in_(of_suspended))


def is_settled() -> ColumnElement[bool]:
    """SQL: whether a bounce belongs to no suspended address."""
    return bounces.c.address.not_in(_suspended())


def listing(connection: Connection) -> Sequence[Suspended]:
    """All suspended addresses, the latest first."""
    query = (
        select(addresses.c.address, players.c.userid, players.c.userid_lower, addresses.c.suspended_at)
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
            _withheld(connection, row.address, row.userid_lower),
        )
        for row in connection.execute(query).all()
    ]


def _suspended() -> Select[tuple[str]]:
    return select(addresses.c.address).where(addresses.c.suspended_at.is_not(None))


def _reasons(connection: Connection, address: str) -> tuple[str, ...]:
    query = select(bounces.c.reason).where(bounces.c.address == address, bounces.c.is_hard)
    newest_first = query.order_by(bounces.c.at.desc(), bounces.c.outbox_id.desc()).limit(10)
    return tuple(dict.fromkeys(connection.execute(newest_first).scalars()))


def _withheld(connection: Connection, address: str, userid: str) -> int:
    mails = select(func.count()).where(outbox.c.recipient == address, outbox.c.status == WITHHELD)
    unwritten = select(func.count()).where(
        tables.letters.c.userid == userid, tables.letters.c.due_at == letters.WITHHELD_UNTIL
    )
    return sum(connection.execute(each).scalar_one() for each in (mails, unwritten))
