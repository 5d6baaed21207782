"""Keeping: a mail's raw bytes are committed before anybody is told that it was taken."""

from collections.abc import Sequence
from datetime import datetime

from pbmserv.mail.read import sender_of
from pbmserv.services.house import House
from pbmserv.store import inbox
from pbmserv.store.engine import writing


def keep(
    house: House,
    raw: bytes,
    envelope_sender: str,
    recipients: Sequence[str],
    now: datetime,
    full_size: int | None = None,
) -> int:
    """Stores the mail durably and gives its number in the inbox; raises when the database is away.

    `full_size` (bytes) is set for a mail that is too large, of which `raw` is the head alone: it is only answered.
    """
    envelope_sender, *recipients = map(_storable, (envelope_sender, *recipients))
    sender = (sender_of(raw) or envelope_sender.strip("<>")).lower()[:320]
    with writing(house.engine) as connection:
        return inbox.keep(connection, raw, envelope_sender, recipients, sender, now, full_size)


def _storable(address: str) -> str:
    # What a pipe hands over may hold NUL, or bytes that are no text: no database takes that as text.
    return "".join(character if character.isprintable() else "?" for character in address)
