"""Mails to the server, written in the place of somebody's mail program."""

from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, make_msgid


def compose(sender: str, recipient: str, subject: str, text: str, now: datetime) -> EmailMessage:
    """A mail with a Message-ID of its own; both addresses are plain ones.

    Characters that no mail can hold become question marks, the Subject is one line.
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
    """Makes a mail the answer to another one, of which these are the headers."""
    message["In-Reply-To"] = message_id
    message["References"] = f"{references} {message_id}".strip()


def subject_of_answer(subject: str) -> str:
    """The Subject of an answer.

    >>> subject_of_answer("Board 101"), subject_of_answer("Re: Board 101")
    ('Re: Board 101', 'Re: Board 101')
    """
    return f"Re: {subject.removeprefix('Re: ')}"


def _encodable(text: str) -> str:
    """The text without what a terminal could not decode."""
    return text.encode(errors="replace").decode()
