"""Mails to the server that web pages write, in place of a mail program."""

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, make_msgid
from typing import Final

from pbmserv.mail.reading.headers import open_message


def compose(sender: str, recipient: str, subject: str, text: str, now: datetime) -> EmailMessage:
    """A mail with its own Message-ID; both addresses are plain ones.

    Characters that no mail can contain become question marks. The Subject is one line.
    """
    message = EmailMessage(policy=SMTP)
    message["From"] = sender
    message["To"] = recipient
    message["Subject"] = _encodable(" ".join(subject.split()))
    message["Date"] = format_datetime(now)
    message["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2] or "localhost")
    message.set_content(_encodable(text) + "\n")
    return message


def put_in_thread(message: EmailMessage, message_id: str, references: str) -> None:
    """Makes a mail a reply to the one with these headers."""
    message["In-Reply-To"] = message_id
    message["References"] = f"{references} {message_id}".strip()


def subject_of_answer(subject: str) -> str:
    """The Subject of a reply.

    >>> subject_of_answer("Board 101"), subject_of_answer("Re: Board 101")
    ('Re: Board 101', 'Re: Board 101')
    """
    return f"Re: {subject.removeprefix('Re: ')}"


def _encodable(text: str) -> str:
    """The text without characters that cannot be encoded."""
    return text.encode(errors="replace").decode()


_WIRE: Final = SMTP.clone(max_line_length=998)
"""A shorter one would write long ids as encoded words."""


@dataclass(frozen=True, slots=True)
class LinkedMove:
    """A move made by a play link, to be written as a mail."""

    sender: str
    """The player's address."""
    recipient: str = field(repr=False)
    """The address that our mail came from."""
    answers: str = field(repr=False)
    """The Message-ID of our mail."""
    command: str
    words: str
    """The comment for the other players."""
    link_id: str
    """Which link it came by (`link_id_of`)."""
    turn: str
    """The same for everything that comes by the link in one turn."""

    @property
    def message_id(self) -> str:
        """The same for the same move with the same comment: a second click sends a second copy of one mail."""
        whole = "\0".join((self.link_id, self.turn, self.command, self.words))
        digest = hashlib.sha256(whole.encode(errors="replace")).hexdigest()
        return f"<{self.link_id}.{digest[:24]}@{self.recipient.rpartition('@')[2]}>"


def link_id_of(key_digest: str, message_id: str) -> str:
    """How the Message-IDs of all mails begin that come by a link, from the digest of its key. It reveals neither.

    `message_id` is that of the mail with the link, a second secret: somebody who was given only the link cannot
    write a mail elsewhere that seems to come by it, to be shown the reply.
    """
    return f"link.{hashlib.sha256(f'link {key_digest} {message_id}'.encode()).hexdigest()[:20]}"


def is_by_link(message_id: str | None) -> bool:
    """Whether a mail with that Message-ID says that a play link made it, whichever."""
    return message_id is not None and message_id.startswith("<link.")


def came_by_link(raw: bytes, link_id: str) -> bool:
    """Whether a mail, as received or as stored, came by the link with that id."""
    return is_of_link(open_message(raw)[1].first("message-id").strip().decode("latin-1"), link_id)


def is_of_link(message_id: str, link_id: str) -> bool:
    """The same, by the Message-ID of the mail."""
    return message_id.startswith(f"<{link_id}.")


_JOIN: Final = "<join."
"""So the Message-IDs begin of mails that the page for sign-ups writes."""


def write_sign_up(sender: str, recipient: str, command: str, now: datetime) -> bytes:
    """The mail of somebody who signs up on the page. Nothing says that its From address is theirs."""
    mail = compose(sender, recipient, command, "", now)
    mail.replace_header("Message-ID", mail["Message-ID"].replace("<", _JOIN, 1))
    return mail.as_bytes(policy=_WIRE)


def is_web_sign_up(message_id: str | None) -> bool:
    """Whether a mail with that Message-ID was written by the page for sign-ups, or says so.

    >>> is_web_sign_up("<join.1234@club.test>"), is_web_sign_up("<1234@club.test>")
    (True, False)
    """
    return message_id is not None and message_id.startswith(_JOIN)


def write_by_link(move: LinkedMove, now: datetime) -> bytes:
    """The mail: its command in Subject and text, as our mail links write it, then `end`, then the comment."""
    words = move.words.replace("\r\n", "\n").replace("\r", "\n")
    mail = compose(move.sender, move.recipient, move.command, f"{move.command}\nend\n\n{words}", now)
    put_in_thread(mail, move.answers, "")
    mail.replace_header("Message-ID", move.message_id)
    return mail.as_bytes(policy=_WIRE)
