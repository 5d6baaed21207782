"""What became of a mail that was taken in, and the mails that it has caused."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, func, select

from pbmserv.store.outbox import UNASKED
from pbmserv.store.tables import inbox, outbox


@dataclass(frozen=True, slots=True)
class Fate:
    """How a mail that was taken in stands: its status, when it was kept, and what is kept of it."""

    status: str
    kept_at: datetime
    raw: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Caused:
    """A mail of ours that another brought about; `status` is its row's in the outbox."""

    recipient: str
    message_id: str
    status: str


def status_of(connection: Connection, mail_id: int) -> str | None:
    """The status of a mail's row in the inbox; None when there is no such mail."""
    return connection.execute(_STATUS, {"mail_id": mail_id}).scalar_one_or_none()


def fate(connection: Connection, mail_id: int) -> Fate | None:
    """How a mail in the inbox stands; None when there is no such mail."""
    row = connection.execute(_FATE, {"mail_id": mail_id}).one_or_none()
    return None if row is None else Fate(row.status, row.kept_at, row.raw)


def first_of(connection: Connection, content_key: str) -> int | None:
    """The mail of that content that was obeyed; None as long as none was."""
    return connection.execute(_FIRST_OF, {"content_key": content_key}).scalar_one_or_none()


def caused_by(connection: Connection, mail_id: int) -> list[Caused]:
    """The mails that it brought about, in the order in which they were queued."""
    return [Caused(*row) for row in connection.execute(_CAUSED_BY, {"mail_id": mail_id})]


def answer_to(connection: Connection, mail_id: int, player_id: int) -> bytes:
    """What a player was answered to a mail; empty when there was no answer, or its words were let go of."""
    return connection.execute(_ANSWER_TO, {"mail_id": mail_id, "player_id": player_id}).scalar() or b""


def weight_since(connection: Connection, address: str, since: datetime) -> tuple[int, int]:
    """Bytes of the answers that an address was sent without any proof, and of the mails that they answer."""
    values = {"address": address, "since": since}
    sent = connection.execute(_BYTES_SENT, values).scalar_one()
    return int(sent), int(connection.execute(_BYTES_ANSWERED, values).scalar_one())


_IS_UNPROVEN: Final = (
    outbox.c.recipient == bindparam("address"),
    outbox.c.created_at > bindparam("since"),
    ~outbox.c.proven,
    outbox.c.kind.not_in(("board", "fruitless")),
)
_BYTES_SENT: Final = select(func.coalesce(func.sum(func.length(outbox.c.raw)), 0)).where(*_IS_UNPROVEN)
_BYTES_ANSWERED: Final = select(func.coalesce(func.sum(inbox.c.size), 0)).where(
    inbox.c.id.in_(select(outbox.c.inbox_id).where(*_IS_UNPROVEN))
)
_STATUS: Final = select(inbox.c.status).where(inbox.c.id == bindparam("mail_id"))
_FATE: Final = select(inbox.c.status, inbox.c.kept_at, inbox.c.raw).where(inbox.c.id == bindparam("mail_id"))
_FIRST_OF: Final = select(inbox.c.id).where(inbox.c.content_key == bindparam("content_key"))
_CAUSED_BY: Final = (
    select(outbox.c.recipient, outbox.c.message_id, outbox.c.status)
    .where(outbox.c.inbox_id == bindparam("mail_id"))
    .order_by(outbox.c.id)
)
_ANSWER_TO: Final = (
    select(outbox.c.raw)
    .where(
        outbox.c.inbox_id == bindparam("mail_id"),
        outbox.c.player_id == bindparam("player_id"),
        outbox.c.kind.not_in((*UNASKED, "question")),
    )
    .order_by(outbox.c.id)
    .limit(1)
)
