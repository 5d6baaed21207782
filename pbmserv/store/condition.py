"""How a club stands: what waits and since when, what troubles its parts, what was done when."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, case, delete, func, insert, select, update

from pbmserv.store.inbox import QUARANTINED
from pbmserv.store.letters import SET_ASIDE
from pbmserv.store.tables import (
    addresses,
    alarms,
    heartbeats,
    inbox,
    letters,
    matches,
    milestones,
    outbox,
    part_troubles,
    players,
)

BACKUP: Final = "backup"
"""The milestone of the last backup that succeeded; it says where it is."""

TRIAL: Final = "write"
"""The milestone of the last trial whether anything can be written."""

COPY: Final = "copy "
"""Milestones of copies from before the schema was updated begin so; the schema follows. They say where it is."""


@dataclass(frozen=True, slots=True)
class Queue:
    """Mails that wait."""

    count: int
    oldest: datetime | None
    """Since when the oldest one waits."""
    postponed: int
    """Those that are not counted: they are tried again later, are in hand, or wait for their time."""


@dataclass(frozen=True, slots=True)
class VainMails:
    """Mails that wait although they were tried."""

    count: int
    recipients: int
    """How many different ones."""
    oldest: datetime
    """When the first of them was queued."""
    said: str
    """Why that one was not taken."""


@dataclass(frozen=True, slots=True)
class PartTrouble:
    """What keeps a part from its work."""

    said: str
    began_at: datetime


@dataclass(frozen=True, slots=True)
class Alarm:
    """A finding that lasts."""

    began_at: datetime
    said_at: datetime
    mailed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Milestone:
    """The last time that something was done."""

    at: datetime
    said: str


@dataclass(frozen=True, slots=True)
class Totals:
    """Numbers that only grow, and some that do not."""

    received: int
    queued: int
    players: int
    suspended: int
    quarantined: int
    boards: int
    under_way: int


def retire(connection: Connection, part: str) -> bool:
    """Forgets a part that was taken out of use, so that no clock waits for it; False if there is none."""
    connection.execute(delete(part_troubles).where(part_troubles.c.part == part))
    return connection.execute(delete(heartbeats).where(heartbeats.c.part == part)).rowcount == 1


def troubles(connection: Connection) -> Mapping[str, PartTrouble]:
    """What keeps parts from their work, by part."""
    return {row.part: PartTrouble(row.said, row.began_at) for row in connection.execute(select(part_troubles))}


def tell_trouble(connection: Connection, part: str, said: str, now: datetime) -> None:
    """Notes what keeps a part from its work; "" ends that."""
    of_part = part_troubles.c.part == part
    if not said:
        connection.execute(delete(part_troubles).where(of_part))
    elif connection.execute(update(part_troubles).where(of_part).values(said=said)).rowcount == 0:
        connection.execute(insert(part_troubles).values(part=part, said=said, began_at=now))


def waiting_in(connection: Connection, now: datetime) -> Queue:
    """Received mails that are to be handled now."""
    waits = inbox.c.status == "waiting"
    is_due = inbox.c.not_before <= now
    query = select(func.count().label("number"), func.min(inbox.c.received_at).label("oldest")).where(
        waits, is_due
    )
    return _queue(connection.execute(query).one(), connection.scalar(select(func.count()).where(waits, ~is_due)))


def waiting_out(connection: Connection, now: datetime) -> Queue:
    """Outgoing mails that are to be sent now."""
    waits = outbox.c.status == "waiting"
    is_due = outbox.c.not_before <= now
    query = select(func.count().label("number"), func.min(_DUE_SINCE).label("oldest")).where(waits, is_due)
    return _queue(connection.execute(query).one(), connection.scalar(select(func.count()).where(waits, ~is_due)))


def unwritten(connection: Connection, now: datetime) -> tuple[Queue, int]:
    """The letters that are to be written now, and how many were set aside."""
    is_due, is_aside = letters.c.due_at <= now, letters.c.due_at == SET_ASIDE
    since = case((letters.c.due_at > letters.c.created_at, letters.c.due_at), else_=letters.c.created_at)
    due = connection.execute(select(func.count().label("number"), func.min(since).label("oldest")).where(is_due))
    later = connection.scalar(select(func.count()).where(letters.c.due_at > now, ~is_aside))
    return _queue(due.one(), later), connection.scalar(select(func.count()).where(is_aside)) or 0


def sent_in_vain(connection: Connection) -> VainMails | None:
    """The mails that a relay takes none of, though each was tried; None if the last mail tried went out."""
    # By the primary key, backwards: an outage is as long as this takes.
    last_sent = select(outbox.c.id).where(outbox.c.sent_at.is_not(None)).order_by(outbox.c.id.desc()).limit(1)
    return _vain(connection, outbox.c.id > (connection.scalar(last_sent) or 0))


def refused_for_us(connection: Connection) -> VainMails | None:
    """The mails that wait because a relay refuses them for good, which is about us; None if there is none."""
    # A full mailbox is its reader's.
    return _vain(connection, outbox.c.error.like("5%") & ~outbox.c.error.like("552%"))


def _vain(connection: Connection, which: ColumnElement[bool]) -> VainMails | None:
    tried = (outbox.c.status == "waiting") & (outbox.c.tries > 0) & which
    first = connection.execute(
        select(outbox.c.created_at, outbox.c.error).where(tried).order_by(outbox.c.id).limit(1)
    ).one_or_none()
    if first is None:
        return None
    counts = select(func.count(), func.count(outbox.c.recipient.distinct())).where(tried)
    count, recipients = connection.execute(counts).one()
    return VainMails(count, recipients, first.created_at, first.error or "")


def _queue(due: Any, postponed: int | None) -> Queue:
    return Queue(due.number, due.oldest, postponed or 0)


# What can go at once is due since the dawn of time.
_DUE_SINCE: Final = case(
    (outbox.c.not_before > outbox.c.created_at, outbox.c.not_before), else_=outbox.c.created_at
)


def totals(connection: Connection) -> Totals:
    """What there is in all."""

    def number(query: Select[Any]) -> int:
        return connection.scalar(query) or 0

    return Totals(
        # Ids are never given again.
        received=number(select(func.max(inbox.c.id))),
        queued=number(select(func.max(outbox.c.id))),
        players=number(select(func.count()).where(players.c.robot.is_(None))),
        suspended=number(select(func.count()).where(addresses.c.suspended_at.is_not(None), addresses.c.is_first)),
        quarantined=number(select(func.count()).where(inbox.c.status == QUARANTINED)),
        boards=number(select(func.count()).select_from(matches)),
        under_way=number(select(func.count()).where(matches.c.status == "active")),
    )


def standing_alarms(connection: Connection) -> Mapping[str, Alarm]:
    """The findings that last, by name."""
    rows = connection.execute(select(alarms))
    return {row.name: Alarm(row.began_at, row.said_at, row.mailed_at) for row in rows}


def set_alarm(connection: Connection, name: str, alarm: Alarm | None) -> None:
    """Keeps a finding that lasts; None forgets it, since it is over."""
    connection.execute(delete(alarms).where(alarms.c.name == name))
    if alarm is not None:
        connection.execute(
            insert(alarms).values(
                name=name, began_at=alarm.began_at, said_at=alarm.said_at, mailed_at=alarm.mailed_at
            )
        )


def milestone(connection: Connection, name: str) -> Milestone | None:
    """When something was done last; None if it never was."""
    row = connection.execute(select(milestones).where(milestones.c.name == name)).one_or_none()
    return None if row is None else Milestone(row.at, row.said)


def copies(connection: Connection) -> Mapping[str, Milestone]:
    """The last copy of each schema that was made before the schema was updated, in order."""
    rows = connection.execute(
        select(milestones).where(milestones.c.name.startswith(COPY)).order_by(milestones.c.name)
    )
    return {row.name.removeprefix(COPY): Milestone(row.at, row.said) for row in rows}


def reach(connection: Connection, name: str, at: datetime, said: str) -> None:
    """Notes that something was done."""
    connection.execute(delete(milestones).where(milestones.c.name == name))
    connection.execute(insert(milestones).values(name=name, at=at, said=said))
