"""The outbox: every mail that is to be sent, with a Message-ID that never changes, until long after it was sent.

A row is "waiting", then "sent" or "failed". Whoever takes rows to send leases them for a while, so that a sender
that dies loses nothing and sends at most again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, Row, func, insert, select, update

from pbmserv.store.tables import outbox

Kind = Literal["answer", "stranger", "short", "limit", "board"]
"""An answer to a player, to somebody unknown, a short one to such, the notice of a limit, a board unasked."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail to be queued. `token` stands in its addresses; `proven` tells whether a proof brought it about."""

    token: str
    kind: Kind
    proven: bool
    recipient: str
    envelope_sender: str
    message_id: str
    raw: bytes = field(repr=False)
    inbox_id: int | None = None
    player_id: int | None = None
    match: int | None = None


@dataclass(frozen=True, slots=True)
class Queued:
    """A row of the outbox."""

    id: int
    kind: Kind
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


def queue(connection: Connection, letter: Letter, now: datetime) -> None:
    """Adds a mail to those that wait."""
    row = {
        "token": letter.token,
        "inbox_id": letter.inbox_id,
        "player_id": letter.player_id,
        "match": letter.match,
        "recipient": letter.recipient,
        "envelope_sender": letter.envelope_sender,
        "message_id": letter.message_id,
        "raw": letter.raw,
        "proven": letter.proven,
        "kind": letter.kind,
        "created_at": now,
        "status": "waiting",
        "tries": 0,
        "not_before": now,
    }
    connection.execute(insert(outbox).values(row))


def lease(connection: Connection, now: datetime, until: datetime) -> Queued | None:
    """Takes the oldest mail that is due; nobody else gets it before `until`."""
    due = (
        select(outbox)
        .where(outbox.c.status == "waiting", outbox.c.not_before <= now)
        .order_by(outbox.c.not_before, outbox.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    row = connection.execute(due).one_or_none()
    if row is None:
        return None
    connection.execute(update(outbox).where(outbox.c.id == row.id).values(not_before=until))
    return _queued(row)


def sent(connection: Connection, mail_id: int, now: datetime) -> None:
    """The mail was handed over."""
    changed = {"status": "sent", "sent_at": now, "error": None, "tries": outbox.c.tries + 1}
    connection.execute(update(outbox).where(outbox.c.id == mail_id).values(changed))


def deferred(connection: Connection, mail_id: int, reason: str, again_at: datetime) -> None:
    """The mail was not taken, and is tried again."""
    changed = {"error": reason, "not_before": again_at, "tries": outbox.c.tries + 1}
    connection.execute(update(outbox).where(outbox.c.id == mail_id).values(changed))


def failed(connection: Connection, mail_id: int, reason: str) -> None:
    """The mail will not be taken."""
    changed = {"status": "failed", "error": reason, "tries": outbox.c.tries + 1}
    connection.execute(update(outbox).where(outbox.c.id == mail_id).values(changed))


def unproven_since(connection: Connection, address: str, since: datetime) -> int:
    """How many answers an address was sent that no proof was given for."""
    query = select(func.count()).select_from(outbox)
    counted = query.where(
        outbox.c.recipient == address, outbox.c.created_at > since, ~outbox.c.proven, outbox.c.kind != "board"
    )
    return connection.execute(counted).scalar_one()


def count_since(connection: Connection, kinds: Sequence[Kind], since: datetime, address: str | None = None) -> int:
    """How many mails of these kinds were queued, for all addresses or for one."""
    query = select(func.count()).select_from(outbox).where(outbox.c.kind.in_(kinds), outbox.c.created_at > since)
    return connection.execute(
        query if address is None else query.where(outbox.c.recipient == address)
    ).scalar_one()


def listing(connection: Connection, status: str | None, count: int) -> list[Queued]:
    """The newest mails of a status, or of any."""
    query = select(outbox).order_by(outbox.c.id.desc()).limit(count)
    rows = connection.execute(query if status is None else query.where(outbox.c.status == status))
    return [_queued(row) for row in rows]


def _queued(row: Row[Any]) -> Queued:
    return Queued(
        row.id,
        row.kind,
        row.recipient,
        row.envelope_sender,
        row.message_id,
        row.raw,
        row.match,
        row.status,
        row.tries,
        row.created_at,
        row.not_before,
        row.error,
    )
