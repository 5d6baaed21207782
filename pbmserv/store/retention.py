"""Letting go: what old mails said leaves the database, what the log and the roads still need of them stays.

Every function does one small batch in the transaction that it is given. Nothing that waits, was set aside or is
owed to a suspended address is touched.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final

from sqlalchemy import ColumnElement, Connection, Table, and_, delete, func, or_, select, text, update

from pbmserv.store.bounces import is_owed, is_settled
from pbmserv.store.inbox import SET_ASIDE
from pbmserv.store.tables import bounces, inbox, outbox

DISCARDED: Final = "discarded"

# In the very words of the indexes ix_inbox_tidy and ix_outbox_tidy: SQLite finds an index by them.
_HANDLED: Final = and_(text("handled_at IS NOT NULL"), text("tidied_at IS NULL"))
_DONE: Final = and_(text("status <> 'waiting'"), text("tidied_at IS NULL"))

_FORGOTTEN_IN: Final[Mapping[str, object]] = MappingProxyType(
    {"envelope_sender": "", "recipients": [], "sender": "", "raw": b"", "error": None, "host": None}
)
_FORGOTTEN_OUT: Final[Mapping[str, object]] = MappingProxyType(
    {"recipient": "", "envelope_sender": "", "message_id": "", "raw": b"", "error": None, "key_digest": None}
)


def count_old(connection: Connection, before: datetime) -> int:
    """How many mails, taken in or sent, there are to tidy."""
    queries = (_old_taken_in(before), _old_sent(before))
    tables = (inbox, outbox)
    return sum(
        connection.execute(select(func.count()).select_from(table).where(old)).scalar_one()
        for table, old in zip(tables, queries, strict=True)
    )


def tidy_inbox(connection: Connection, before: datetime, now: datetime, most: int) -> int:
    """Empties mails that were handled before then, and gives how many.

    Number, times, fate and content key stay: a second copy is known as one for ever.
    """
    batch = _batch(connection, inbox, _old_taken_in(before), most)
    changed = {**_FORGOTTEN_IN, "tidied_at": now}
    return connection.execute(update(inbox).where(inbox.c.id.in_(batch)).values(changed)).rowcount


def tidy_outbox(connection: Connection, before: datetime, now: datetime, most: int) -> tuple[int, int]:
    """Lets go of mails that were queued before then and wait no more; how many were emptied, how many deleted.

    A mail about a board keeps board, player, and its token's digest, so that it can still be answered, though not
    by its link to the pages; any other is deleted, but for the newest of all: SQLite would give its number again.
    """
    batch = _batch(connection, outbox, _old_sent(before), most)
    ours = outbox.c.id.in_(batch)
    newest = select(func.max(outbox.c.id)).scalar_subquery()
    deleted = connection.execute(delete(outbox).where(ours, outbox.c.match.is_(None), outbox.c.id < newest))
    emptied = connection.execute(update(outbox).where(ours).values({**_FORGOTTEN_OUT, "tidied_at": now}))
    return emptied.rowcount, deleted.rowcount


def tidy_bounces(connection: Connection, before: datetime) -> int:
    """Deletes reports of mails that did not arrive from before then, and gives how many."""
    return connection.execute(delete(bounces).where(bounces.c.at < before, is_settled())).rowcount


def discard(connection: Connection, mail_id: int, now: datetime) -> bool:
    """Empties a mail that was set aside, which is never handled then; False when no such mail is set aside."""
    changed = {**_FORGOTTEN_IN, "status": DISCARDED, "handled_at": now, "tidied_at": now}
    query = update(inbox).where(inbox.c.id == mail_id, inbox.c.status == SET_ASIDE).values(changed)
    return connection.execute(query).rowcount == 1


def empty(connection: Connection, mail_id: int, now: datetime) -> None:
    """Empties one mail that was handled."""
    mine = update(inbox).where(inbox.c.id == mail_id)
    connection.execute(mine.values({**_FORGOTTEN_IN, "tidied_at": now}))


def empty_sent(connection: Connection, mail_id: int, now: datetime) -> None:
    """Empties one mail, once it was sent or cannot be."""
    mine = update(outbox).where(outbox.c.id == mail_id, outbox.c.status != "waiting")
    connection.execute(mine.values({**_FORGOTTEN_OUT, "tidied_at": now}))


def forget(connection: Connection, player_id: int, theirs: Sequence[str], now: datetime) -> None:
    """Empties every mail from the addresses of somebody who is to be forgotten, and every mail to that player.

    What waits to be sent to them is not sent, unless a sender has it in hand; what they have sent and nobody has
    handled yet will come from a stranger.
    """
    from_them = inbox.c.sender.in_(theirs)
    set_aside = update(inbox).where(from_them, inbox.c.status == SET_ASIDE)
    connection.execute(set_aside.values(status=DISCARDED, handled_at=now))
    handled = update(inbox).where(from_them, inbox.c.handled_at.is_not(None))
    connection.execute(handled.values({**_FORGOTTEN_IN, "tidied_at": now}))
    to_them = or_(outbox.c.player_id == player_id, outbox.c.recipient.in_(theirs))
    idle = select(outbox.c.id).where(to_them).with_for_update(skip_locked=True)
    mails = list(connection.execute(idle).scalars())
    unsent = update(outbox).where(outbox.c.id.in_(mails), outbox.c.status.not_in(("sent", "failed")))
    connection.execute(unsent.values(status="failed"))
    ours = update(outbox).where(outbox.c.id.in_(mails))
    connection.execute(ours.values({**_FORGOTTEN_OUT, "player_id": None}))
    connection.execute(delete(bounces).where(bounces.c.address.in_(theirs)))


def _old_taken_in(before: datetime) -> ColumnElement[bool]:
    return _HANDLED & (inbox.c.handled_at < before)


def _old_sent(before: datetime) -> ColumnElement[bool]:
    return _DONE & (outbox.c.created_at < before) & ~is_owed()


def _batch(connection: Connection, table: Table, old: ColumnElement[bool], most: int) -> list[int]:
    # What another tidier holds is its to do.
    query = select(table.c.id).where(old).limit(most).with_for_update(skip_locked=True)
    return list(connection.execute(query).scalars())
