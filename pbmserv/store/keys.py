"""Keys of personal links, and the mail that bears one.

A key is no token: the token of a mail stands in the address that it comes from, which others see whenever they are
sent a copy of an answer, while nobody but its reader is sent the key. Only its digest is stored.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, select

from pbmserv.store.tables import outbox, players
from pbmserv.store.tokens import digest


@dataclass(frozen=True, slots=True)
class Keyed:
    """A mail to a player whose links have a key: where it went, itself, and the boards in it, each with its ply.

    `written` is when.
    """

    player_id: int
    recipient: str
    message_id: str = field(repr=False)
    raw: bytes = field(repr=False)
    shown: tuple[tuple[int, int], ...]
    written: datetime


def find(connection: Connection, key: str) -> Keyed | None:
    """The mail that bears a key; None when there is none, none any more, or its player has ended its links."""
    row = connection.execute(_FIND, {"digest": digest(key)}).one_or_none()
    if row is None or row.player_id is None:
        return None
    shown = tuple(map(tuple, row.shown or ()))
    return Keyed(row.player_id, row.recipient, row.message_id, row.raw, shown, row.created_at)


_FIND: Final = (
    select(
        outbox.c.player_id,
        outbox.c.recipient,
        outbox.c.message_id,
        outbox.c.raw,
        outbox.c.shown,
        outbox.c.created_at,
    )
    .join(players, players.c.id == outbox.c.player_id)
    .where(outbox.c.key_digest == bindparam("digest"), outbox.c.id > players.c.revoked_up_to)
)
