"""The inbox: every mail that was taken in, until long after it was handled.

A row is "waiting" until its one handling transaction makes it "handled", "duplicate" (a second copy), "silent"
(never to be answered) or, after our own repeated failure, "set aside".
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Row, Select, exists, insert, select, update

from pbmserv.store.tables import inbox

Fate = Literal["handled", "duplicate", "silent"]
SET_ASIDE = "set aside"


@dataclass(frozen=True, slots=True)
class Kept:
    """A mail as it was kept. `tries` failed by an exception, `kills` by the end of a process.

    `full_size` (bytes) is None but for a mail that was too large, of which `raw` holds the head alone.
    """

    id: int
    kept_at: datetime
    envelope_sender: str
    recipients: tuple[str, ...]
    sender: str
    raw: bytes = field(repr=False)
    status: str
    tries: int
    kills: int
    error: str | None
    full_size: int | None


def keep(
    connection: Connection,
    raw: bytes,
    envelope_sender: str,
    recipients: Sequence[str],
    sender: str,
    now: datetime,
    full_size: int | None = None,
) -> int:
    """Stores a mail; `sender` is its From address in lower case, for the order of one sender's mails."""
    row = {
        "kept_at": now,
        "envelope_sender": envelope_sender,
        "recipients": list(recipients),
        "sender": sender,
        "raw": raw,
        "full_size": full_size,
        "status": "waiting",
        "tries": 0,
        "kills": 0,
        "not_before": now,
    }
    mail_id: int = connection.execute(insert(inbox).values(row).returning(inbox.c.id)).scalar_one()
    return mail_id


def first_waiting(connection: Connection, now: datetime) -> Kept | None:
    """The oldest mail that may be handled now: no other worker has it, none of its sender's is before it."""
    query = select(inbox).where(_may_be_handled(now)).order_by(inbox.c.id).limit(1)
    return _one(connection, query)


def claim(connection: Connection, mail_id: int, now: datetime) -> Kept | None:
    """Holds a waiting mail until the transaction ends; None when another worker was quicker."""
    return _one(connection, select(inbox).where(inbox.c.id == mail_id, _may_be_handled(now)))


def is_known(connection: Connection, content_key: str) -> bool:
    """Whether a mail with this content was handled before."""
    return connection.execute(select(exists().where(inbox.c.content_key == content_key))).scalar_one()


def finish(
    connection: Connection,
    mail_id: int,
    fate: Fate,
    now: datetime,
    content_key: str | None = None,
    masked: bytes | None = None,
) -> None:
    """Ends the handling of a mail; `masked` takes the place of raw bytes that held a secret."""
    changed: dict[str, object] = {"status": fate, "handled_at": now, "content_key": content_key, "error": None}
    if masked is not None:
        changed["raw"] = masked
    connection.execute(update(inbox).where(inbox.c.id == mail_id).values(changed))


def fail(connection: Connection, mail_id: int, error: str, again_at: datetime | None) -> bool:
    """Counts a failed try; the mail waits until `again_at`, or is set aside when that is None.

    False when it waits no more: another worker was luckier with it.
    """
    changed: dict[str, object] = {"tries": inbox.c.tries + 1, "error": error}
    query = update(inbox).where(inbox.c.id == mail_id, inbox.c.status == "waiting")
    return connection.execute(query.values(changed | _next(again_at))).rowcount == 1


def count_kill(connection: Connection, mail_id: int, most: int) -> Kept | None:
    """Notes that a process ended while it had the mail in hand; `most` kills set it aside, which gives it."""
    row = connection.execute(
        update(inbox)
        .where(inbox.c.id == mail_id, inbox.c.status == "waiting")
        .values(kills=inbox.c.kills + 1)
        .returning(inbox.c.kills)
    ).one_or_none()
    if row is None or row.kills < most:
        return None
    changed = {"status": SET_ASIDE, "error": f"{row.kills} processes ended while they handled it"}
    query = update(inbox).where(inbox.c.id == mail_id).values(changed)
    return _kept(connection.execute(query.returning(inbox)).one())


def retry(connection: Connection, mail_id: int, now: datetime) -> bool:
    """Lets a mail that was set aside wait again, its failures forgotten; False when there is no such mail."""
    changed = {"status": "waiting", "tries": 0, "kills": 0, "not_before": now}
    query = update(inbox).where(inbox.c.id == mail_id, inbox.c.status == SET_ASIDE).values(changed)
    return connection.execute(query).rowcount == 1


def listing(connection: Connection, status: str | None, count: int) -> list[Kept]:
    """The newest mails of a status, or of any."""
    query = select(inbox).order_by(inbox.c.id.desc()).limit(count)
    rows = connection.execute(query if status is None else query.where(inbox.c.status == status))
    return [_kept(row) for row in rows]


def _may_be_handled(now: datetime) -> ColumnElement[bool]:
    earlier = inbox.alias("earlier")
    is_before = exists().where(
        earlier.c.status == "waiting", earlier.c.sender == inbox.c.sender, earlier.c.id < inbox.c.id
    )
    return (inbox.c.status == "waiting") & (inbox.c.not_before <= now) & ~is_before


def _next(again_at: datetime | None) -> dict[str, object]:
    return {"status": SET_ASIDE} if again_at is None else {"not_before": again_at}


def _one(connection: Connection, query: Select[Any]) -> Kept | None:
    row = connection.execute(query.with_for_update(skip_locked=True, of=inbox)).one_or_none()
    return None if row is None else _kept(row)


def _kept(row: Row[Any]) -> Kept:
    return Kept(
        row.id,
        row.kept_at,
        row.envelope_sender,
        tuple(row.recipients),
        row.sender,
        row.raw,
        row.status,
        row.tries,
        row.kills,
        row.error,
        row.full_size,
    )
