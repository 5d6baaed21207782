"""The inbox: every mail received, kept for a while after it was handled. Its content key is kept for good.

A row starts as "waiting". The transaction that handles it makes it "handled", "duplicate" (a second copy),
"silent" (never answered) or "report" (one of our mails bounced). After repeated failures of our own it is "set
aside" (quarantined): `fail` and `count_kill` blame the mail, `set_back` does not, and only blame leads there.

The next mail is the one with the lowest queue position in the highest of three priorities. A mail's position is
the time it was received, or a while after the last mail of its sender, so a flood from one sender delays nobody
else of that priority. Mails of one sender stay in order, except that those of a higher priority overtake. A
priority proves nothing: who wrote a mail is decided when it is handled.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, Final, Literal

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    FromClause,
    Row,
    ScalarSelect,
    Select,
    and_,
    bindparam,
    case,
    func,
    insert,
    literal_column,
    or_,
    select,
    text,
    union_all,
    update,
)

from pbmserv.store.mail_tokens import digest, owners_of_old
from pbmserv.store.tables import addresses, content_keys, inbox, outbox, players

ANSWERS: Final = 0
"""Replies to a personal address, from the address of the player it was given to."""

PLAYERS: Final = 1
"""Mails whose From is the address of a player."""

UNKNOWN_SENDERS: Final = 2

PRIORITIES: Final = (ANSWERS, PLAYERS, UNKNOWN_SENDERS)
"""The highest first."""

SPACING: Final = 60
"""Seconds between the positions of two mails of one sender, as long as the first one waits."""


def priorities_of(connection: Connection, mails: Sequence[tuple[str, Sequence[str]]]) -> list[int]:
    """The priorities of mails, each determined by its sender and the tokens in its recipient addresses."""
    senders = {sender for sender, _ in mails}
    owners = {row.address: row.player_id for row in connection.execute(_OWNERS, {"senders": [*senders]})}
    digests = [[digest(word) for word in words] for _, words in mails]
    asked = list(chain.from_iterable(digests))
    rows = connection.execute(_ANSWERED, {"digests": asked}) if asked else ()
    # Who may answer each of our mails: its player, or who has its address.
    answered = {row.token_digest: {row.player_id, row.recipient} - {None} for row in rows}
    deleted = [each for each in asked if each not in answered]
    if deleted:
        answered |= {each: {owner} for each, owner in owners_of_old(connection, deleted).items()}
    found: list[int] = []
    for (sender, _), tokens in zip(mails, digests, strict=True):
        owner = owners.get(sender)
        is_reply = any(not answered.get(token, set()).isdisjoint((owner, sender)) for token in tokens)
        found.append(ANSWERS if is_reply else UNKNOWN_SENDERS if owner is None else PLAYERS)
    return found


def is_next_of_sender(priority: int | None = None) -> ColumnElement[bool]:
    """SQL: whether a mail is the first of its sender in its own priority and all higher ones."""
    if priority is not None:
        return inbox.c.id <= _first_of_its_sender(priority)
    return or_(*((inbox.c.priority == each) & (inbox.c.id <= _first_of_its_sender(each)) for each in PRIORITIES))


def next_position() -> ColumnElement[int]:
    """SQL: the position of a new mail; needs the parameters `of_sender`, `in_priority` and `came_at` (seconds)."""
    before = inbox.alias("before")
    theirs = (before.c.sender == bindparam("of_sender")) & (before.c.priority == bindparam("in_priority"))
    last = select(before.c.queue_position).where(is_waiting(before), theirs).order_by(before.c.id.desc()).limit(1)
    behind = func.coalesce(last.scalar_subquery() + SPACING, 0)
    came_at = bindparam("came_at", type_=BigInteger)
    return case((behind > came_at, behind), else_=came_at)


def is_waiting(table: FromClause) -> ColumnElement[bool]:
    """SQL: whether a mail waits to be handled."""
    # Literal, as in the indexes ix_inbox_waiting...: with a parameter they would not be used.
    return table.c.status == literal_column("'waiting'")


def _first_of_its_sender(slowest: int) -> ScalarSelect[int]:
    # "<=" means the same here as "=" or "not exists", but not to PostgreSQL's planner. With "=" it expects so few
    # rows that it sorts all waiting mails. It turns "exists" into a join that may read all of them for each. One
    # condition per priority makes it expect too few as well. And asking for "this priority or a higher one" in one
    # step reads all mails.
    firsts = union_all(*(_first_in(priority) for priority in PRIORITIES if priority <= slowest)).subquery()
    return select(func.min(firsts.c.id)).scalar_subquery()


def _first_in(priority: int) -> Select[tuple[int]]:
    waiting = inbox.alias("waiting")
    theirs = (waiting.c.sender == inbox.c.sender) & (waiting.c.priority == literal_column(str(priority)))
    return select(func.min(waiting.c.id).label("id")).where(is_waiting(waiting), theirs).correlate(inbox)


_OWNERS: Final = select(addresses.c.address, addresses.c.player_id).where(
    addresses.c.address.in_(bindparam("senders", expanding=True)), addresses.c.confirmed_at.is_not(None)
)
_REVOKED: Final = (
    select(players.c.revoked_up_to).where(players.c.id == outbox.c.player_id).correlate(outbox).scalar_subquery()
)
_ANSWERED: Final = select(outbox.c.token_digest, outbox.c.player_id, outbox.c.recipient).where(
    outbox.c.token_digest.in_(bindparam("digests", expanding=True)),
    outbox.c.id > func.coalesce(_REVOKED, 0),
)


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
    """Tries that failed for other reasons: the worker ended, or the database refused a statement."""
    not_before: datetime
    """When to try again after a failure."""
    size: int = 0
    """Bytes stored, before secrets were masked."""
    priority: int = UNKNOWN_SENDERS
    host: str | None = None
    """The host that delivered it to our listener, if that is outside our own network."""

    @property
    def is_held_up(self) -> bool:
        """Whether it waits after a failure."""
        return self.status == "waiting" and self.tries + self.kills + self.setbacks > 0


@dataclass(frozen=True, slots=True)
class NewMail:
    """A mail to be stored."""

    raw: bytes = field(repr=False)
    envelope_sender: str
    recipients: Sequence[str]
    sender: str
    """Its From address in lower case: mails of one sender are handled in order."""
    full_size: int | None = None
    """As of an `InboxMessage`."""
    priority: int = UNKNOWN_SENDERS
    host: str | None = None
    """As of an `InboxMessage`."""


def add(connection: Connection, mail: NewMail, now: datetime) -> int:
    """Stores a mail; returns its id."""
    mail_id: int = connection.execute(_STORE_ONE, _row_of(mail, now)).scalar_one()
    return mail_id


def add_all(connection: Connection, mails: Sequence[NewMail], now: datetime) -> list[int]:
    """Stores mails; returns their ids, ascending in the order given."""
    rows = [_row_of(mail, now) for mail in mails]
    # Not in one INSERT: the place of a mail in the queue depends on those of its sender before it.
    if connection.dialect.name == "sqlite":  # there is one writer, so they are numbered without a gap
        connection.execute(_STORE, rows)
        last: int = connection.execute(_LAST_NUMBER).scalar_one()
        return [*range(last - len(rows) + 1, last + 1)]
    numbers = sorted(connection.execute(_NEXT_NUMBERS, {"count": len(rows)}).scalars())
    connection.execute(_STORE, [{**row, "id": number} for row, number in zip(rows, numbers, strict=True)])
    return numbers


def _row_of(mail: NewMail, now: datetime) -> dict[str, object]:
    return {
        "received_at": now,
        "envelope_sender": mail.envelope_sender,
        "recipients": [*mail.recipients],
        "sender": mail.sender,
        "raw": mail.raw,
        "full_size": mail.full_size,
        "size": len(mail.raw),
        "priority": mail.priority,
        "host": mail.host,
        "of_sender": mail.sender,
        "in_priority": mail.priority,
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
    """The numbers of the next mails of a priority, each the first of its sender, in order. Locks nothing."""
    return connection.execute(_NEXT_FEW[priority], {"most": most, **_moments(now)}).scalars().all()


def claim(connection: Connection, mail_id: int, now: datetime) -> InboxMessage | None:
    """Locks a waiting mail and returns it; None if another worker was quicker."""
    return _one(connection, _CLAIM, {"mail_id": mail_id, **_moments(now)})


def next_retry(connection: Connection) -> datetime | None:
    """When the next failed mail is due again, which may be past; None if there is none."""
    due: datetime | None = connection.execute(_NEXT_RETRY).scalar_one()
    return due


def key_digest(content_key: str) -> bytes:
    """The part of a content key (a hex digest) that is stored for good: half is enough."""
    return bytes.fromhex(content_key)[:16]


def asked_key(content_key: str) -> str:
    """The key stored for a mail whose sender was only asked about it, so that a proven copy is still handled."""
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
    """Records that a mail was handled. `masked` replaces its raw bytes, which may hold a secret; `outcome` are
    sentences about the result.

    Deletes the envelope too: personal From addresses are secrets of the players who got them.
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
    """The InboxMessage of a row."""
    values = {name: getattr(row, name) for name in _STORED}
    return InboxMessage(**values | {"recipients": tuple(row.recipients)})


_STORED: Final = tuple(each.name for each in fields(InboxMessage))
"""The fields of a message that are named like their columns."""

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


def fail(connection: Connection, mail_id: int, error: str, again_at: datetime | None) -> bool:
    """Counts a failed try. The mail waits until `again_at`, or is quarantined if that is None.

    False if it no longer waits, because another worker succeeded.
    """
    changed: dict[str, object] = {"tries": inbox.c.tries + 1, "error": error}
    query = update(inbox).where(inbox.c.id == mail_id, inbox.c.status == "waiting")
    return connection.execute(query.values(changed | _next(again_at))).rowcount == 1


def count_kill(
    connection: Connection, mail_id: int, kills: int, error: str, again_at: datetime | None
) -> InboxMessage | None:
    """Counts a killed isolated process; `kills` is the count before it.

    The mail waits until `again_at`; if that is None it is quarantined and returned. Returns None otherwise, also
    if the mail no longer waits or another worker has counted already.
    """
    changed: dict[str, object] = {"kills": kills + 1, "error": error}
    query = update(inbox).where(inbox.c.id == mail_id, inbox.c.status == "waiting", inbox.c.kills == kills)
    row = connection.execute(query.values(changed | _next(again_at)).returning(inbox)).one_or_none()
    return None if row is None or again_at is not None else inbox_message(row)


def set_back(connection: Connection, mail_id: int, error: str, again_at: Callable[[int], datetime]) -> int:
    """Counts a failed try that was not the mail's fault; returns the new count, or 0 if the mail no longer waits.

    `again_at` computes the time of the next try from the count.
    """
    is_it = (inbox.c.id == mail_id) & (inbox.c.status == "waiting")
    counted = update(inbox).where(is_it).values(setbacks=inbox.c.setbacks + 1, error=error)
    setbacks: int | None = connection.execute(counted.returning(inbox.c.setbacks)).scalar_one_or_none()
    if setbacks is None:
        return 0
    connection.execute(update(inbox).where(is_it).values(not_before=again_at(setbacks)))
    return setbacks


def retry(connection: Connection, mail_id: int, now: datetime) -> bool:
    """Puts a quarantined mail back in the queue with its counts at zero; False if there is no such mail."""
    changed = {"status": "waiting", "tries": 0, "kills": 0, "setbacks": 0, "not_before": now}
    query = update(inbox).where(inbox.c.id == mail_id, inbox.c.status == QUARANTINED).values(changed)
    return connection.execute(query).rowcount == 1


def find_quarantined(connection: Connection, mail_id: int) -> InboxMessage | None:
    """A quarantined mail; None if there is no such mail."""
    row = connection.execute(
        select(inbox).where(inbox.c.id == mail_id, inbox.c.status == QUARANTINED)
    ).one_or_none()
    return None if row is None else inbox_message(row)


def _next(again_at: datetime | None) -> dict[str, object]:
    return {"status": QUARANTINED} if again_at is None else {"not_before": again_at}
