"""Builds outgoing messages: from a text and an envelope to a mail's bytes."""

import hashlib
from base64 import encodebytes
from binascii import b2a_qp
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email import quoprimime
from email.policy import compat32
from email.utils import format_datetime, formataddr
from functools import lru_cache
from typing import Final
from urllib.parse import quote

from pbmserv.commands.server import Server
from pbmserv.mail.reading.automatic import LOOP_HEADER
from pbmserv.parser.parsed import IncomingMail

_LONGEST_LINE: Final = 900

_FOLDING: Final = compat32.clone(max_line_length=998, linesep="\r\n")
"""For headers that are not ASCII, or long. The newer policies decode what looks like an encoded word in whatever
header is set, ids and addresses of strangers too, and write long ids as encoded words."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes with a mail: its `name` is of letters, digits, dots and dashes."""

    name: str
    content: bytes = field(repr=False)
    media_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Envelope:
    """A mail's recipient, and what else its headers need."""

    recipient: str
    subject: str
    token: str = field(repr=False)
    """The token in its personal From address."""
    thread_word: str = field(repr=False, kw_only=True)
    """The word in its Message-ID."""
    board: int | None = None
    """Set for the mails of one match: they share a thread, and have the board in their Message-ID."""
    ply: int | None = None
    answers: str | None = None
    """The Message-ID of the mail that this one replies to."""
    is_notice: bool = False
    is_personal: bool = False
    """It has its own From address, which identifies replies."""
    unsubscribe: str = ""
    """The command that stops mails like this one; empty if it does not go to a player."""
    leave_link: str = field(default="", repr=False)
    """The page that stops them, which mail programs may ask in their reader's name; empty if there is none."""
    author: str = ""
    """The player who writes through the club; empty if the club itself writes."""


def message_id(envelope: Envelope, server: Server) -> str:
    """The Message-ID, the same for every attempt to send."""
    place = "" if envelope.board is None else f"b{envelope.board}.{envelope.ply or 0}."
    return f"<{place}{envelope.thread_word}@{server.domain}>"


def envelope_sender(bounce_word: str, server: Server) -> str:
    """The address that bounces go to. Its word is in no header, since replies and copies show headers."""
    return server.tagged(f"b.{bounce_word}")


def sender_address(envelope: Envelope, server: Server) -> str:
    """The From address, to which a reply goes."""
    return server.tagged(envelope.token) if envelope.is_personal else server.address


def sender_name(envelope: Envelope, server: Server) -> str:
    """The name in From, always on one line."""
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
    part = _text(text)
    if html is not None:
        # The preferred part comes last.
        part = _together("alternative", [part, _html(html)], envelope.thread_word)
    if attachments:
        part = _together("mixed", [part, *map(_attached, attachments)], envelope.thread_word)
    kind, *others = part.headers
    headers = [
        kind,
        ("MIME-Version", "1.0"),
        *others,
        ("From", formataddr((sender_name(envelope, server), sender_address(envelope, server)))),
        ("To", envelope.recipient),
        ("Subject", envelope.subject),
        ("Date", format_datetime(date)),
        ("Message-ID", message_id(envelope, server)),
    ]
    if envelope.answers:
        headers.append(("In-Reply-To", envelope.answers))
    root = [] if envelope.board is None else [f"<b{envelope.board}@{server.domain}>"]
    references = [*root, *([envelope.answers] if envelope.answers else [])]
    if references:
        headers.append(("References", " ".join(references)))
    headers.append(("Auto-Submitted", "auto-generated" if envelope.is_notice else "auto-replied"))
    headers.append((LOOP_HEADER, server.address))
    if envelope.unsubscribe:
        # The id stays when the club gets another name (RFC 2919).
        headers.append(("List-Id", _list_id(server.club_name, server.domain)))
        # Only the mail's own address proves who asks.
        by_mail = f"<mailto:{sender_address(envelope, server)}?subject={quote(envelope.unsubscribe)}>"
        by_link = f", <{envelope.leave_link}>" if envelope.leave_link else ""
        headers.append(("List-Unsubscribe", by_mail + by_link))
    if envelope.leave_link:
        headers.append(("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"))
    return _Part(tuple(headers), part.body).written()


@lru_cache(maxsize=16)
def _list_id(club_name: str, domain: str) -> str:
    return formataddr((club_name, f"boards.{domain}"))


def write_masked(mail: IncomingMail, text: str) -> bytes:
    """The stored form of a handled mail: its sender, its Message-ID, and `text`, which contains no secret."""
    named = (("From", mail.sender), ("Message-ID", mail.message_id))
    head = [f"{name}: {value}" for name, value in named if value]
    form = ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit"]
    return "\n".join([*head, *form, "", text]).encode()


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a mail, or all of it: its headers, the kind of content first, and its body as it is sent."""

    headers: tuple[tuple[str, str], ...]
    body: bytes

    def written(self) -> bytes:
        """The part as it stands in the mail."""
        return b"".join([*(_header(name, value) for name, value in self.headers), b"\r\n", self.body])


def _header(name: str, value: str) -> bytes:
    """One header with its line end (RFC 2047, section 5)."""
    if value.isascii() and value.isprintable() and len(name) + len(value) < _LONGEST_LINE:
        return f"{name}: {value}\r\n".encode("ascii")
    return _FOLDING.fold_binary(name, value)


def _sent(text: str) -> bytes:
    """Lines of ASCII with the line ends that mail has."""
    lines = text.encode("ascii")
    return b"\r\n".join(lines.splitlines()) + (b"\r\n" if lines.endswith((b"\n", b"\r")) else b"")


def _text(text: str) -> _Part:
    if text.isascii():
        return _part('text/plain; charset="us-ascii"', "7bit", text)
    encoded = quoprimime.body_encode(text.encode().decode("latin-1"))
    return _part('text/plain; charset="utf-8"', "quoted-printable", encoded)


def _html(html: str) -> _Part:
    kind = 'text/html; charset="us-ascii"'
    if max(map(len, html.split("\n"))) > _LONGEST_LINE:
        return _part(kind, "quoted-printable", b2a_qp(html.encode("ascii")).decode("ascii"))
    return _part(kind, "7bit", html)


def _attached(file: Attachment) -> _Part:
    """A file in base64: no line of it is too long, none is taken for another, whatever is in it."""
    where = ("Content-Disposition", f'attachment; filename="{file.name}"')
    return _part(
        f'{file.media_type}; name="{file.name}"', "base64", encodebytes(file.content).decode("ascii"), where
    )


def _part(kind: str, encoding: str, lines: str, *more: tuple[str, str]) -> _Part:
    return _Part((("Content-Type", kind), ("Content-Transfer-Encoding", encoding), *more), _sent(lines))


def _together(how: str, parts: Sequence[_Part], word: str) -> _Part:
    """The parts as one. The boundary is the same for every try."""
    boundary = f"=_{hashlib.sha256(f'{how} boundary {word}'.encode()).hexdigest()[:32]}"
    between = f"--{boundary}\r\n".encode("ascii")
    body = b"".join(between + part.written() + b"\r\n" for part in parts)
    kind = f'multipart/{how}; boundary="{boundary}"'
    return _Part((("Content-Type", kind),), body + f"--{boundary}--\r\n".encode("ascii"))
