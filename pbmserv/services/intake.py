"""Keeping: a mail's raw bytes are committed before anybody is told that it was taken."""

from collections.abc import Sequence
from datetime import datetime

from pbmserv.mail.answered import without_tokens
from pbmserv.mail.read import sender_of
from pbmserv.mail.together import Arrival
from pbmserv.services.house import House
from pbmserv.store import inbox
from pbmserv.store.engine import IN_A_HURRY, is_database_trouble, writing


def keep(
    house: House,
    raw: bytes,
    envelope_sender: str,
    recipients: Sequence[str],
    now: datetime,
    full_size: int | None = None,
) -> int:
    """Stores the mail durably and gives its number in the inbox; raises when the database is away, within seconds.

    `full_size` (bytes) is set for a mail that is too large, of which `raw` is the head alone: it is only answered.
    """
    storable = _storable(house, raw, envelope_sender, recipients)
    with writing(house.engine, IN_A_HURRY) as connection:
        return inbox.keep(connection, *storable, now, full_size)


def keep_all(house: House, mails: Sequence[Arrival], now: datetime) -> list[Exception | None]:
    """Stores mails durably in one transaction; gives for each, in their order, None or why it is not stored.

    One that cannot be stored fails alone. When the database is away all fail, after one try.
    """
    try:
        rows = [inbox.new_row(*_storable(house, mail.raw, mail.sender, mail.recipients), now) for mail in mails]
        with writing(house.engine, IN_A_HURRY) as connection:
            inbox.keep_all(connection, rows)
    except Exception as error:
        if len(mails) == 1 or is_database_trouble(error):
            return [error] * len(mails)
        return [outcome for mail in mails for outcome in keep_all(house, [mail], now)]
    return [None] * len(mails)


def _storable(
    house: House, raw: bytes, envelope_sender: str, recipients: Sequence[str]
) -> tuple[bytes, str, list[str], str]:
    """Raw mail, envelope sender and recipients for the inbox, and the sender whose mails stay in order."""
    envelope_sender, *recipients = map(_as_text, (envelope_sender, *recipients))
    sender = (sender_of(raw) or envelope_sender.strip("<>")).lower()
    # One of our own mails come back is from a personal address, which is a secret.
    sender = without_tokens(sender, house.server.address, house.server.delimiter)
    return raw, envelope_sender, recipients, sender[:320]


def _as_text(address: str) -> str:
    # What a pipe hands over may hold NUL, or bytes that are no text: no database takes that as text.
    return "".join(character if character.isprintable() else "?" for character in address)
