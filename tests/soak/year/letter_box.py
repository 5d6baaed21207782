"""The other end of the wire: what the server sends is put into people's hands, or refused there."""

import re
from dataclasses import dataclass, field

from pbmserv.mail.sending.transport import Delivered, Failed, Outcome, Outgoing
from tests.mail.one_by_one import OneByOne

_SUMMARY = re.compile(rb"^Summary of \S.*? Board ([0-9]+)\r?$", re.MULTILINE)
_FROM = re.compile(rb"^From: .*?([^\s<>]+@[^\s<>]+)>?\r?$", re.MULTILINE)
_MESSAGE_ID = re.compile(rb"^Message-ID: (<\S+>)", re.MULTILINE | re.IGNORECASE)
_SUBJECT = re.compile(rb"^Subject: (.*?)\r?$", re.MULTILINE)


@dataclass(frozen=True)
class Arrived:
    """A mail in somebody's hands: what is needed to answer it. `boards` are those that it shows."""

    recipient: str
    sender: str
    message_id: str
    subject: str
    boards: tuple[int, ...]
    text: str = field(repr=False)


@dataclass
class LetterBox(OneByOne):
    """A road out that ends at people; `closed` addresses take no mail."""

    arrived: list[Arrived] = field(default_factory=list)
    closed: set[str] = field(default_factory=set)
    refused: int = 0
    total: int = 0

    def outcome_of(self, mail: Outgoing) -> Outcome:
        """Takes a mail, or refuses its recipient."""
        self.total += 1
        if mail.recipient in self.closed:
            self.refused += 1
            return Failed("550 5.1.1 no such mailbox", refuses_recipient=True)
        self.arrived.append(opened(mail))
        return Delivered()

    def take(self) -> list[Arrived]:
        """What has arrived since the last time."""
        taken, self.arrived = self.arrived, []
        return taken


def opened(mail: Outgoing) -> Arrived:
    """A mail as its reader sees it. The server writes plain ASCII where nobody else's words are in it."""
    head, _, rest = mail.raw.partition(b"\r\n\r\n")
    text = rest.partition(b"text/html")[0]
    sender, subject, message_id = _FROM.search(head), _SUBJECT.search(head), _MESSAGE_ID.search(head)
    assert sender is not None
    assert subject is not None
    assert message_id is not None
    return Arrived(
        mail.recipient,
        sender[1].decode(),
        message_id[1].decode(),
        subject[1].decode(),
        tuple(int(number) for number in _SUMMARY.findall(text)),
        text.decode("utf-8", "replace"),
    )
