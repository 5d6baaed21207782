"""Mails written here instead of in a mail program: posted as they were typed, and followed to their answers."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pbmserv.commands.letter import AT_ONCE
from pbmserv.commands.server import Server
from pbmserv.mail.reading.headers import one_address
from pbmserv.mail.sending.from_web import compose, put_in_thread
from pbmserv.services.app import App
from pbmserv.services.outcome_text import outcome_text
from pbmserv.services.receive import receive_mail
from pbmserv.store import letters
from pbmserv.store.engine import reading
from pbmserv.store.mail_history import find_received, replies_to, status_of, told_of

Flaw = Literal["sender", "recipient"]


@dataclass(frozen=True, slots=True)
class Note:
    """A mail as it was typed. `answers` and `references` are Message-IDs, empty where it answers none."""

    sender: str
    recipient: str
    subject: str
    text: str
    answers: str = ""
    references: str = ""


@dataclass(frozen=True, slots=True)
class PostedOutcome:
    """How far a mail has come: it waits to be handled, its answer waits for a robot's move, or all is done.

    `answer` is the Message-ID of what its writer was sent, empty where nothing was; `told` says what became of it.
    """

    state: Literal["waiting", "held", "done"]
    answer: str = ""
    told: str = ""


def flaws_of(note: Note, server: Server) -> frozenset[Flaw]:
    """Which addresses of a note cannot be: it is from a person, and to the server."""
    sender, recipient = _address(note.sender), _address(note.recipient)
    flaws: set[Flaw] = set()
    if sender is None or server.takes(sender):
        flaws.add("sender")
    if recipient is None or not server.takes(recipient):
        flaws.add("recipient")
    return frozenset(flaws)


def post(app: App, note: Note, now: datetime) -> int:
    """Keeps a note without flaws as a mail, and gives its number; raises when the database is away."""
    sender, recipient = _address(note.sender) or "", _address(note.recipient) or ""
    mail = compose(sender, recipient, note.subject, note.text.replace("\r\n", "\n"), now)
    if note.answers:
        put_in_thread(mail, note.answers, note.references)
    return receive_mail(app, mail.as_bytes(), sender, [recipient], now)


def see_fate(app: App, number: int, sender: str) -> PostedOutcome | None:
    """What became of a mail of the inbox, and what its writer was answered; None where there is no such mail."""
    with reading(app.engine) as connection:
        status = status_of(connection, number)
        caused, told = replies_to(connection, number), outcome_text(app.server, told_of(connection, number))
        unwritten = letters.caused_by(connection, number)
    if status is None:
        return None
    if status == "waiting" or AT_ONCE in unwritten or any(mail.status == "waiting" for mail in caused):
        return PostedOutcome("waiting", told=told)
    # Players are answered at their first address, whichever they write from; the answer is queued before the rest.
    sent = sorted(
        (mail for mail in caused if mail.status in ("sent", "bounced")), key=lambda mail: mail.recipient != sender
    )
    if unwritten:
        return PostedOutcome("held", told=told)
    return PostedOutcome("done", sent[0].message_id if sent else "", told)


def find_posted(app: App, sender: str, message_id: str) -> int | None:
    """The number of a mail that was sent to us a moment ago; None where it has not come."""
    with reading(app.engine) as connection:
        return find_received(connection, sender.lower(), message_id)


def _address(typed: str) -> str | None:
    return one_address([typed.strip().encode("utf-8", "replace")])
