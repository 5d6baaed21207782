"""A mail as it goes over the wire: the commands, and the bytes with line ends and dots as SMTP wants them."""

import re
import smtplib
from dataclasses import dataclass, field

from pbmserv.mail.sending.transport import Outgoing


@dataclass(frozen=True, slots=True)
class Prepared:
    """A mail as it is said to a relay: MAIL, RCPT and DATA, then what follows them."""

    commands: tuple[bytes, bytes, bytes]
    data: bytes = field(repr=False)


def prepare(link: smtplib.SMTP, mail: Outgoing) -> Prepared | None:
    """A mail for the relay at the other end; None if that takes no such address."""
    sender = mail.envelope_sender.removeprefix("<>")
    utf8 = not (sender + mail.recipient).isascii()
    if utf8 and not link.has_extn("smtputf8"):
        return None
    data = wire_form(mail.raw)
    options = " SMTPUTF8" if utf8 else ""
    if link.has_extn("8bitmime") and (utf8 or not data.isascii()):
        options += " BODY=8BITMIME"  # not offered: 8 bits go unannounced, most relays take them
    if link.has_extn("size"):
        options += f" SIZE={len(data)}"
    begin, recipient = f"mail FROM:<{sender}>{options}\r\n", f"rcpt TO:<{mail.recipient}>\r\n"
    return Prepared((begin.encode(), recipient.encode(), b"data\r\n"), data)


def wire_form(raw: bytes) -> bytes:
    r"""The mail with every line ended by CR LF, as SMTP wants it (RFC 5321 2.3.8).

    >>> wire_form(b"a\nb\r\nc\rd")
    b'a\r\nb\r\nc\r\nd\r\n'
    """
    lines = raw.count(b"\r\n")
    if not lines == raw.count(b"\n") == raw.count(b"\r"):
        raw = re.sub(rb"\r\n|\r|\n", b"\r\n", raw)
    return raw if raw.endswith(b"\r\n") else raw + b"\r\n"


def dotted(data: bytes) -> bytes:
    r"""A mail as it goes after DATA, its end included (RFC 5321 4.5.2).

    >>> dotted(b".a\r\n..b\r\n")
    b'..a\r\n...b\r\n.\r\n'
    """
    return (b"." if data.startswith(b".") else b"") + data.replace(b"\r\n.", b"\r\n..") + b".\r\n"
