"""A mail that somebody wrote on our pages, taken in as any other mail is."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pbmserv.commands.server import Server
from pbmserv.mail.addresses import one_address
from pbmserv.mail.compose import compose, put_in_thread
from pbmserv.mail.reception import known
from pbmserv.services.house import House
from pbmserv.services.intake import keep
from pbmserv.store.caused import caused_by, status_of
from pbmserv.store.engine import reading

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
class Fate:
    """How far a mail has come: `answer` is the Message-ID of what its writer was sent, empty where nothing was."""

    state: Literal["waiting", "done"]
    answer: str = ""


def flaws_of(note: Note, server: Server) -> frozenset[Flaw]:
    """Which addresses of a note cannot be: it is from a person, and to the server."""
    sender, recipient = _address(note.sender), _address(note.recipient)
    flaws: set[Flaw] = set()
    if sender is None or known(server, sender):
        flaws.add("sender")
    if recipient is None or not known(server, recipient):
        flaws.add("recipient")
    return frozenset(flaws)


def post(house: House, note: Note, now: datetime) -> int:
    """Keeps a note without flaws as a mail, and gives its number; raises when the database is away."""
    sender, recipient = _address(note.sender) or "", _address(note.recipient) or ""
    mail = compose(sender, recipient, note.subject, note.text.replace("\r\n", "\n"), now)
    if note.answers:
        put_in_thread(mail, note.answers, note.references)
    return keep(house, mail.as_bytes(), sender, [recipient], now)


def see_fate(house: House, number: int, sender: str) -> Fate | None:
    """What became of a mail of the inbox, and what its writer was answered; None where there is no such mail."""
    with reading(house.engine) as connection:
        status = status_of(connection, number)
        caused = caused_by(connection, number)
    if status is None:
        return None
    if status == "waiting" or any(mail.status == "waiting" for mail in caused):
        return Fate("waiting")
    # Players are answered at their first address, whichever they write from; the answer is queued before the rest.
    sent = sorted((mail for mail in caused if mail.status == "sent"), key=lambda mail: mail.recipient != sender)
    return Fate("done", sent[0].message_id if sent else "")


def _address(typed: str) -> str | None:
    return one_address([typed.strip().encode("utf-8", "replace")])
