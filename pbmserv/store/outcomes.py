"""What became of a received mail, and the mails sent in reply to it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, func, select

from pbmserv.commands.letter import UNSOLICITED
from pbmserv.store.inbox import key_digest
from pbmserv.store.tables import content_keys, inbox, outbox

_SEARCHED: Final = 40
"""Mails to an address that are looked at to find what came from there."""


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
    """What became of a mail, in sentences; empty if it waits, or its row does not say."""
    return connection.execute(_TOLD, {"mail_id": mail_id}).scalar_one_or_none() or ""


def find_received(connection: Connection, sender: str, message_id: str) -> int | None:
    """The newest of the latest mails with that Message-ID from an address in lower case."""
    rows = connection.execute(_LATEST_OF, {"sender": sender})
    return next((row.id for row in rows if message_id.encode() in row.raw), None)


def kept_mails(connection: Connection, sender: str, address: str, most: int) -> Sequence[bytes]:
    """What is kept of the last mails from `sender`, in lower case, with answers to `address`; newest first."""
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
