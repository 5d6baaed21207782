"""A mail of ours opened to be looked at: its head at a glance, and all that is in it. Any bytes give a value."""

from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Final

from pbmserv.mail.reading.decoding import clean_text, decode_words, from_charset, one_line
from pbmserv.mail.reading.headers import Headers, one_address, parse_head

HEAD: Final = 16_384
"""Bytes at the beginning of a mail of ours in which its whole head stands."""

LONGEST_VALUE: Final = 900


@dataclass(frozen=True, slots=True)
class Head:
    """What stands above a mail, each value decoded and on one line; empty where there is none.

    `recipient` is the lower-case address that it was delivered to, `answers_to` the one that it came from.
    """

    sender: str
    answers_to: str
    recipient: str
    subject: str
    date: str
    message_id: str
    references: str


@dataclass(frozen=True, slots=True)
class File:
    """A file that came with a mail."""

    name: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class InspectedMail:
    """What is in a mail: its text, its HTML (empty where it has none) and its files in their order."""

    text: str
    html: str = ""
    files: tuple[File, ...] = ()


def head_of(raw: bytes) -> Head:
    """The head of a mail; its first `HEAD` bytes are enough."""
    headers, _ = parse_head(raw, 0, len(raw))
    return Head(
        sender=_value(headers, "from"),
        answers_to=one_address(headers.every("from")) or "",
        recipient=(_value(headers, "delivered-to") or _value(headers, "to")).lower(),
        subject=_value(headers, "subject"),
        date=_value(headers, "date"),
        message_id=_value(headers, "message-id"),
        references=_value(headers, "references"),
    )


def open_mail(raw: bytes) -> InspectedMail:
    """All that is in a mail; one that cannot be taken apart is one text as it stands."""
    try:
        message = message_from_bytes(raw, policy=policy.default)
        files = [_file(each) for each in message.iter_attachments() if not each.is_multipart()]
        return InspectedMail(_part(message, "plain"), _part(message, "html"), tuple(files))
    except Exception:  # the standard library raises anything on anything
        return InspectedMail(clean_text(from_charset(raw, "")))


def _part(message: EmailMessage, kind: str) -> str:
    part = message.get_body((kind,))
    return "" if part is None else clean_text(part.get_content())


def _file(part: EmailMessage) -> File:
    content = part.get_payload(decode=True)
    assert isinstance(content, bytes)
    return File(one_line(part.get_filename("file")), content)


def _value(headers: Headers, name: str) -> str:
    return one_line(decode_words(headers.first(name)), LONGEST_VALUE)
