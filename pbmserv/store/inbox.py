"""The inbox: every mail that was taken in, until long after it was handled.

A row is "waiting" until its one handling transaction makes it "handled", "duplicate" (a second copy), "silent"
(never to be answered), "report" (a mail of ours came back) or, after our own repeated failure, "set aside".

Which waiting mail is next is told by its lane and its place there (`lanes`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    bindparam,
    exists,
    insert,
    literal_column,
    select,
    update,
)

from pbmserv.store.lanes import LANES, STRANGERS, in_turn, is_waiting, place
from pbmserv.store.tables import inbox

Fate = Literal["handled", "duplicate", "silent", "report"]
SET_ASIDE = "set aside"

LONGEST_WAIT: Final = timedelta(minutes=15)
"""No mail waits longer than that between two tries."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A mail as it was kept. `tries` failed by an exception, `kills` by the end of a process.

    `full_size` (bytes) is None but for a mail that was too large, of which `raw` holds the head alone. `size` is
    that of what was kept, before it was masked. `host` brought it, where that is somebody out in the net.
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
    size: int = 0
    lane: int = STRANGERS
    host: str | None = None


def keep(
    connection: Connection,
    raw: bytes,
    envelope_sender: str,
    recipients: Sequence[str],
    sender: str,
    now: datetime,
    full_size: int | None = None,
    lane: int = STRANGERS,
) -> int:
    """Stores a mail; `sender` is its From address in lower case, for the order of one sender's mails."""
    row = new_row(raw, envelope_sender, recipients, sender, now, full_size, lane)
    mail_id: int = connection.execute(_KEEP_ONE, row).scalar_one()
    return mail_id


def keep_all(connection: Connection, rows: Sequence[dict[str, object]]) -> None:
    """Stores mails, each as `new_row` makes it; their numbers go up in the order given."""
    connection.execute(_KEEP, rows)


def new_row(
    raw: bytes,
    envelope_sender: str,
    recipients: Sequence[str],
    sender: str,
    now: datetime,
    full_size: int | None = None,
    lane: int = STRANGERS,
    host: str | None = None,
) -> dict[str, object]:
    """What is stored of a mail; parameters as for `keep`, and the host that brought it."""
    return {
        "kept_at": now,
        "envelope_sender": envelope_sender,
        "recipients": list(recipients),
        "sender": sender,
        "raw": raw,
        "full_size": full_size,
        "size": len(raw),
        "lane": lane,
        "host": host,
        "of_sender": sender,
        "in_lane": lane,
        "came_at": int(now.timestamp()),
        "status": "waiting",
        "tries": 0,
        "kills": 0,
        "not_before": now,
    }


def take(connection: Connection, now: datetime, lanes: Sequence[int] = LANES) -> Kept | None:
    """The next mail that may be handled now, held until the transaction ends; None when there is none.

    It is of the first of these lanes that has one which no other worker holds, and which waits for no other of its
    sender's. SQLite holds all of its file.
    """
    found = (_one(connection, _TAKE[lane], _moments(now)) for lane in lanes)
    return next((kept for kept in found if kept is not None), None)


def claim(connection: Connection, mail_id: int, now: datetime) -> Kept | None:
    """The same for one mail, which was seen waiting; None when another worker was quicker."""
    return _one(connection, _CLAIM, {"mail_id": mail_id, **_moments(now)})


def is_known(connection: Connection, content_key: str) -> bool:
    """Whether a mail with this content was handled before."""
    return connection.execute(_IS_KNOWN, {"key": content_key}).scalar_one()


def finish(
    connection: Connection,
    mail_id: int,
    fate: Fate,
    now: datetime,
    content_key: str | None = None,
    *,
    masked: bytes,
) -> None:
    """Ends the handling of a mail; `masked` takes the place of its raw bytes, which may hold a secret.

    Its envelope goes: the addresses that our mails come from are secrets of those who got them.
    """
    changed = {"new_status": fate, "new_handled_at": now, "new_content_key": content_key, "new_raw": masked}
    connection.execute(_FINISH, {"mail_id": mail_id, **changed})


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


def _next(again_at: datetime | None) -> dict[str, object]:
    return {"status": SET_ASIDE} if again_at is None else {"not_before": again_at}


def _moments(now: datetime) -> dict[str, object]:
    return {"now": now, "beyond": now + LONGEST_WAIT}


def _may_be_handled(lane: int | None = None) -> ColumnElement[bool]:
    # Only a failed try makes a mail wait: whoever kept it may have another clock. And a wait that is longer than
    # any we set was set by a clock that ran ahead.
    is_due = (
        (inbox.c.tries == 0)
        | (inbox.c.not_before <= bindparam("now"))
        | (inbox.c.not_before > bindparam("beyond"))
    )
    return is_waiting(inbox) & is_due & in_turn(lane)


def _one(connection: Connection, query: Select[Any], values: dict[str, object]) -> Kept | None:
    row = connection.execute(query, values).one_or_none()
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
        row.size,
        row.lane,
        row.host,
    )


# Statements that every mail needs are built once: building costs more than what SQLite does for them.
_KEEP: Final = insert(inbox).values(place=place())
_KEEP_ONE: Final = _KEEP.returning(inbox.c.id)
_TAKE: Final = {
    lane: select(inbox)
    .where(inbox.c.lane == literal_column(str(lane)), _may_be_handled(lane))
    .order_by(inbox.c.place, inbox.c.id)
    .limit(1)
    .with_for_update(skip_locked=True, of=inbox)
    for lane in LANES
}
_CLAIM: Final = (
    select(inbox)
    .where(inbox.c.id == bindparam("mail_id"), _may_be_handled())
    .with_for_update(skip_locked=True, of=inbox)
)
_IS_KNOWN: Final = select(exists().where(inbox.c.content_key == bindparam("key")))
_FINISH: Final = (
    update(inbox)
    .where(inbox.c.id == bindparam("mail_id"))
    .values(
        status=bindparam("new_status"),
        handled_at=bindparam("new_handled_at"),
        content_key=bindparam("new_content_key"),
        raw=bindparam("new_raw"),
        envelope_sender="",
        recipients=[],
        error=None,
    )
)
