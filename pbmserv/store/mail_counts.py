"""How many mails were queued since a moment: what limits count."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, func, select

from pbmserv.store.outbox import MailKind
from pbmserv.store.tables import outbox


def unproven_since(connection: Connection, address: str, since: datetime) -> int:
    """How many replies an address got to mails that were not authenticated."""
    return connection.execute(_UNPROVEN_SINCE, {"address": address, "since": since}).scalar_one()


def count_since(
    connection: Connection, kinds: Sequence[MailKind], since: datetime, address: str | None = None
) -> int:
    """How many mails of these kinds were queued, to one address or to all."""
    query = _COUNT_SINCE if address is None else _COUNT_SINCE_TO
    return connection.execute(query, {"kinds": [*kinds], "since": since, "address": address}).scalar_one()


def recipients_since(connection: Connection, kind: MailKind, since: datetime, most: int) -> Sequence[str]:
    """To whom mails of a kind were queued, one entry a mail, at most so many."""
    query = select(outbox.c.recipient).where(outbox.c.kind == kind, outbox.c.created_at > since).limit(most)
    return connection.execute(query).scalars().all()


def times_sent(connection: Connection, board: int, since: datetime) -> int:
    """How many mails made the server send this board to its players."""
    return connection.execute(_TIMES_SENT, {"board": board, "since": since}).scalar_one()


_IS_SINCE: Final = outbox.c.created_at > bindparam("since")
_IS_TO: Final = outbox.c.recipient == bindparam("address")
_COUNT_SINCE: Final = (
    select(func.count())
    .select_from(outbox)
    .where(outbox.c.kind.in_(bindparam("kinds", expanding=True)), _IS_SINCE)
)
_COUNT_SINCE_TO: Final = _COUNT_SINCE.where(_IS_TO)
_UNPROVEN_SINCE: Final = (
    select(func.count()).select_from(outbox).where(_IS_TO, _IS_SINCE, ~outbox.c.proven, outbox.c.kind != "board")
)
_TIMES_SENT: Final = select(func.count(outbox.c.inbox_id.distinct())).where(
    outbox.c.kind == "board", _IS_SINCE, outbox.c.match == bindparam("board")
)
