"""The state of a running server: heartbeats, queues, troubles, alarms and milestones.

Gaps between heartbeats are outages, which stop clocks. Mails that `doctor` sends to the server itself carry a
one-time word, of which only a digest is stored.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    bindparam,
    case,
    delete,
    func,
    insert,
    null,
    or_,
    select,
    union_all,
    update,
)

from pbmserv.matches.clock import Stop
from pbmserv.store import clocks
from pbmserv.store.inbox import QUARANTINED
from pbmserv.store.letters import SET_ASIDE
from pbmserv.store.tables import (
    addresses,
    alarms,
    doctor_mails,
    heartbeats,
    inbox,
    letters,
    matches,
    milestones,
    outages,
    outbox,
    part_troubles,
    players,
)

BACKUP: Final = "backup"
"""The milestone of the last successful backup; its text is the file."""

TRIAL: Final = "write"
"""The milestone of the last test write."""

COPY: Final = "copy "
"""Prefix of the milestones of copies made before a schema update, followed by the schema; the text is the file."""


@dataclass(frozen=True, slots=True)
class Queue:
    """Mails that wait."""

    count: int
    oldest: datetime | None
    """When the oldest one began to wait."""
    postponed: int
    """Those not counted: they are retried later, being handled, or not due yet."""


@dataclass(frozen=True, slots=True)
class VainMails:
    """Mails that still wait after a try."""

    count: int
    recipients: int
    """How many different recipients."""
    oldest: datetime
    """When the first of them was queued."""
    said: str
    """Why that one was not accepted."""


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
    """When something was last done."""

    at: datetime
    said: str


@dataclass(frozen=True, slots=True)
class Totals:
    """Counters, and a few gauges."""

    received: int
    queued: int
    players: int
    suspended: int
    quarantined: int
    boards: int
    under_way: int


def retire(connection: Connection, part: str) -> bool:
    """Forgets a part that is no longer used, so that clocks do not stop for it; False if there is none."""
    connection.execute(delete(part_troubles).where(part_troubles.c.part == part))
    return connection.execute(delete(heartbeats).where(heartbeats.c.part == part)).rowcount == 1


def troubles(connection: Connection) -> Mapping[str, PartTrouble]:
    """The current troubles, by part."""
    return {row.part: PartTrouble(row.said, row.began_at) for row in connection.execute(select(part_troubles))}


def tell_trouble(connection: Connection, part: str, said: str, now: datetime) -> None:
    """Records the trouble of a part; "" clears it."""
    of_part = part_troubles.c.part == part
    if not said:
        connection.execute(delete(part_troubles).where(of_part))
    elif connection.execute(update(part_troubles).where(of_part).values(said=said)).rowcount == 0:
        connection.execute(insert(part_troubles).values(part=part, said=said, began_at=now))


def waiting_in(connection: Connection, now: datetime) -> Queue:
    """The queue of received mails due to be handled."""
    waits = inbox.c.status == "waiting"
    is_due = inbox.c.not_before <= now
    query = select(func.count().label("number"), func.min(inbox.c.received_at).label("oldest")).where(
        waits, is_due
    )
    return _queue(connection.execute(query).one(), connection.scalar(select(func.count()).where(waits, ~is_due)))


def waiting_out(connection: Connection, now: datetime) -> Queue:
    """The queue of outgoing mails due to be sent."""
    waits = outbox.c.status == "waiting"
    is_due = outbox.c.not_before <= now
    query = select(func.count().label("number"), func.min(_DUE_SINCE).label("oldest")).where(waits, is_due)
    return _queue(connection.execute(query).one(), connection.scalar(select(func.count()).where(waits, ~is_due)))


def unwritten(connection: Connection, now: datetime) -> tuple[Queue, int]:
    """The queue of letters due to be written, and the number set aside."""
    is_due, is_aside = letters.c.due_at <= now, letters.c.due_at == SET_ASIDE
    since = case((letters.c.due_at > letters.c.created_at, letters.c.due_at), else_=letters.c.created_at)
    due = connection.execute(select(func.count().label("number"), func.min(since).label("oldest")).where(is_due))
    later = connection.scalar(select(func.count()).where(letters.c.due_at > now, letters.c.due_at < SET_ASIDE))
    return _queue(due.one(), later), connection.scalar(select(func.count()).where(is_aside)) or 0


def sent_in_vain(connection: Connection) -> VainMails | None:
    """The mails tried in vain since a relay accepts none; None if the last mail tried was sent."""
    # By the primary key, backwards: an outage is as long as this takes.
    last_sent = select(outbox.c.id).where(outbox.c.sent_at.is_not(None)).order_by(outbox.c.id.desc()).limit(1)
    return _vain(connection, outbox.c.id > (connection.scalar(last_sent) or 0))


def refused_for_us(connection: Connection) -> VainMails | None:
    """The mails waiting because a relay permanently refuses them for a reason on our side; None without any."""
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
    """The totals of the whole server."""

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
    """Stores a lasting finding; None deletes it."""
    connection.execute(delete(alarms).where(alarms.c.name == name))
    if alarm is not None:
        connection.execute(
            insert(alarms).values(
                name=name, began_at=alarm.began_at, said_at=alarm.said_at, mailed_at=alarm.mailed_at
            )
        )


def milestone(connection: Connection, name: str) -> Milestone | None:
    """The milestone of that name; None if never reached."""
    row = connection.execute(select(milestones).where(milestones.c.name == name)).one_or_none()
    return None if row is None else Milestone(row.at, row.said)


def copies(connection: Connection) -> Mapping[str, Milestone]:
    """The last copy of each schema that was made before the schema was updated, in order."""
    rows = connection.execute(
        select(milestones).where(milestones.c.name.startswith(COPY)).order_by(milestones.c.name)
    )
    return {row.name.removeprefix(COPY): Milestone(row.at, row.said) for row in rows}


def reach(connection: Connection, name: str, at: datetime, said: str) -> None:
    """Records that a milestone was reached."""
    connection.execute(delete(milestones).where(milestones.c.name == name))
    connection.execute(insert(milestones).values(name=name, at=at, said=said))


SILENT_AFTER: Final = timedelta(minutes=10)
"""A part that has sent no heartbeat for this long is down."""

RETRY_PERIOD: Final = timedelta(hours=4)
"""Mail refused during an outage arrives at most this much after it, or as long after it as the outage took.
Relays retry often at first, then every few hours (RFC 5321, section 4.5.4.1)."""

RETIRED_AFTER: Final = timedelta(days=14)
"""A part that is silent for this long, while the scheduler is not, counts as retired, and clocks run without it.
The time before counts as an outage."""

SCHEDULER: Final = "scheduler"

LISTENER: Final = "listener"
POLLER: Final = "poller"
WORKER: Final = "worker"
SENDER: Final = "sender"
ROBOTS: Final = "robots"

STOP_CLOCKS: Final = (LISTENER, POLLER, SCHEDULER)
"""The parts without which nobody can answer, so their outages stop all clocks. Other parts' outages cost nobody
time: mail counts from its arrival, and a board's clock starts when it is sent."""

_MISSED: Final = timedelta(minutes=2, seconds=30)
"""Without a heartbeat for this long, the robots are not expected to answer within a minute."""


def record_beat(connection: Connection, part: str, now: datetime) -> timedelta | None:
    """Records that a part is alive. After an outage, records that too and has all clocks checked.

    Returns how long the part was down, if it was.
    """
    last: datetime | None = connection.execute(
        select(heartbeats.c.at).where(heartbeats.c.part == part).with_for_update()
    ).scalar_one_or_none()
    if last is None:
        connection.execute(insert(heartbeats).values(part=part, at=now))
        return None
    connection.execute(update(heartbeats).where(heartbeats.c.part == part).values(at=max(last, now)))
    if now - last <= SILENT_AFTER or part not in STOP_CLOCKS:
        return None
    ended = now if part == SCHEDULER else min(now, last + RETIRED_AFTER)
    connection.execute(insert(outages).values(part=part, began_at=last, ended_at=ended))
    clocks.check_all_again(connection)
    return ended - last


def robots_are_alive(connection: Connection, now: datetime) -> bool:
    """Whether robots can be expected to move soon."""
    last = connection.execute(_LAST, {"part": ROBOTS}).scalar_one_or_none()
    return last is not None and now - last < _MISSED


def last_beats(connection: Connection) -> dict[str, datetime]:
    """The last heartbeat of each part that ever ran."""
    rows = connection.execute(select(heartbeats.c.part, heartbeats.c.at)).all()
    return {row.part: row.at for row in rows}


def outages_since(connection: Connection, began: datetime, now: datetime) -> Sequence[Stop]:
    """The periods after `began` in which a part was, or still is, down, so that nobody could answer."""
    values = {
        "after": began - RETRY_PERIOD,
        "last_after": began - RETIRED_AFTER - RETRY_PERIOD,
        "before": now - SILENT_AFTER,
    }
    return [_stop(row, now) for row in connection.execute(_DOWN, values)]


def _stop(row: Row[Any], now: datetime) -> Stop:
    if row.ended_at is None:
        return Stop(row.began_at, _comes_back(row.part, row.began_at, now))
    return Stop(row.began_at, row.ended_at + min(RETRY_PERIOD, row.ended_at - row.began_at))


def _comes_back(part: str, last: datetime, now: datetime) -> datetime | None:
    """When a silent part counts as retired; None while it may come back."""
    out_of_use = last + RETIRED_AFTER + RETRY_PERIOD
    return None if part == SCHEDULER or now < out_of_use else out_of_use


_LAST: Final = select(heartbeats.c.at).where(heartbeats.c.part == bindparam("part"))
_OVER: Final = select(outages.c.part, outages.c.began_at, outages.c.ended_at).where(
    outages.c.ended_at > bindparam("after")
)
_SILENT: Final = select(heartbeats.c.part, heartbeats.c.at.label("began_at"), null().label("ended_at")).where(
    heartbeats.c.part.in_(STOP_CLOCKS),
    heartbeats.c.at < bindparam("before"),
    or_(heartbeats.c.at > bindparam("last_after"), heartbeats.c.part == SCHEDULER),
)
_DOWN: Final = union_all(_OVER, _SILENT)


KEPT_FOR: Final = timedelta(days=1)
"""How long a mail of `doctor` is recognised."""

LONGEST_HEAD: Final = 65_536
"""Bytes of a head that are stored."""


@dataclass(frozen=True, slots=True)
class ReturnedMail:
    """The mail or bounce that came back after a mail to ourselves."""

    came_at: datetime
    is_report: bool
    """It is a report that the mail was not delivered."""
    head: bytes = field(repr=False)
    """For a report, only the reason."""


def expect_doctor_mail(connection: Connection, word: str, now: datetime) -> None:
    """Records the word of a mail about to be sent, and forgets those older than a day."""
    purge_doctor_mails(connection, now)
    connection.execute(insert(doctor_mails).values(digest=_digest(word), sent_at=now, is_report=False))


def note_doctor_mail(connection: Connection, words: Iterable[str], mail: ReturnedMail) -> bool:
    """Records that a mail with one of these words came, keeping the first; False if the word is not ours."""
    for word in words:
        key = {"the_digest": _digest(word)}
        row = connection.execute(_FIND_RETURNED, key).one_or_none()
        if row is None:
            continue
        if row.came_at is None:
            values = {"came": mail.came_at, "report": mail.is_report, "the_head": mail.head[:LONGEST_HEAD]}
            connection.execute(_NOTE_RETURNED, key | values)
        return True
    return False


def find_returned_mail(connection: Connection, word: str) -> ReturnedMail | None:
    """The mail that came back with this word; None if none has yet."""
    row = connection.execute(_FIND_RETURNED, {"the_digest": _digest(word)}).one_or_none()
    return (
        None if row is None or row.came_at is None else ReturnedMail(row.came_at, row.is_report, row.head or b"")
    )


def purge_doctor_mails(connection: Connection, now: datetime) -> None:
    """Forgets those older than a day."""
    connection.execute(delete(doctor_mails).where(doctor_mails.c.sent_at < now - KEPT_FOR))


def _digest(word: str) -> bytes:
    return hashlib.sha256(word.encode()).digest()


_FIND_RETURNED: Final = select(doctor_mails.c.came_at, doctor_mails.c.is_report, doctor_mails.c.head).where(
    doctor_mails.c.digest == bindparam("the_digest")
)
_NOTE_RETURNED: Final = (
    update(doctor_mails)
    .where(doctor_mails.c.digest == bindparam("the_digest"))
    .values(came_at=bindparam("came"), is_report=bindparam("report"), head=bindparam("the_head"))
)
