"""Keeping: a mail's raw bytes are committed before anybody learns that it was taken."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from ipaddress import IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING

from sqlalchemy import Engine

from pbmserv.commands.server import Server
from pbmserv.mail.reading.answered import answered_tokens, without_tokens
from pbmserv.mail.reading.headers import head_of, sender_of
from pbmserv.store import inbox
from pbmserv.store.engine import SHORT_TIMEOUT, is_database_trouble, writing
from pbmserv.store.inbox import NewMail, priorities_of

if TYPE_CHECKING:  # the SMTP server takes long to import, and a pipe has none
    from pbmserv.mail.receiving.smtp_handler import IncomingEnvelope


@dataclass(frozen=True)
class Intake:
    """What receiving needs: where mails are stored, and what the server is called."""

    engine: Engine
    server: Server


def receive_mail(
    app: Intake,
    raw: bytes,
    envelope_sender: str,
    recipients: Sequence[str],
    now: datetime,
    full_size: int | None = None,
) -> int:
    """Stores the mail durably and gives its number in the inbox; raises when the database is away, within seconds.

    `full_size` (bytes) is set for a mail that is too large, of which `raw` is the head alone: it is only answered.
    """
    mail, words = _storable(app, raw, envelope_sender, recipients)
    with writing(app.engine, SHORT_TIMEOUT) as connection:
        (lane,) = priorities_of(connection, [(mail.sender, words)])
        return inbox.add(connection, replace(mail, full_size=full_size, priority=lane), now)


def receive_mails(app: Intake, mails: "Sequence[IncomingEnvelope]", now: datetime) -> list[int | Exception]:
    """Stores mails durably in one transaction; gives for each, in their order, its id or why it is not stored.

    One that cannot be stored fails alone. When the database is away all fail, after one try.
    """
    try:
        storable = [_storable(app, mail.raw, mail.sender, mail.recipients) for mail in mails]
        with writing(app.engine, SHORT_TIMEOUT) as connection:
            lanes = priorities_of(connection, [(mail.sender, words) for mail, words in storable])
            found = zip(storable, lanes, map(_host, mails), strict=True)
            new = [replace(mail, priority=lane, host=host) for (mail, _), lane, host in found]
            numbers = inbox.add_all(connection, new, now)
    except Exception as error:
        if len(mails) == 1 or is_database_trouble(error):
            return [error] * len(mails)
        return [outcome for mail in mails for outcome in receive_mails(app, [mail], now)]
    return [*numbers]


def _storable(
    app: Intake, raw: bytes, envelope_sender: str, recipients: Sequence[str]
) -> tuple[NewMail, tuple[str, ...]]:
    """The mail, but for its priority, and our words in the addresses that it was sent to."""
    envelope_sender, *recipients = map(_as_text, (envelope_sender, *recipients))
    head, address, delimiter = head_of(raw), app.server.address, app.server.delimiter
    sender = (sender_of(head) or envelope_sender.strip("<>")).lower()
    # One of our own mails come back is from a personal address, which is a secret.
    sender = without_tokens(sender, address, delimiter)
    words = answered_tokens(head, recipients, address, delimiter)
    return NewMail(raw, envelope_sender, recipients, sender[:320]), words


def _host(mail: "IncomingEnvelope") -> str | None:
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
