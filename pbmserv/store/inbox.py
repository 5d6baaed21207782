"""The inbox: every mail received, kept for a while after it was handled. Its content key stays.

A row starts as "waiting". The transaction that handles it makes it "handled", "duplicate" (a second copy),
"silent" (never answered) or "report" (one of our mails bounced). After repeated failures of our own it is
"set aside" (quarantined).

`priorities` decides which waiting mail comes next.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    func,
    insert,
    literal_column,
    or_,
    select,
    text,
    update,
)

from pbmserv.store.priorities import PRIORITIES, UNKNOWN_SENDERS, is_next_of_sender, is_waiting, next_position
from pbmserv.store.tables import addresses, content_keys, inbox

FinalStatus = Literal["handled", "duplicate", "silent", "report"]
QUARANTINED = "set aside"

LONGEST_WAIT: Final = timedelta(hours=7)
"""The longest wait between two tries."""


@dataclass(frozen=True, slots=True)
class InboxMessage:
    """A row of the inbox."""

    id: int
    received_at: datetime
    envelope_sender: str
    recipients: tuple[str, ...]
    sender: str
    raw: bytes = field(repr=False)
    status: str
    tries: int
    """Tries that ended in an exception."""
    kills: int
    """Tries whose isolated process was killed."""
    error: str | None
    full_size: int | None
    """Bytes of the whole mail if it was too large: then `raw` holds only its head. Otherwise None."""
    setbacks: int
    """Tries that failed for no fault of the mail: its worker ended, or the database refused this statement."""
    not_before: datetime
    """After a failure: when to try again."""
    size: int = 0
    """Bytes stored, before secrets were masked."""
    priority: int = UNKNOWN_SENDERS
    host: str | None = None
    """The host that delivered it to our listener, if that is outside our own network."""

    @property
    def is_held_up(self) -> bool:
        """Whether it waits after a failure."""
        return self.status == "waiting" and self.tries + self.kills + self.setbacks > 0


def add(
    connection: Connection,
    raw: bytes,
    envelope_sender: str,
    recipients: Sequence[str],
    sender: str,
    now: datetime,
    full_size: int | None = None,
    priority: int = UNKNOWN_SENDERS,
    host: str | None = None,
) -> int:
    """Stores a mail. `sender` is its From address in lower case: mails of one sender are handled in order."""
    row = new_row(raw, envelope_sender, recipients, sender, now, full_size, priority, host)
    mail_id: int = connection.execute(_STORE_ONE, row).scalar_one()
    return mail_id


def add_all(connection: Connection, rows: Sequence[dict[str, object]]) -> list[int]:
    """Stores rows made by `new_row` and gives their ids, which ascend in the order given."""
    # Not in one INSERT: the place of a mail in the queue depends on those of its sender before it.
    if connection.dialect.name == "sqlite":  # there is one writer, so they are numbered without a gap
        connection.execute(_STORE, rows)
        last: int = connection.execute(_LAST_NUMBER).scalar_one()
        return [*range(last - len(rows) + 1, last + 1)]
    numbers = sorted(connection.execute(_NEXT_NUMBERS, {"count": len(rows)}).scalars())
    connection.execute(_STORE, [{**row, "id": number} for row, number in zip(rows, numbers, strict=True)])
    return numbers


def new_row(
    raw: bytes,
    envelope_sender: str,
    recipients: Sequence[str],
    sender: str,
    now: datetime,
    full_size: int | None = None,
    priority: int = UNKNOWN_SENDERS,
    host: str | None = None,
) -> dict[str, object]:
    """A row for `add_all`. Parameters as for `add`, and the host that delivered the mail."""
    return {
        "received_at": now,
        "envelope_sender": envelope_sender,
        "recipients": list(recipients),
        "sender": sender,
        "raw": raw,
        "full_size": full_size,
        "size": len(raw),
        "priority": priority,
        "host": host,
        "of_sender": sender,
        "in_priority": priority,
        "came_at": int(now.timestamp()),
        "status": "waiting",
        "tries": 0,
        "kills": 0,
        "setbacks": 0,
        "not_before": now,
    }


def take(connection: Connection, now: datetime, priorities: Sequence[int] = PRIORITIES) -> InboxMessage | None:
    """The next mail to handle, locked until the transaction ends; None if there is none.

    Priorities are tried in the order given. Skips mails that another worker has locked, and mails behind an
    earlier one of the same sender. SQLite locks the whole file.
    """
    found = (_one(connection, _TAKE[priority], _moments(now)) for priority in priorities)
    return next((mail for mail in found if mail is not None), None)


def next_few(connection: Connection, now: datetime, priority: int, most: int) -> Sequence[int]:
    """The numbers of the next mails of a priority, each the first of its sender, in order; nothing is locked."""
    return connection.execute(_NEXT_FEW[priority], {"most": most, **_moments(now)}).scalars().all()


def claim(connection: Connection, mail_id: int, now: datetime) -> InboxMessage | None:
    """Locks one mail that was waiting. None if another worker was quicker."""
    return _one(connection, _CLAIM, {"mail_id": mail_id, **_moments(now)})


def next_retry(connection: Connection) -> datetime | None:
    """When the next of the mails that have failed is due, which may be past; None if there is none."""
    due: datetime | None = connection.execute(_NEXT_RETRY).scalar_one()
    return due


def key_digest(content_key: str) -> bytes:
    """What is stored for good of a content key, which is a digest in hex: half of it is enough."""
    return bytes.fromhex(content_key)[:16]


def asked_key(content_key: str) -> str:
    """What is stored for the content key of a mail about which its sender was only asked: a proven copy counts."""
    return hashlib.sha256(f"asked {content_key}".encode()).hexdigest()


def finish(
    connection: Connection,
    mail_id: int,
    fate: FinalStatus,
    now: datetime,
    content_key: str | None = None,
    *,
    masked: bytes,
    outcome: str | None = None,
) -> None:
    """Records that a mail is done. `masked` replaces its raw bytes, which may hold a secret; `outcome` are
    sentences about what became of it.

    The envelope is deleted too: our personal From addresses are secrets of the players who got them.
    """
    changed = {"new_status": fate, "new_handled_at": now, "new_outcome": outcome, "new_raw": masked}
    connection.execute(_FINISH, {"mail_id": mail_id, **changed})
    if content_key is not None:
        connection.execute(_KNOW, {"digest": key_digest(content_key), "inbox_id": mail_id})


def listing(connection: Connection, status: str | None, count: int) -> list[InboxMessage]:
    """The newest mails, of one status or of any."""
    query = select(inbox).order_by(inbox.c.id.desc()).limit(count)
    rows = connection.execute(query if status is None else query.where(inbox.c.status == status))
    return [inbox_message(row) for row in rows]


def has_no_failures() -> ColumnElement[bool]:
    """SQL: whether handling this mail has never failed."""
    return (inbox.c.tries == 0) & (inbox.c.kills == 0) & (inbox.c.setbacks == 0)


def _moments(now: datetime) -> dict[str, object]:
    return {"now": now, "beyond": now + LONGEST_WAIT}


def _may_be_handled(priority: int | None = None) -> ColumnElement[bool]:
    # `not_before` counts only after a failure: the receiving host's clock may differ from ours. A wait longer than
    # any we set comes from a clock that ran ahead.
    is_due = (
        has_no_failures() | (inbox.c.not_before <= bindparam("now")) | (inbox.c.not_before > bindparam("beyond"))
    )
    return is_waiting(inbox) & is_due & is_next_of_sender(priority)


def _next_of(priority: int, *columns: Any) -> Select[Any]:
    waiting = select(*columns).where(inbox.c.priority == literal_column(str(priority)), _may_be_handled(priority))
    return waiting.order_by(inbox.c.queue_position, inbox.c.id)


def _one(connection: Connection, query: Select[Any], values: dict[str, object]) -> InboxMessage | None:
    row = connection.execute(query, values).one_or_none()
    return None if row is None else inbox_message(row)


def inbox_message(row: Row[Any]) -> InboxMessage:
    """The value of a row."""
    return InboxMessage(
        row.id,
        row.received_at,
        row.envelope_sender,
        tuple(row.recipients),
        row.sender,
        row.raw,
        row.status,
        row.tries,
        row.kills,
        row.error,
        row.full_size,
        row.setbacks,
        row.not_before,
        row.size,
        row.priority,
        row.host,
    )


# Built once: building a statement costs more than SQLite takes to run it.
_STORE: Final = insert(inbox).values(queue_position=next_position())
_STORE_ONE: Final = _STORE.returning(inbox.c.id)
_LAST_NUMBER: Final = select(func.last_insert_rowid())
_NEXT_NUMBERS: Final = text(
    "SELECT nextval(pg_get_serial_sequence('inbox', 'id')) FROM generate_series(1, :count)"
)
_TAKE: Final = {
    priority: _next_of(priority, inbox).limit(1).with_for_update(skip_locked=True, of=inbox)
    for priority in PRIORITIES
}
_NEXT_FEW: Final = {priority: _next_of(priority, inbox.c.id).limit(bindparam("most")) for priority in PRIORITIES}
_CLAIM: Final = (
    select(inbox)
    .where(inbox.c.id == bindparam("mail_id"), _may_be_handled())
    .with_for_update(skip_locked=True, of=inbox)
)
_NEXT_RETRY: Final = select(func.min(inbox.c.not_before)).where(is_waiting(inbox), ~has_no_failures())
_KNOW: Final = insert(content_keys)
_FINISH: Final = (
    update(inbox)
    .where(inbox.c.id == bindparam("mail_id"))
    .values(
        status=bindparam("new_status"),
        handled_at=bindparam("new_handled_at"),
        outcome=bindparam("new_outcome"),
        raw=bindparam("new_raw"),
        envelope_sender="",
        recipients=[],
        error=None,
    )
)


REPAIRED_WITHIN: Final = timedelta(days=7)
"""How long a turn waits for a failing mail from an unknown address: a password in it may identify the player."""


def may_hold_a_move(
    connection: Connection, player_id: int, since: datetime, until: datetime, now: datetime
) -> bool:
    """Whether an unhandled mail may hold this player's move for the turn from `since` to `until`.

    A waiting mail counts if it is from one of the player's addresses, or was received by `until` and either has
    never failed or is recent. A quarantined mail counts if it was received since the turn began, and is from one
    of the player's addresses or was received by `until` and is recent.
    """
    theirs = inbox.c.sender.in_(select(addresses.c.address).where(addresses.c.player_id == player_id))
    is_fresh = and_(inbox.c.received_at <= until, inbox.c.received_at > now - REPAIRED_WITHIN)
    in_time = and_(inbox.c.received_at <= until, has_no_failures())
    waits = and_(inbox.c.status == literal_column("'waiting'"), or_(in_time, is_fresh, theirs))
    was_quarantined = and_(inbox.c.status == QUARANTINED, inbox.c.received_at >= since, or_(theirs, is_fresh))
    return any(
        connection.execute(select(inbox.c.id).where(condition).limit(1)).one_or_none() is not None
        for condition in (waits, was_quarantined)
    )
