"""The outbox: every mail to send, with a Message-ID that never changes. Rows stay long after they were sent.

A row is "waiting", then "sent" or "failed"; what was sent is "bounced" once a report says that it has not arrived.
It is "withheld" while mail to its address bounces (`bounces`). A held mail waits a while for something that a
newer mail may tell as well, and is "superseded" then. A sender leases a row for a while, so a sender that dies
loses nothing. At worst the few mails that it had in hand are sent twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from sqlalchemy import Connection, and_, bindparam, exists, func, insert, literal, select, text, update

from pbmserv.commands.set import LeaveKind
from pbmserv.store.mail_tokens import digest, shortened
from pbmserv.store.tables import addresses, outbox

AT_ONCE: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""`not_before` of a mail that may go now. In the past, because the sender's clock may be behind."""

LONGEST_WAIT: Final = timedelta(hours=7)
"""The longest wait between two tries. A longer one was set by a clock that ran ahead, and is ignored."""

MailKind = Literal[
    "answer",  # a reply to a player
    "fruitless",  # a reply to proven commands that changed nothing
    "puzzled",  # a reply to a mail without any command
    "stranger",  # a reply to an unknown sender
    "sign-up",  # a reply to an unknown sender's sign-up
    "short",  # the letter to an unknown sender
    "limit",  # the notice that a rate limit was reached
    "no room",  # the notice that no more accounts can be opened now
    "not theirs",  # the notice that a mail does not seem to come from the player it names
    "address",  # asks a player whether an address is theirs, too
    "invitation",  # sent by the operator
    "question",  # asks for a "yes", outside a reply
    "board",  # unsolicited: a board
    "notice",  # unsolicited: news
    "goodbye",  # the last reply to a deleted account, redacted once it is sent
    "last",  # says that no more mail comes, since mail came back
]
"""What kind of mail it is; what it costs depends on it (`services.limits`)."""

TO_UNKNOWN_SENDERS: Final[tuple[MailKind, ...]] = ("stranger", "sign-up")

UNSOLICITED: Final[tuple[MailKind, ...]] = ("board", "notice")


@dataclass(frozen=True, slots=True)
class Hold:
    """A mail waits: a newer one about the same board to the same player supersedes it, if it comes in time."""

    board: int
    until: datetime


@dataclass(frozen=True, slots=True)
class MailKeys:
    """The keys in the links of a mail, and the word in its envelope sender; empty where it has no such thing."""

    play: str = field(default="", repr=False)
    leave: str = field(default="", repr=False)
    """In the link to unsubscribe."""
    leaves: LeaveKind = "mail"
    """What that link stops."""
    bounce: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class OutboxMessage:
    """A mail to queue."""

    token: str = field(repr=False)
    """In the address that it comes from."""
    thread_word: str = field(repr=False, kw_only=True)
    """In its Message-ID."""
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
    """The boards in it, each with the ply after which it is shown."""
    keys: MailKeys = MailKeys()
    hold: Hold | None = None
    """What it waits for; None if it may go now."""


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
    """What the relay called it when it took it."""


def queue(connection: Connection, messages: Sequence[OutboxMessage], now: datetime) -> None:
    """Queues mails. Unsolicited ones to a suspended address are withheld; robots have no address and get none."""
    rows = [
        {
            "token_digest": digest(message.token),
            "thread_digest": digest(message.thread_word),
            "bounce_digest": shortened(digest(message.keys.bounce)) if message.keys.bounce else None,
            "key_digest": digest(message.keys.play) if message.keys.play else None,
            "leave_digest": digest(message.keys.leave) if message.keys.leave else None,
            "leave_kind": message.keys.leaves if message.keys.leave else None,
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
            "unasked_to": message.recipient if message.kind in UNSOLICITED else "",
            "tries": 0,
            "held_for": message.hold.board if message.hold else None,
            "not_before": message.hold.until if message.hold else AT_ONCE,
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
        connection.execute(_LEASE, {"mail_ids": [mail.id for mail in found], "until": until})
    return found


def extend_leases(connection: Connection, mails: Sequence[QueuedMessage], until: datetime) -> None:
    """The sender that holds these mails keeps them until then."""
    connection.execute(_EXTEND, {"mail_ids": [mail.id for mail in mails], "until": until})


def release(connection: Connection, mail: QueuedMessage, reason: str | None) -> None:
    """Gives a leased mail back untried. It keeps its place in the queue."""
    connection.execute(_PUT_BACK, {"mail_id": mail.id, "until": mail.not_before, "reason": reason})


@dataclass(frozen=True, slots=True)
class SupersededMail:
    """A mail that was held, and will not be sent. `inbox_id` is the mail that it was to answer."""

    inbox_id: int | None
    raw: bytes = field(repr=False)


def supersede(connection: Connection, board: int, player_id: int) -> SupersededMail | None:
    """Drops the mail about a board that is held for a player; None if there is none, or it is on its way."""
    row = connection.execute(_SUPERSEDE, {"board": board, "to_player": player_id}).first()
    return None if row is None else SupersededMail(row.inbox_id, row.raw)


def drop_held(connection: Connection, board: int, player_id: int) -> None:
    """Drops the mail about a board that is held for a player, if there is one that is not on its way."""
    connection.execute(_DROP_HELD, {"board": board, "to_player": player_id})


def mark_sent(connection: Connection, mail_ids: Sequence[int], now: datetime) -> list[Shown]:
    """Records that mails were sent. Gives what they show to whom."""
    rows = connection.execute(_SENT, {"mail_ids": [*mail_ids], "now": now})
    return [Shown(row.player_id, tuple(map(tuple, row.shown or ()))) for row in rows]


def mark_deferred(connection: Connection, mail_id: int, reason: str, again_at: datetime) -> None:
    """Records that a mail was not accepted for now, and when to try again."""
    connection.execute(_DEFERRED, {"mail_id": mail_id, "until": again_at, "reason": reason})


def mark_failed(connection: Connection, mail_id: int, reason: str) -> None:
    """Records that a mail will never be accepted."""
    connection.execute(_FAILED, {"mail_id": mail_id, "reason": reason})


def is_waiting_to_go(connection: Connection, address: str, board: int) -> bool:
    """Whether a mail that shows this board waits to be sent to an address."""
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

# The lock waits for a transaction that is lifting the suspension: a mail withheld after it would stay withheld.
_HELD_BACK: Final = (
    select(literal("withheld"))
    .where(addresses.c.address == bindparam("unasked_to"), addresses.c.suspended_at.is_not(None))
    .with_for_update(read=True)
    .scalar_subquery()
)
_QUEUE: Final = insert(outbox).values(status=func.coalesce(_HELD_BACK, "waiting"))

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
_LEASE: Final = _EXTEND.values(held_for=None)
_DROP_HELD: Final = (
    update(outbox)
    .where(_IS_WAITING, outbox.c.held_for == bindparam("board"), outbox.c.player_id == bindparam("to_player"))
    .values(status="superseded", held_for=None)
)
_SUPERSEDE: Final = _DROP_HELD.returning(outbox.c.inbox_id, outbox.c.raw)
_PUT_BACK: Final = _STILL_WAITING.values(not_before=bindparam("until"), error=bindparam("reason"))
_DEFERRED: Final = _PUT_BACK.values(tries=outbox.c.tries + 1)
# Two senders may hold one mail if the first was thought dead. What is sent stays sent.
_SENT: Final = _THESE.values(
    status="sent", sent_at=bindparam("now"), error=None, tries=outbox.c.tries + 1
).returning(outbox.c.player_id, outbox.c.shown)
_FAILED: Final = _ONE.where(outbox.c.status.not_in(("sent", "bounced"))).values(
    status="failed", error=bindparam("reason"), tries=outbox.c.tries + 1
)
