"""Keeping: a mail's raw bytes are committed before anybody is told that it was taken."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from ipaddress import IPv6Address, ip_address, ip_network

from sqlalchemy import Connection

from pbmserv.mail.answered import answered_tokens, without_tokens
from pbmserv.mail.read import head_of, sender_of
from pbmserv.mail.together import Arrival
from pbmserv.services.house import House
from pbmserv.store import inbox
from pbmserv.store.engine import IN_A_HURRY, is_database_trouble, writing
from pbmserv.store.lanes import lane_of


@dataclass(frozen=True, slots=True)
class Storable:
    """A mail as the inbox takes it, the sender whose mails stay in order, and our words that it was sent to."""

    raw: bytes = field(repr=False)
    envelope_sender: str
    recipients: list[str]
    sender: str
    words: tuple[str, ...] = field(repr=False)


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
    mail = _storable(house, raw, envelope_sender, recipients)
    with writing(house.engine, IN_A_HURRY) as connection:
        lane = lane_of(connection, mail.sender, mail.words)
        return inbox.keep(
            connection, mail.raw, mail.envelope_sender, mail.recipients, mail.sender, now, full_size, lane
        )


def keep_all(house: House, mails: Sequence[Arrival], now: datetime) -> list[Exception | None]:
    """Stores mails durably in one transaction; gives for each, in their order, None or why it is not stored.

    One that cannot be stored fails alone. When the database is away all fail, after one try.
    """
    try:
        storable = [_storable(house, mail.raw, mail.sender, mail.recipients) for mail in mails]
        with writing(house.engine, IN_A_HURRY) as connection:
            hosts = map(_host, mails)
            rows = [_row(connection, *each, now) for each in zip(storable, hosts, strict=True)]
            inbox.keep_all(connection, rows)
    except Exception as error:
        if len(mails) == 1 or is_database_trouble(error):
            return [error] * len(mails)
        return [outcome for mail in mails for outcome in keep_all(house, [mail], now)]
    return [None] * len(mails)


def _storable(house: House, raw: bytes, envelope_sender: str, recipients: Sequence[str]) -> Storable:
    envelope_sender, *recipients = map(_as_text, (envelope_sender, *recipients))
    head, address, delimiter = head_of(raw), house.server.address, house.server.delimiter
    sender = (sender_of(head) or envelope_sender.strip("<>")).lower()
    # One of our own mails come back is from a personal address, which is a secret.
    sender = without_tokens(sender, address, delimiter)
    words = answered_tokens(head, recipients, address, delimiter)
    return Storable(raw, envelope_sender, recipients, sender[:320], words)


def _row(connection: Connection, mail: Storable, host: str | None, now: datetime) -> dict[str, object]:
    lane = lane_of(connection, mail.sender, mail.words)
    return inbox.new_row(mail.raw, mail.envelope_sender, mail.recipients, mail.sender, now, lane=lane, host=host)


def _host(mail: Arrival) -> str | None:
    """The host out in the net that brought a mail by itself; of IPv6 the network that one customer has.

    Mail that a server of ours, or of this network, hands on tells nothing of where it comes from.
    """
    try:
        address = ip_address(mail.host)
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if mail.is_handed_on or not address.is_global:
        return None
    return str(ip_network((address, 64), strict=False)) if address.version == 6 else str(address)


def _as_text(address: str) -> str:
    # What a pipe hands over may hold NUL, or bytes that are no text: no database takes that as text.
    return "".join(character if character.isprintable() else "?" for character in address)
