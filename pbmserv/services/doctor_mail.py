"""The mail that `doctor` sends to the server itself: it is written, and known when it comes back."""

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection

from pbmserv.mail.reading.answered import DOCTOR_HEADER, one_time_words
from pbmserv.mail.reading.delivery_report import Report
from pbmserv.mail.reading.headers import open_message
from pbmserv.mail.sending.message import Envelope, envelope_sender, message_id, write
from pbmserv.mail.sending.transport import Outgoing
from pbmserv.rendering.markup import laid_out
from pbmserv.rendering.templates import render
from pbmserv.services.app import App
from pbmserv.services.compose import other_subject
from pbmserv.store import operating
from pbmserv.store.engine import writing
from pbmserv.store.inbox import InboxMessage
from pbmserv.store.operating import ReturnedMail


@dataclass(frozen=True, slots=True)
class MailToSelf:
    """A mail to the server's own address, plain or with a tag."""

    word: str = field(repr=False)
    message_id: str
    mail: Outgoing


def write_to_self(app: App, is_tagged: bool, now: datetime) -> MailToSelf:
    """A mail to our plain address, or to one with a tag; its word is known to the database from now on.

    It has the headers of a mail to a player, so that it is signed and judged as theirs are.
    """
    word, server = app.new_token(), app.server
    envelope = Envelope(
        server.tagged(f"d.{word}") if is_tagged else server.address,
        other_subject(server, "a mail to itself"),
        token="",
        thread_word=word,
        is_notice=True,
        unsubscribe="unsubscribe",
        leave_link=f"{server.site_url}/leave/{word}" if server.site_url else "",
    )
    raw = write(envelope, laid_out(render("mail/doctor.txt")), server, now)
    with writing(app.engine) as connection:
        operating.expect_doctor_mail(connection, word, now)
    marked = f"{DOCTOR_HEADER}: {word}\r\n".encode() + raw
    mail = Outgoing(envelope_sender(word, server), envelope.recipient, marked)
    return MailToSelf(word, message_id(envelope, server), mail)


@dataclass(frozen=True, slots=True)
class SentToSelf:
    """What may show that a mail is one of `doctor`'s, or a report about one."""

    words: tuple[str, ...] = field(repr=False)
    is_report: bool
    # Of a report its reason, else the head.
    content: bytes = field(repr=False)


def sent_to_self(app: App, message: InboxMessage, automatic: str, report: Report | None) -> SentToSelf | None:
    """What a mail that no person wrote shows of `doctor`; None if nothing. `automatic` says why it is nobody's."""
    raw, head, body = open_message(message.raw)
    words = one_time_words(head, message.recipients, app.server.address)
    if not words:
        return None
    if automatic in ("bounce", "report"):
        return SentToSelf(tuple(words), True, report.reason.encode() if report is not None else b"")
    return SentToSelf(tuple(words), False, raw[:body])


def is_from_doctor(connection: Connection, shown: SentToSelf | None, now: datetime) -> bool:
    """Whether a mail is from `doctor`. That it came is noted, and nothing else is done."""
    if shown is None:
        return False
    came = ReturnedMail(now, shown.is_report, shown.content)
    return operating.note_doctor_mail(connection, shown.words, came)
