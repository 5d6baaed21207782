"""Letters for the outbox, of bytes that a careless road would change."""

from collections.abc import Sequence

from pbmserv.services.app import App
from pbmserv.store import outbox
from pbmserv.store.engine import writing
from pbmserv.store.outbox import MailKeys, OutboxMessage
from tests.conftest import NOON


def letter(token: str, recipient: str) -> OutboxMessage:
    """A letter with a token of its own."""
    message_id = f"<{token}@club.test>"
    raw = (
        f"From: pbmserv <pbmserv@club.test>\r\nTo: {recipient}\r\nMessage-ID: {message_id}\r\n"
        "Date: Thu, 1 Jan 2026 12:00:00 +0000\r\n"
        "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
        f"Your turn, b\xe4r {token}.\r\n.\r\n..\r\n.quit\r\n\r\n"
    )
    sender = f"pbmserv+b.{token}@club.test"
    return OutboxMessage(token, "answer", True, recipient, sender, message_id, raw.encode(), keys=MailKeys(token))


def queue(house: App, letters: Sequence[OutboxMessage]) -> None:
    """Has them wait to be sent, in this order."""
    with writing(house.engine) as connection:
        outbox.queue(connection, letters, NOON)
