"""The outbox: every mail to send, with a Message-ID that never changes. Rows stay long after they were sent.

A row is "waiting", then "sent" or "failed"; a sent mail is "bounced" once a report says that it did not arrive. It
is "withheld" if it waited when its address was suspended (`bounces`). A sender leases rows for a while, so none is
lost if it dies; at worst the few mails that it was sending are sent twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import Connection, and_, bindparam, exists, func, insert, select, text, update

from pbmserv.commands.letter import AT_ONCE, MailKind
from pbmserv.commands.set import LeaveKind
from pbmserv.store.mail_tokens import digest, shortened
from pbmserv.store.tables import outbox

LONGEST_WAIT: Final = timedelta(hours=7)
"""The longest wait between two tries. A longer one was set by a clock that ran ahead, and is ignored."""


@dataclass(frozen=True, slots=True)
class MailKeys:
    """The words that identify a mail, and the keys in its links; empty where it has none."""

    thread: str = field(repr=False)
    """In its Message-ID."""
    play: str = field(default="", repr=False)
    leave: str = field(default="", repr=False)
    """In the link to unsubscribe."""
    leaves: LeaveKind = "mail"
    """What that link stops."""
    bounce: str = field(default="", repr=False)
    """In its envelope sender."""


@dataclass(frozen=True, slots=True)
class OutboxMessage:
    """A mail to queue."""

    token: str = field(repr=False)
    """The token in its From address."""
    kind: MailKind
    proven: bool
    """Whether the mail that it answers was authenticated."""
    recipient: str
    envelope_sender: str
    message_id: str
    raw: bytes = field(repr=False)
    inbox_id: int | None = None
    player_id: int | None = None
    match: int | None = None
    shown: tuple[tuple[int, int], ...] = ()
    """The boards in it, each with the ply it is shown after."""
    keys: MailKeys = field(kw_only=True)
    asks: str | None = None
    """The id of the open question that a `yes` to it answers (`confirmations.ask`)."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a mail showed to whom."""

    player_id: int | None
    """None if the recipient is not a player."""
    boards: tuple[tuple[int, int], ...]
    """Each with its ply."""


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A row of the outbox."""

    id: int
    kind: MailKind
    recipient: str
    envelope_sender: str
    message_id: str
    raw: bytes = field(repr=False)
    match: int | None
    status: str
    tries: int
    created_at: datetime
    not_before: datetime
    error: str | None
    inbox_id: int | None
    """The mail that caused it."""
    sent_at: datetime | None
    queue_id: str | None
    """The relay's queue id for it."""


def queue(connection: Connection, messages: Sequence[OutboxMessage], now: datetime) -> None:
    """Queues mails; robots have no address and get none."""
    rows = [
        {
            "token_digest": digest(message.token),
            "thread_digest": digest(message.keys.thread),
            "bounce_digest": shortened(digest(message.keys.bounce)) if message.keys.bounce else None,
            "key_digest": digest(message.keys.play) if message.keys.play else None,
            "leave_digest": digest(message.keys.leave) if message.keys.leave else None,
            "leave_kind": message.keys.leaves if message.keys.leave else None,
            "asks": message.asks,
            "inbox_id": message.inbox_id,
            "player_id": message.player_id,
            "match": message.match,
            "shown": [[*pair] for pair in message.shown] or None,
            "recipient": message.recipient,
            "envelope_sender": message.envelope_sender,
            "message_id": message.message_id,
            "raw": message.raw,
            "proven": message.proven,
            "kind": message.kind,
            "created_at": now,
            "tries": 0,
            "not_before": AT_ONCE,
        }
        for message in messages
        if message.recipient
    ]
    if rows:
        connection.execute(_QUEUE, rows)


def is_any_due(connection: Connection, now: datetime) -> bool:
    """Whether `lease` would find a mail."""
    return any(
        connection.execute(_IS_DUE, {"after": after, "by": by}).first() is not None for after, by in _when_due(now)
    )


def next_due(connection: Connection) -> datetime | None:
    """When the next waiting mail is due, which may be past; None if none waits."""
    due: datetime | None = connection.execute(_NEXT_DUE).scalar_one()
    return due


def lease(
    connection: Connection, now: datetime, until: datetime, count: int, elsewhere: Sequence[str] = ()
) -> list[QueuedMessage]:
    """The oldest mails that are due, `count` at most, none to one of `elsewhere`. No other sender gets them before
    `until`.
    """
    due = _DUE_BUT if elsewhere else _DUE
    found: list[QueuedMessage] = []
    for after, by in _when_due(now):
        if len(found) < count:
            place = {"after": after, "by": by, "elsewhere": [*elsewhere], "most": count - len(found)}
            found += [QueuedMessage(*row) for row in connection.execute(due, place)]
    if found:
        connection.execute(_EXTEND, {"mail_ids": [mail.id for mail in found], "until": until})
    return found


def extend_leases(connection: Connection, mails: Sequence[QueuedMessage], until: datetime) -> None:
    """Extends the leases of a sender until then."""
    connection.execute(_EXTEND, {"mail_ids": [mail.id for mail in mails], "until": until})


def release(connection: Connection, mail: QueuedMessage, reason: str | None) -> None:
    """Releases a leased mail untried. It keeps its place in the queue."""
    connection.execute(_PUT_BACK, {"mail_id": mail.id, "until": mail.not_before, "reason": reason})


def mark_sent(connection: Connection, mail_ids: Sequence[int], now: datetime) -> list[Shown]:
    """Records that mails were sent; returns what each showed to whom."""
    rows = connection.execute(_SENT, {"mail_ids": [*mail_ids], "now": now})
    return [Shown(row.player_id, tuple(map(tuple, row.shown or ()))) for row in rows]


def mark_deferred(connection: Connection, mail_id: int, reason: str, again_at: datetime) -> None:
    """Records that a mail was not accepted for now, and when to try again."""
    connection.execute(_DEFERRED, {"mail_id": mail_id, "until": again_at, "reason": reason})


def mark_failed(connection: Connection, mail_id: int, reason: str) -> None:
    """Records that a mail will never be accepted."""
    connection.execute(_FAILED, {"mail_id": mail_id, "reason": reason})


def is_waiting_to_go(connection: Connection, address: str, board: int) -> bool:
    """Whether a mail showing this board is waiting to be sent to an address."""
    query = select(outbox.c.shown).where(outbox.c.recipient == address, outbox.c.status == "waiting")
    return any(board == each for shown in connection.execute(query).scalars() for each, _ in shown or ())


def was_mailed_between(connection: Connection, address: str, since: datetime, until: datetime) -> bool:
    """Whether a mail of ours went to an address in that time."""
    values = {"address": address, "since": since, "until": until}
    return connection.execute(_WAS_MAILED, values).scalar_one()


def listing(connection: Connection, status: str | None, count: int) -> list[QueuedMessage]:
    """The newest mails, of one status or of any."""
    query = _QUEUED.order_by(outbox.c.id.desc()).limit(count)
    rows = connection.execute(query if status is None else query.where(outbox.c.status == status))
    return [QueuedMessage(*row) for row in rows]


def _when_due(now: datetime) -> tuple[tuple[datetime, datetime], ...]:
    """The times of `not_before` at which a mail is due, the second for those set by a clock that ran ahead."""
    return (AT_ONCE, now), (now + LONGEST_WAIT, _NEVER)


QUEUED_COLUMNS: Final = tuple(outbox.c[each.name] for each in fields(QueuedMessage))
_QUEUED: Final = select(*QUEUED_COLUMNS)

_QUEUE: Final = insert(outbox).values(status="waiting")

# Exactly the condition of the index ix_outbox_waiting. With "or" the index could not be used for a range of times.
_IS_WAITING: Final = text("status = 'waiting'")
_IN_TIME: Final = and_(
    _IS_WAITING, outbox.c.not_before >= bindparam("after"), outbox.c.not_before <= bindparam("by")
)
_IS_DUE: Final = select(outbox.c.id).where(_IN_TIME).limit(1)
_NEXT_DUE: Final = select(func.min(outbox.c.not_before)).where(_IS_WAITING)
_DUE: Final = (
    _QUEUED.where(_IN_TIME)
    .order_by(outbox.c.not_before, outbox.c.id)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True)
)
_DUE_BUT: Final = _DUE.where(outbox.c.recipient.not_in(bindparam("elsewhere", expanding=True)))
_NEVER: Final = datetime(9999, 12, 31, tzinfo=UTC)

_SENT_AT: Final = func.coalesce(outbox.c.sent_at, outbox.c.created_at)
_WAS_MAILED: Final = select(
    exists().where(
        outbox.c.recipient == bindparam("address"), _SENT_AT.between(bindparam("since"), bindparam("until"))
    )
)
_ONE: Final = update(outbox).where(outbox.c.id == bindparam("mail_id"))
_STILL_WAITING: Final = _ONE.where(_IS_WAITING)
_THESE: Final = update(outbox).where(outbox.c.id.in_(bindparam("mail_ids", expanding=True)))
_EXTEND: Final = _THESE.where(_IS_WAITING).values(not_before=bindparam("until"))
_PUT_BACK: Final = _STILL_WAITING.values(not_before=bindparam("until"), error=bindparam("reason"))
_DEFERRED: Final = _PUT_BACK.values(tries=outbox.c.tries + 1)
# Two senders may hold one mail if the first was thought dead. What is sent stays sent.
_SENT: Final = _THESE.values(
    status="sent", sent_at=bindparam("now"), error=None, tries=outbox.c.tries + 1
).returning(outbox.c.player_id, outbox.c.shown)
_FAILED: Final = _ONE.where(outbox.c.status.not_in(("sent", "bounced"))).values(
    status="failed", error=bindparam("reason"), tries=outbox.c.tries + 1
)
