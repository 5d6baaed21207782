"""Keys of personal links, and the mail that bears one.

A key is no token: the token of a mail stands in its Message-ID, which goes on to others whenever they are sent a
copy of an answer (References), while nobody but its reader is sent the key. Only its digest is stored.
"""

from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import Connection, bindparam, select

from pbmserv.store.tables import outbox
from pbmserv.store.tokens import digest


@dataclass(frozen=True, slots=True)
class Keyed:
    """A mail to a player whose links have a key: where it went, and the boards in it, each with its ply."""

    player_id: int
    recipient: str
    message_id: str = field(repr=False)
    shown: tuple[tuple[int, int], ...]


def find(connection: Connection, key: str) -> Keyed | None:
    """The mail that bears a key; None when there is none, or none any more."""
    row = connection.execute(_FIND, {"digest": digest(key)}).one_or_none()
    if row is None or row.player_id is None:
        return None
    return Keyed(row.player_id, row.recipient, row.message_id, tuple(map(tuple, row.shown or ())))


_FIND: Final = select(outbox.c.player_id, outbox.c.recipient, outbox.c.message_id, outbox.c.shown).where(
    outbox.c.key_digest == bindparam("digest")
)
