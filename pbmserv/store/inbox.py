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

LONGEST_WAIT: Final = timedelta(hours=7)
"""No mail waits longer than that between two tries."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A mail as it was kept. `tries` failed by an exception, `kills` by the end of a process of its own.

    `setbacks` cannot be blamed on it: a worker ended that had it in hand, or the database refused it alone. Of a
    mail in trouble `not_before` is when it is tried again. `full_size` (bytes) is None but for a mail that was too
    large, of which `raw` holds the head alone. `size` is that of what was kept, before it was masked. `host`
    brought it, where that is somebody out in the net.
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
    setbacks: int
    not_before: datetime
    size: int = 0
    lane: int = STRANGERS
    host: str | None = None

    @property
    def is_held_up(self) -> bool:
        """Whether it waits after trouble."""
        return self.status == "waiting" and self.tries + self.kills + self.setbacks > 0


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
        "setbacks": 0,
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


def listing(connection: Connection, status: str | None, count: int) -> list[Kept]:
    """The newest mails of a status, or of any."""
    query = select(inbox).order_by(inbox.c.id.desc()).limit(count)
    rows = connection.execute(query if status is None else query.where(inbox.c.status == status))
    return [as_kept(row) for row in rows]


def is_untroubled() -> ColumnElement[bool]:
    """Of a row: whether nothing has gone wrong with it yet."""
    return (inbox.c.tries == 0) & (inbox.c.kills == 0) & (inbox.c.setbacks == 0)


def _moments(now: datetime) -> dict[str, object]:
    return {"now": now, "beyond": now + LONGEST_WAIT}


def _may_be_handled(lane: int | None = None) -> ColumnElement[bool]:
    # Only trouble makes a mail wait: whoever kept it may have another clock. And a wait that is longer than
    # any we set was set by a clock that ran ahead.
    is_due = (
        is_untroubled() | (inbox.c.not_before <= bindparam("now")) | (inbox.c.not_before > bindparam("beyond"))
    )
    return is_waiting(inbox) & is_due & in_turn(lane)


def _one(connection: Connection, query: Select[Any], values: dict[str, object]) -> Kept | None:
    row = connection.execute(query, values).one_or_none()
    return None if row is None else as_kept(row)


def as_kept(row: Row[Any]) -> Kept:
    """A row as a value."""
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
        row.setbacks,
        row.not_before,
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
