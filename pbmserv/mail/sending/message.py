"""Builds outgoing messages: from a text and an envelope to a mail's bytes."""

import hashlib
from binascii import b2a_qp
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email.charset import QP, Charset
from email.mime.application import MIMEApplication
from email.mime.base import MIMEBase
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.policy import Compat32
from email.utils import format_datetime, formataddr
from urllib.parse import quote

from pbmserv.commands.base.server import Server
from pbmserv.mail.reading.automatic import LOOP_HEADER
from pbmserv.parser.parsed import IncomingMail


class _AsGiven(Compat32):
    """Writes the headers it is given (RFC 2047, section 5).

    The newer policies decode what looks like an encoded word in whatever header is set, ids and addresses of
    strangers too, and write long ids as encoded words; its own parent takes most of a mail's time for folding.
    """

    def fold_binary(self, name: str, value: str) -> bytes:
        """One header with its line end."""
        if value.isascii() and value.isprintable() and len(name) + len(value) < 900:
            return f"{name}: {value}{self.linesep}".encode("ascii")
        return super().fold_binary(name, value)


_WIRE = _AsGiven(max_line_length=998, linesep="\r\n")
_LONGEST_LINE = 900


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes with a mail: `name` in letters, digits, dots and dashes, and JSON as its `content`."""

    name: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Envelope:
    """Whom a mail goes to and what it belongs to."""

    recipient: str
    subject: str
    token: str = field(repr=False)
    """In its personal From address."""
    thread_word: str = field(repr=False, kw_only=True)
    """In its Message-ID and its envelope sender."""
    board: int | None = None
    """Set for the mails of one match: they share a thread, and have the board in their Message-ID."""
    ply: int | None = None
    answers: str | None = None
    """The Message-ID of the mail that this one replies to."""
    is_notice: bool = False
    is_personal: bool = False
    """It comes from an address of its own, by which a reply is recognised."""
    unsubscribe: str = ""
    """The command that stops mails like this one; empty if it does not go to a player."""
    leave_link: str = field(default="", repr=False)
    """The page that stops them, which mail programs may ask in their reader's name; empty if there is none."""
    author: str = ""
    """Who speaks through the club in this mail; empty if the club itself does."""


def message_id(envelope: Envelope, server: Server) -> str:
    """The Message-ID, the same for every attempt to send."""
    place = "" if envelope.board is None else f"b{envelope.board}.{envelope.ply or 0}."
    return f"<{place}{envelope.thread_word}@{server.domain}>"


def envelope_sender(envelope: Envelope, server: Server) -> str:
    """The address that a bounce comes back to."""
    return server.tagged(f"b.{envelope.thread_word}")


def sender_address(envelope: Envelope, server: Server) -> str:
    """The From address, to which a reply goes."""
    return server.tagged(envelope.token) if envelope.is_personal else server.address


def sender_name(envelope: Envelope, server: Server) -> str:
    """The name in From, on one line whatever it is made of."""
    name = f"{envelope.author} via {server.club_name}" if envelope.author else server.club_name
    return " ".join(name.split())


def write(
    envelope: Envelope,
    text: str,
    server: Server,
    date: datetime,
    html: str | None = None,
    attachments: Sequence[Attachment] = (),
) -> bytes:
    """The mail, ready to be handed to a relay; `text` is laid out already. All else is ASCII, `html` too."""
    mail: MIMEText | MIMEMultipart = _text(text)
    if html is not None:
        # The preferred part comes last.
        mail = _together("alternative", [mail, _html(html)], envelope.thread_word)
    if attachments:
        mail = _together("mixed", [mail, *map(_attached, attachments)], envelope.thread_word)
    mail["From"] = formataddr((sender_name(envelope, server), sender_address(envelope, server)))
    mail["To"] = envelope.recipient
    mail["Subject"] = envelope.subject
    mail["Date"] = format_datetime(date)
    mail["Message-ID"] = message_id(envelope, server)
    if envelope.answers:
        mail["In-Reply-To"] = envelope.answers
    root = [] if envelope.board is None else [f"<b{envelope.board}@{server.domain}>"]
    references = [*root, *([envelope.answers] if envelope.answers else [])]
    if references:
        mail["References"] = " ".join(references)
    mail["Auto-Submitted"] = "auto-generated" if envelope.is_notice else "auto-replied"
    mail[LOOP_HEADER] = server.address
    if envelope.unsubscribe:
        # The id stays when the club gets another name (RFC 2919).
        mail["List-Id"] = formataddr((server.club_name, f"boards.{server.domain}"))
        # Only the mail's own address proves who asks.
        by_mail = f"<mailto:{sender_address(envelope, server)}?subject={quote(envelope.unsubscribe)}>"
        mail["List-Unsubscribe"] = f"{by_mail}, <{envelope.leave_link}>" if envelope.leave_link else by_mail
    if envelope.leave_link:
        mail["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return mail.as_bytes()


def write_masked(mail: IncomingMail, text: str) -> bytes:
    """What is stored of a handled mail: its sender, its Message-ID, and `text`, which contains no secret."""
    named = (("From", mail.sender), ("Message-ID", mail.message_id))
    head = [f"{name}: {value}" for name, value in named if value]
    form = ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit"]
    return "\n".join([*head, *form, "", text]).encode()


def _text(text: str) -> MIMEText:
    if text.isascii():
        return MIMEText(text, "plain", "us-ascii", policy=_WIRE)
    utf_8 = Charset("utf-8")
    utf_8.body_encoding = QP
    return MIMEText(text, "plain", utf_8, policy=_WIRE)  # type: ignore[arg-type]


def _together(how: str, parts: Sequence[MIMEBase], word: str) -> MIMEMultipart:
    """The parts as one mail. The boundary is the same for every try."""
    boundary = f"=_{hashlib.sha256(f'{how} boundary {word}'.encode()).hexdigest()[:32]}"
    for part in parts:
        del part["MIME-Version"]
    return MIMEMultipart(how, boundary, list(parts), policy=_WIRE)


def _attached(file: Attachment) -> MIMEApplication:
    """A file in base64: no line of it is too long, none is taken for another, whatever is in it."""
    part = MIMEApplication(file.content, "json", policy=_WIRE, name=file.name)
    part.add_header("Content-Disposition", "attachment", filename=file.name)
    return part


def _html(html: str) -> MIMEText:
    part = MIMEText(html, "html", "us-ascii", policy=_WIRE)
    if any(len(line) > _LONGEST_LINE for line in html.split("\n")):
        part.set_payload(b2a_qp(html.encode("ascii")).decode("ascii"))
        part.replace_header("Content-Transfer-Encoding", "quoted-printable")
    return part
