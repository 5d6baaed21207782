"""Retention: redacts old mails. What the match log, duplicate detection and replies still need stays.

Each function does one small batch in the given transaction. It never touches a mail that waits, is quarantined, or
may still have to be sent to a suspended address.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final

from sqlalchemy import ColumnElement, Connection, Table, and_, delete, func, or_, select, text, update

from pbmserv.store import wordy_mails
from pbmserv.store.bounces import is_settled, may_be_sent_again
from pbmserv.store.inbox import QUARANTINED
from pbmserv.store.tables import bounces, inbox, outbox

DISCARDED: Final = "discarded"

# Exactly the conditions of the indexes ix_inbox_retention and ix_outbox_retention: else SQLite does not use them.
_HANDLED: Final = and_(text("handled_at IS NOT NULL"), text("redacted_at IS NULL"))
_DONE: Final = and_(text("status <> 'waiting'"), text("redacted_at IS NULL"))

_REDACTED_INBOX: Final[Mapping[str, object]] = MappingProxyType(
    {
        "envelope_sender": "",
        "recipients": [],
        "sender": "",
        "raw": b"",
        "error": None,
        "host": None,
        "outcome": None,
    }
)
_REDACTED_OUTBOX: Final[Mapping[str, object]] = MappingProxyType(
    {
        "recipient": "",
        "envelope_sender": "",
        "message_id": "",
        "raw": b"",
        "error": None,
        "key_digest": None,
        "leave_digest": None,
        "leave_kind": None,
    }
)


def count_due(connection: Connection, before: datetime) -> int:
    """How many mails, received or sent, are due."""
    queries = (_is_due_in_inbox(before), _is_due_in_outbox(before))
    tables = (inbox, outbox)
    return sum(
        connection.execute(select(func.count()).select_from(table).where(old)).scalar_one()
        for table, old in zip(tables, queries, strict=True)
    )


def purge_inbox(connection: Connection, before: datetime, now: datetime, most: int) -> int:
    """Redacts received mails that were handled before then, and gives how many.

    Id, times, status and content key stay, so that a second copy is recognised for ever.
    """
    batch = _batch(connection, inbox, _is_due_in_inbox(before), most)
    changed = {**_REDACTED_INBOX, "redacted_at": now}
    return connection.execute(update(inbox).where(inbox.c.id.in_(batch)).values(changed)).rowcount


def purge_outbox(connection: Connection, before: datetime, now: datetime, most: int) -> tuple[int, int]:
    """Redacts or deletes sent mails that were queued before then; gives how many of each.

    A mail about a board keeps the board, the player and the token's digest: a reply to it still works, its play
    link does not. All others are deleted, except the newest row, whose id SQLite would reuse.
    """
    batch = _batch(connection, outbox, _is_due_in_outbox(before), most)
    ours = outbox.c.id.in_(batch)
    newest = select(func.max(outbox.c.id)).scalar_subquery()
    deleted = connection.execute(delete(outbox).where(ours, outbox.c.match.is_(None), outbox.c.id < newest))
    redacted = connection.execute(update(outbox).where(ours).values({**_REDACTED_OUTBOX, "redacted_at": now}))
    return redacted.rowcount, deleted.rowcount


def purge_bounces(connection: Connection, before: datetime) -> int:
    """Deletes bounces from before then, and gives how many."""
    return connection.execute(delete(bounces).where(bounces.c.at < before, is_settled())).rowcount


def discard(connection: Connection, mail_id: int, now: datetime) -> bool:
    """Redacts a quarantined mail for good, unhandled; False if there is no such mail."""
    changed = {**_REDACTED_INBOX, "status": DISCARDED, "handled_at": now, "redacted_at": now}
    query = update(inbox).where(inbox.c.id == mail_id, inbox.c.status == QUARANTINED).values(changed)
    return connection.execute(query).rowcount == 1


def redact(connection: Connection, mail_id: int, now: datetime) -> None:
    """Redacts one handled mail."""
    mine = update(inbox).where(inbox.c.id == mail_id)
    connection.execute(mine.values({**_REDACTED_INBOX, "redacted_at": now}))


def redact_sent(connection: Connection, mail_id: int, now: datetime) -> None:
    """Redacts one mail that was sent, or that failed."""
    mine = update(outbox).where(outbox.c.id == mail_id, outbox.c.status != "waiting")
    connection.execute(mine.values({**_REDACTED_OUTBOX, "redacted_at": now}))


def redact_player(connection: Connection, player_id: int, theirs: Sequence[str], now: datetime) -> None:
    """Redacts every mail from and to a player whose account is being deleted; `theirs` are their addresses.

    Mails that wait for them are not sent, unless a sender holds one already. Mails from them that still wait will
    count as an unknown sender's.
    """
    from_them = inbox.c.sender.in_(theirs)
    quarantined = update(inbox).where(from_them, inbox.c.status == QUARANTINED)
    connection.execute(quarantined.values(status=DISCARDED, handled_at=now))
    handled = update(inbox).where(from_them, inbox.c.handled_at.is_not(None))
    connection.execute(handled.values({**_REDACTED_INBOX, "redacted_at": now}))
    to_them = or_(outbox.c.player_id == player_id, outbox.c.recipient.in_(theirs))
    idle = select(outbox.c.id).where(to_them).with_for_update(skip_locked=True)
    mails = list(connection.execute(idle).scalars())
    unsent = update(outbox).where(outbox.c.id.in_(mails), outbox.c.status.not_in(("sent", "failed")))
    connection.execute(unsent.values(status="failed"))
    ours = update(outbox).where(outbox.c.id.in_(mails))
    connection.execute(ours.values({**_REDACTED_OUTBOX, "player_id": None}))
    connection.execute(delete(bounces).where(bounces.c.address.in_(theirs)))
    wordy_mails.forget(connection, theirs)


def _is_due_in_inbox(before: datetime) -> ColumnElement[bool]:
    return _HANDLED & (inbox.c.handled_at < before)


def _is_due_in_outbox(before: datetime) -> ColumnElement[bool]:
    return _DONE & (outbox.c.created_at < before) & ~may_be_sent_again()


def _batch(connection: Connection, table: Table, old: ColumnElement[bool], most: int) -> list[int]:
    # Rows that another process has locked are its to do.
    query = select(table.c.id).where(old).limit(most).with_for_update(skip_locked=True)
    return list(connection.execute(query).scalars())
