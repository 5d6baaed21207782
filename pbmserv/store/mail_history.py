"""The history of mails: what came of each, and what caused it; for senders and operators."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from sqlalchemy import ColumnElement, Connection, and_, bindparam, exists, false, func, or_, select, update

from pbmserv.commands.letter import UNSOLICITED
from pbmserv.store.inbox import QUARANTINED, InboxMessage, has_no_failures, inbox_message, is_waiting, key_digest
from pbmserv.store.letters import SET_ASIDE
from pbmserv.store.outbox import QUEUED_COLUMNS, QueuedMessage
from pbmserv.store.tables import addresses, bounces, content_keys, entries, inbox, letters, outbox, players, seats

_SEARCHED: Final = 40
"""How many mails to an address are searched for what came from there."""


@dataclass(frozen=True, slots=True)
class MailOutcome:
    """The state of a received mail."""

    status: str
    received_at: datetime
    raw: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ReplyStatus:
    """A mail sent in reply to another, with its status in the outbox."""

    recipient: str
    message_id: str
    status: str
    """It waits for a robot's move."""


def status_of(connection: Connection, mail_id: int) -> str | None:
    """The status of a mail in the inbox; None if there is no such mail."""
    return connection.execute(_STATUS, {"mail_id": mail_id}).scalar_one_or_none()


def find_outcome(connection: Connection, mail_id: int) -> MailOutcome | None:
    """The state of a mail in the inbox; None if there is no such mail."""
    row = connection.execute(_FIND, {"mail_id": mail_id}).one_or_none()
    return None if row is None else MailOutcome(row.status, row.received_at, row.raw)


def told_of(connection: Connection, mail_id: int) -> str:
    """The outcome of a mail, in sentences; empty if it waits or none was stored."""
    return connection.execute(_TOLD, {"mail_id": mail_id}).scalar_one_or_none() or ""


def find_received(connection: Connection, sender: str, message_id: str) -> int | None:
    """The newest recent mail with that Message-ID from an address in lower case."""
    rows = connection.execute(_LATEST_OF, {"sender": sender})
    return next((row.id for row in rows if message_id.encode() in row.raw), None)


def kept_mails(connection: Connection, sender: str, address: str, most: int) -> Sequence[bytes]:
    """Stored outcomes of the last mails from `sender` (lower case), with answers to `address`; newest first."""
    values = {"sender": sender, "address": address, "most": most, "searched": _SEARCHED}
    return connection.execute(_KEPT, values).scalars().all()


def find_by_content(connection: Connection, content_key: str) -> int | None:
    """The mail with this content key that was handled; None until one is."""
    return connection.execute(_FIRST_OF, {"key": key_digest(content_key)}).scalar_one_or_none()


def replies_to(connection: Connection, mail_id: int) -> list[ReplyStatus]:
    """The mails sent in reply to it, in the order in which they were queued."""
    return [ReplyStatus(*row) for row in connection.execute(_REPLIES_TO, {"mail_id": mail_id})]


def reply_to(connection: Connection, mail_id: int, player_id: int) -> bytes:
    """Our reply to a player's mail; empty if there was none, or it was redacted since."""
    return connection.execute(_ANSWER_TO, {"mail_id": mail_id, "player_id": player_id}).scalar() or b""


_STATUS: Final = select(inbox.c.status).where(inbox.c.id == bindparam("mail_id"))
_FIND: Final = select(inbox.c.status, inbox.c.received_at, inbox.c.raw).where(inbox.c.id == bindparam("mail_id"))
_TOLD: Final = select(inbox.c.outcome).where(inbox.c.id == bindparam("mail_id"))
_LATEST_OF: Final = (
    select(inbox.c.id, inbox.c.raw)
    .where(
        inbox.c.sender == bindparam("sender"),
        inbox.c.id > select(func.coalesce(func.max(inbox.c.id), 0) - 200).scalar_subquery(),
    )
    .order_by(inbox.c.id.desc())
)
_ANSWERED: Final = (
    select(outbox.c.inbox_id)
    .where(outbox.c.recipient == bindparam("address"))
    .order_by(outbox.c.created_at.desc())
    .limit(bindparam("searched"))
)
_KEPT: Final = (
    select(inbox.c.raw)
    .where(
        inbox.c.id.in_(_ANSWERED),
        inbox.c.sender == bindparam("sender"),
        inbox.c.status == "handled",
        inbox.c.redacted_at.is_(None),
    )
    .order_by(inbox.c.id.desc())
    .limit(bindparam("most"))
)
_FIRST_OF: Final = select(content_keys.c.inbox_id).where(content_keys.c.digest == bindparam("key"))
_REPLIES_TO: Final = (
    select(outbox.c.recipient, outbox.c.message_id, outbox.c.status)
    .where(outbox.c.inbox_id == bindparam("mail_id"))
    .order_by(outbox.c.id)
)
_ANSWER_TO: Final = (
    select(outbox.c.raw)
    .where(
        outbox.c.inbox_id == bindparam("mail_id"),
        outbox.c.player_id == bindparam("player_id"),
        outbox.c.kind.not_in((*UNSOLICITED, "question")),
    )
    .order_by(outbox.c.id)
    .limit(1)
)


TraceKind = Literal["mail", "out", "board", "player", "address", "queue", "message_id"]
"""What a trace starts from."""

MOST: Final = 1000
"""The most mails of each kind in a trace; the newest are shown."""


@dataclass(frozen=True, slots=True)
class MailFilter:
    """Which mails to list; an empty or None field does not filter."""

    status: str = ""
    board: int | None = None
    address: str = ""
    """The sender of a received mail, or the recipient of an outgoing one."""
    since: datetime | None = None
    in_trouble: bool = False
    """Only received mails that are quarantined, or wait after a failure."""


@dataclass(frozen=True, slots=True)
class ReceivedMail:
    """A row of the inbox, with its outcome."""

    message: InboxMessage
    handled_at: datetime | None
    outcome: str
    """In sentences; empty while it waits, and once it is redacted."""


@dataclass(frozen=True, slots=True)
class RecordedEntry:
    """An entry of a board's log."""

    board: int
    seq: int
    at: datetime
    kind: str
    seat: int | None
    text: str
    mail: int | None
    """The mail that caused it, where known."""


@dataclass(frozen=True, slots=True)
class RecordedBounce:
    """A bounce of an outgoing mail."""

    outbox_id: int
    at: datetime
    is_hard: bool
    reason: str
    address: str
    inbox_id: int | None
    """The mail that reported it; None if the relay refused the recipient."""


@dataclass(frozen=True, slots=True)
class UnwrittenLetter:
    """A letter that waits to be written, or was set aside."""

    at: datetime
    kind: str
    recipient: str
    board: int | None
    mail: int | None
    """The mail that caused it."""
    tries: int
    error: str
    is_set_aside: bool


@dataclass(frozen=True, slots=True)
class MailTrace:
    """All that is stored about some mails."""

    received: Sequence[ReceivedMail]
    entries: Sequence[RecordedEntry]
    sent: Sequence[QueuedMessage]
    bounces: Sequence[RecordedBounce]
    unwritten: Sequence[UnwrittenLetter]


def inbox_listing(connection: Connection, wanted: MailFilter, count: int) -> list[ReceivedMail]:
    """The newest received mails that pass a filter."""
    tests: list[ColumnElement[bool]] = []
    if wanted.status:
        tests.append(inbox.c.status == wanted.status)
    if wanted.board is not None:
        tests.append(_is_about(wanted.board))
    if wanted.address:
        tests.append(inbox.c.sender == wanted.address.lower())
    if wanted.since is not None:
        tests.append(inbox.c.received_at >= wanted.since)
    if wanted.in_trouble:
        tests.append((inbox.c.status == QUARANTINED) | (is_waiting(inbox) & ~has_no_failures()))
    return _received(connection, and_(True, *tests), count)


def outbox_listing(connection: Connection, wanted: MailFilter, count: int) -> list[QueuedMessage]:
    """The newest outgoing mails that pass a filter."""
    tests: list[ColumnElement[bool]] = []
    if wanted.status:
        tests.append(outbox.c.status == wanted.status)
    if wanted.board is not None:
        tests.append(outbox.c.match == wanted.board)
    if wanted.address:
        tests.append(outbox.c.recipient == wanted.address.lower())
    if wanted.since is not None:
        tests.append(outbox.c.created_at >= wanted.since)
    return _sent(connection, and_(True, *tests), count)


def is_mail(connection: Connection, number: int) -> bool:
    """Whether a received mail has that number."""
    return connection.execute(select(exists().where(inbox.c.id == number))).scalar_one()


def trace(connection: Connection, kind: TraceKind, key: int | str, since: datetime | None = None) -> MailTrace:
    """Everything about a mail, a board, a player or a relay's queue id, each kind in order of its number.

    `key` is a number for "mail", "out", "board" and "player", else text.
    """
    of_sent = _which_sent(kind, key)
    of_received = _which_received(kind, key, of_sent)
    if since is not None:
        of_sent = and_(of_sent, outbox.c.created_at >= since)
        of_received = and_(of_received, inbox.c.received_at >= since)
    received = _received(connection, of_received, MOST)[::-1]
    sent = _sent(connection, of_sent, MOST)[::-1]
    found = {(entry.board, entry.seq): entry for entry in _entries_by(connection, received)}
    if kind == "board":
        of_board = select(entries).where(entries.c.match == key).order_by(entries.c.seq)
        for row in connection.execute(of_board):
            if since is None or row.at >= since:
                alone = RecordedEntry(row.match, row.seq, row.at, row.kind, row.seat, row.text, None)
                found.setdefault((row.match, row.seq), alone)
    returned = select(bounces).where(bounces.c.outbox_id.in_([mail.id for mail in sent]))
    came_back = [
        RecordedBounce(row.outbox_id, row.at, row.is_hard, row.reason, row.address, row.inbox_id)
        for row in connection.execute(returned)
    ]
    wait = select(letters).where(_which_letters(kind, key)).order_by(letters.c.id)
    unwritten = [
        UnwrittenLetter(
            row.created_at,
            row.kind,
            row.recipient,
            row.match,
            row.inbox_id,
            row.tries,
            (row.error or "").rpartition("\n")[2],
            row.due_at == SET_ASIDE,
        )
        for row in connection.execute(wait)
    ]
    return MailTrace(received, [found[each] for each in sorted(found)], sent, came_back, unwritten)


def note_queue_ids(connection: Connection, queue_ids: Mapping[int, str]) -> None:
    """Records the relay's queue ids of mails, by their ids in the outbox."""
    rows = [{"mail_id": mail_id, "queue": queue} for mail_id, queue in queue_ids.items() if queue]
    if rows:
        connection.execute(_QUEUED_AS, rows)


_QUEUED_AS: Final = update(outbox).where(outbox.c.id == bindparam("mail_id")).values(queue_id=bindparam("queue"))


def _which_sent(kind: TraceKind, key: int | str) -> ColumnElement[bool]:
    match kind:
        case "mail":
            reported = select(bounces.c.outbox_id).where(bounces.c.inbox_id == key)
            return or_(outbox.c.inbox_id == key, outbox.c.id.in_(reported))
        case "out":
            return outbox.c.id == key
        case "board":
            return outbox.c.match == key
        case "player":
            theirs = select(addresses.c.address).where(addresses.c.player_id == key)
            return or_(outbox.c.player_id == key, outbox.c.recipient.in_(theirs))
        case "address":
            return outbox.c.recipient == key
        case "queue":
            return outbox.c.queue_id == key
        case "message_id":
            return outbox.c.message_id == key


def _which_letters(kind: TraceKind, key: int | str) -> ColumnElement[bool]:
    match kind:
        case "mail":
            return letters.c.inbox_id == key
        case "board":
            return letters.c.match == key
        case "player":
            return letters.c.userid.in_(select(players.c.userid_lower).where(players.c.id == key))
        case "address":
            return letters.c.recipient == key
        case _:
            return false()


def _which_received(kind: TraceKind, key: int | str, of_sent: ColumnElement[bool]) -> ColumnElement[bool]:
    match kind:
        case "mail":
            return inbox.c.id == key
        case "board":
            return _is_about(int(key))
        case "player":
            return inbox.c.sender.in_(select(addresses.c.address).where(addresses.c.player_id == key))
        case "address":
            return inbox.c.sender == key
        case _:
            return inbox.c.id.in_(select(outbox.c.inbox_id).where(of_sent))


def _is_about(board: int) -> ColumnElement[bool]:
    """SQL: whether a received mail has led to a mail about a board, or to an entry in its log."""
    answered = select(outbox.c.inbox_id).where(outbox.c.match == board, outbox.c.inbox_id.is_not(None))
    made = select(entries.c.match).where(entries.c.match == board, *_made_by_mail())
    return or_(inbox.c.id.in_(answered), made.correlate(inbox).exists())


def _made_by_mail() -> tuple[ColumnElement[bool], ...]:
    """SQL: whether a received mail made an entry: the entry has its time and its sender."""
    return (
        entries.c.at == inbox.c.received_at,
        seats.c.match == entries.c.match,
        seats.c.seat == entries.c.seat,
        addresses.c.player_id == seats.c.player_id,
        addresses.c.address == inbox.c.sender,
    )


def _entries_by(connection: Connection, received: Sequence[ReceivedMail]) -> list[RecordedEntry]:
    ids = [mail.message.id for mail in received]
    query = select(entries, inbox.c.id.label("mail")).where(inbox.c.id.in_(ids), *_made_by_mail())
    return [
        RecordedEntry(row.match, row.seq, row.at, row.kind, row.seat, row.text, row.mail)
        for row in connection.execute(query)
    ]


def _received(connection: Connection, which: ColumnElement[bool], count: int) -> list[ReceivedMail]:
    rows = connection.execute(select(inbox).where(which).order_by(inbox.c.id.desc()).limit(count))
    return [ReceivedMail(inbox_message(row), row.handled_at, row.outcome or "") for row in rows]


def _sent(connection: Connection, which: ColumnElement[bool], count: int) -> list[QueuedMessage]:
    query = select(*QUEUED_COLUMNS).where(which).order_by(outbox.c.id.desc()).limit(count)
    return [QueuedMessage(*row) for row in connection.execute(query)]
