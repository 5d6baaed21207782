"""Play links: the mails that have them, how long they play on a board, and when they were first used."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, bindparam, select, update

from pbmserv.store.mail_tokens import digest
from pbmserv.store.tables import addresses, outbox, players


@dataclass(frozen=True, slots=True)
class PlayLinkMail:
    """A mail to a player that has play links; `shown` are the boards that it names, each with its ply."""

    id: int
    player_id: int
    recipient: str
    message_id: str = field(repr=False)
    raw: bytes = field(repr=False)
    shown: tuple[tuple[int, int], ...]
    written: datetime
    # When somebody first played by one of its links.
    used_at: datetime | None


@dataclass(frozen=True, slots=True)
class LateUse:
    """That a play link was first used long after its mail."""

    used: datetime
    # When its mail was written; None if that mail is gone.
    written: datetime | None


def find_play_link(connection: Connection, key: str) -> PlayLinkMail | None:
    """The mail whose play links have that key; None if there is none, or it was redacted or revoked."""
    row = connection.execute(_FIND, {"digest": digest(key)}).one_or_none()
    if row is None or row.player_id is None:
        return None
    shown = tuple(map(tuple, row.shown or ()))
    return PlayLinkMail(
        row.id,
        row.player_id,
        row.recipient,
        row.message_id,
        row.raw,
        shown,
        row.created_at,
        row.key_used_at,
    )


def replaced_by(connection: Connection, mail: PlayLinkMail, by: datetime) -> frozenset[int]:
    """The boards of a mail for which a newer one with links was sent to the same player by then."""
    values = {"mail_id": mail.id, "recipient": mail.recipient, "since": mail.written - SKEW, "by": by}
    newer = connection.execute(_NEWER, values).scalars()
    return frozenset(number for shown in newer for number, _ in shown or ()) & dict(mail.shown).keys()


def note_use(connection: Connection, mail: PlayLinkMail, now: datetime, is_late: bool) -> None:
    """Records the first use of a mail's links; a late one is told to the player in their next mail."""
    first = connection.execute(_USED, {"mail_id": mail.id, "now": now}).rowcount == 1
    if first and is_late:
        connection.execute(_LATE, {"player": mail.player_id, "now": now})


def take_late_use(connection: Connection, player_id: int) -> LateUse | None:
    """The late first use of a link that its player was not told of yet; it is not given a second time."""
    used = connection.execute(_LATE_OF, {"player": player_id}).scalar()
    if used is None:
        return None
    connection.execute(_LATE, {"player": player_id, "now": None})
    return LateUse(used, connection.execute(_MAIL_USED, {"player": player_id, "used": used}).scalar())


_FIND: Final = (
    select(
        outbox.c.id,
        outbox.c.player_id,
        outbox.c.recipient,
        outbox.c.message_id,
        outbox.c.raw,
        outbox.c.shown,
        outbox.c.created_at,
        outbox.c.key_used_at,
    )
    .join(players, players.c.id == outbox.c.player_id)
    .where(outbox.c.key_digest == bindparam("digest"), outbox.c.id > players.c.revoked_up_to)
)
SKEW: Final = timedelta(days=1)
"""How far the clocks of two hosts are apart at most. Times make the index useful; numbers tell what is newer."""

_NEWER: Final = select(outbox.c.shown).where(
    outbox.c.recipient == bindparam("recipient"),
    outbox.c.created_at >= bindparam("since"),
    outbox.c.created_at <= bindparam("by"),
    outbox.c.id > bindparam("mail_id"),
    outbox.c.key_digest.is_not(None),
    outbox.c.sent_at <= bindparam("by"),
)
_USED: Final = (
    update(outbox)
    .where(outbox.c.id == bindparam("mail_id"), outbox.c.key_used_at.is_(None))
    .values(key_used_at=bindparam("now"))
)
_LATE: Final = update(players).where(players.c.id == bindparam("player")).values(late_link_at=bindparam("now"))
_LATE_OF: Final = select(players.c.late_link_at).where(players.c.id == bindparam("player"))
_THEIRS: Final = select(addresses.c.address).where(addresses.c.player_id == bindparam("player"))
_MAIL_USED: Final = select(outbox.c.created_at).where(
    outbox.c.recipient.in_(_THEIRS), outbox.c.key_used_at == bindparam("used")
)
