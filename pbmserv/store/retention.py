"""Retention: deletes old mails. Small tables keep what duplicate detection and answers still need.

Each function does one small batch in the given transaction. It never touches a mail that waits, is quarantined, or
may still have to be sent to a suspended address. The newest row of each table is redacted instead of deleted,
since SQLite would reuse its id.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final

from sqlalchemy import ColumnElement, Connection, Table, and_, delete, func, or_, select, text, update

from pbmserv.store import counts, mail_tokens
from pbmserv.store.bounces import is_settled, may_be_sent_again
from pbmserv.store.inbox import QUARANTINED
from pbmserv.store.tables import bounces, inbox, outbox

DISCARDED: Final = "discarded"

# Exactly the conditions of the indexes ix_inbox_retention and ix_outbox_retention: else SQLite does not use them.
_HANDLED: Final = text("handled_at IS NOT NULL")
_DONE: Final = text("status <> 'waiting'")

_REDACTED: Final[Mapping[Table, Mapping[str, object]]] = MappingProxyType(
    {
        inbox: {
            "envelope_sender": "",
            "recipients": [],
            "sender": "",
            "raw": b"",
            "error": None,
            "host": None,
            "outcome": None,
        },
        outbox: {
            "recipient": "",
            "envelope_sender": "",
            "message_id": "",
            "raw": b"",
            "error": None,
            "bounce_digest": None,
            "key_digest": None,
            "leave_digest": None,
            "leave_kind": None,
            "queue_id": None,
        },
    }
)
"""The values of redacted columns."""


def count_due(connection: Connection, before: datetime) -> int:
    """How many mails, received or sent, are due."""
    queries = (_is_due_in_inbox(before), _is_due_in_outbox(before))
    tables = (inbox, outbox)
    return sum(
        connection.execute(select(func.count()).select_from(table).where(old)).scalar_one()
        for table, old in zip(tables, queries, strict=True)
    )


def purge_inbox(connection: Connection, before: datetime, now: datetime, most: int) -> int:
    """Deletes received mails handled before then; returns their number."""
    return _purge(connection, inbox, _batch(connection, inbox, _is_due_in_inbox(before), most), now)


def purge_outbox(
    connection: Connection, before: datetime, proving_since: datetime, now: datetime, most: int
) -> int:
    """Deletes sent mails queued before then; returns their number.

    An answer to a mail about a board is still recognised while the board is played on, or the mail was written
    after `proving_since`. Its play links are dead.
    """
    batch = _batch(connection, outbox, _is_due_in_outbox(before), most)
    mail_tokens.keep_tokens(connection, batch, proving_since)
    return _purge(connection, outbox, batch, now)


def purge_bounces(connection: Connection, before: datetime) -> int:
    """Deletes bounces from before then; returns their number."""
    return connection.execute(delete(bounces).where(bounces.c.at < before, is_settled())).rowcount


def discard(connection: Connection, mail_id: int, now: datetime) -> bool:
    """Redacts a quarantined mail, which will never be handled; False if there is no such mail."""
    changed = {**_REDACTED[inbox], "status": DISCARDED, "handled_at": now, "redacted_at": now}
    query = update(inbox).where(inbox.c.id == mail_id, inbox.c.status == QUARANTINED).values(changed)
    return connection.execute(query).rowcount == 1


def redact(connection: Connection, mail_id: int, now: datetime) -> None:
    """Redacts one handled mail."""
    mine = update(inbox).where(inbox.c.id == mail_id)
    connection.execute(mine.values({**_REDACTED[inbox], "redacted_at": now}))


def redact_sent(connection: Connection, mail_id: int, now: datetime) -> None:
    """Redacts one mail that was sent, or that failed."""
    mine = update(outbox).where(outbox.c.id == mail_id, outbox.c.status != "waiting")
    connection.execute(mine.values({**_REDACTED[outbox], "redacted_at": now}))


def redact_player(connection: Connection, player_id: int, theirs: Sequence[str], now: datetime) -> None:
    """Redacts every mail from and to a player whose account is being deleted; `theirs` are their addresses.

    Mails waiting to be sent to them fail, unless a sender has leased them. Unhandled mails from them will count
    as an unknown sender's.
    """
    from_them = inbox.c.sender.in_(theirs)
    quarantined = update(inbox).where(from_them, inbox.c.status == QUARANTINED)
    connection.execute(quarantined.values(status=DISCARDED, handled_at=now))
    handled = update(inbox).where(from_them, inbox.c.handled_at.is_not(None))
    connection.execute(handled.values({**_REDACTED[inbox], "redacted_at": now}))
    to_them = or_(outbox.c.player_id == player_id, outbox.c.recipient.in_(theirs))
    idle = select(outbox.c.id).where(to_them).with_for_update(skip_locked=True)
    mails = list(connection.execute(idle).scalars())
    unsent = update(outbox).where(outbox.c.id.in_(mails), outbox.c.status.not_in(("sent", "bounced", "failed")))
    connection.execute(unsent.values(status="failed"))
    ours = update(outbox).where(outbox.c.id.in_(mails))
    connection.execute(ours.values({**_REDACTED[outbox], "player_id": None}))
    mail_tokens.forget_tokens_of(connection, player_id)
    connection.execute(delete(bounces).where(bounces.c.address.in_(theirs)))
    counts.forget(connection, [str(player_id), *theirs, *(f"{each} proven" for each in theirs)])


def _is_due_in_inbox(before: datetime) -> ColumnElement[bool]:
    return and_(_HANDLED, inbox.c.handled_at < before, _is_left(inbox))


def _is_due_in_outbox(before: datetime) -> ColumnElement[bool]:
    return and_(_DONE, outbox.c.created_at < before, _is_left(outbox), ~may_be_sent_again())


def _is_left(table: Table) -> ColumnElement[bool]:
    newest = select(func.max(table.alias().c.id)).scalar_subquery()
    return or_(table.c.redacted_at.is_(None), table.c.id < newest)


def _batch(connection: Connection, table: Table, old: ColumnElement[bool], most: int) -> list[int]:
    # Rows that another process has locked are its to do.
    query = select(table.c.id).where(old).limit(most).with_for_update(skip_locked=True)
    return list(connection.execute(query).scalars())


def _purge(connection: Connection, table: Table, mails: Sequence[int], now: datetime) -> int:
    if not mails:
        return 0
    newest = select(func.max(table.alias().c.id)).scalar_subquery()
    ours = table.c.id.in_(mails)
    connection.execute(delete(table).where(ours, table.c.id < newest))
    connection.execute(update(table).where(ours).values({**_REDACTED[table], "redacted_at": now}))
    return len(mails)
