"""From a mail's bytes to an IncomingMail: any bytes give a value."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

from pbmserv.commands.typed_moves import any_spelling
from pbmserv.mail.reading.answered import answered_threads, answered_tokens, without_keys, without_tokens
from pbmserv.mail.reading.authentication import is_authenticated, unwelcome_sign
from pbmserv.mail.reading.automatic import is_by_machine, why_automatic
from pbmserv.mail.reading.decoding import decode_words, one_line, with_few_marks
from pbmserv.mail.reading.headers import MAX_VALUE, Headers, author_of, doubtful_authors_of, open_message
from pbmserv.mail.reading.html_quotes import without_struck
from pbmserv.mail.reading.mime import as_text, sealed_form, written_parts
from pbmserv.mail.reading.quotes import reply_text
from pbmserv.parser.command_block import first_line
from pbmserv.parser.parsed import IncomingMail
from pbmserv.parser.words import FIRST_BOARD

MAX_TEXT: Final = 128 * 1024
"""Characters of text that are searched for what the sender wrote. If these hold no command, the mail is answered
that it holds too much."""

MAX_REFERENCES: Final = 20

AUTHOR_HEADERS: Final = ("message-id", "from", "to", "cc", "date", "subject", "in-reply-to", "references")
"""What makes a mail without a usable Message-ID itself; every other header counts as a trace of its way."""

_ID: Final = re.compile(r"<[!-;=?-~]{1,248}>")


def read(
    raw: bytes,
    envelope_sender: str,
    our_address: str,
    delimiter: str = "+",
    recipients: Sequence[str] = (),
    authserv_id: str = "",
    club: str = "",
) -> IncomingMail:
    """The mail that these bytes are; never an error, in time and memory bounded by MAX_MESSAGE.

    `envelope_sender` is the address of SMTP's MAIL FROM (or of Return-Path); `<>` or empty is the null sender.
    `our_address` is the server's own, `delimiter` what stands before a tag in it (empty: there are no tags).
    `recipients` are those of the envelope; `authserv_id` is the server whose Authentication-Results are believed;
    `club` is the name in our Subjects.
    A mail that makes no sense has no sender or no text. A head longer than `headers.MAX_LINES` names no sender.
    References are those of In-Reply-To, then those of References from the newest to the oldest.
    """
    message, headers, body = open_message(raw)
    written = written_parts(message, headers, body)
    sender = author_of(headers)
    message_id = next(iter(_ids(headers.first("message-id"))), None)
    cleaned = partial(_without_secrets, our_address=our_address, delimiter=delimiter)
    subject = one_line(cleaned(with_few_marks(one_line(decode_words(headers.first("subject")), limit=MAX_VALUE))))
    whole = as_text(written)
    text = cleaned(without_struck(reply_text(with_few_marks(whole[:MAX_TEXT]))))
    replied = _ids(headers.first("in-reply-to"))
    earlier = reversed(_ids(headers.first("references")))
    is_command = partial(_begins_with_command, text)
    return IncomingMail(
        sender=sender,
        subject=subject,
        text=text,
        message_id=message_id,
        references=tuple(dict.fromkeys((*replied, *earlier)))[:MAX_REFERENCES],
        automatic=why_automatic(headers, envelope_sender, our_address, delimiter, is_command, club)
        or ("robot" if not is_command(subject) and is_by_machine(text, message) else None),
        tokens=answered_tokens(headers, recipients, our_address, delimiter),
        thread_words=answered_threads(headers, our_address),
        authenticated=is_authenticated(headers, sender, authserv_id),
        content_key=_content_key(headers, message_id, sender, subject, (part.text for part in written)),
        doubtful_senders=doubtful_authors_of(headers) if sender is None else (),
        unwelcome=unwelcome_sign(headers, envelope_sender, sender, our_address, delimiter, authserv_id),
        unread="cut" if len(whole) > MAX_TEXT else "" if text else sealed_form(message),
    )


def _begins_with_command(*texts: str) -> bool:
    """Whether the first line of one of them is a command, or a move in an answer to whatever board."""
    return any(first_line(text, FIRST_BOARD, any_spelling())[0].parsed is not None for text in texts)


def _without_secrets(text: str, our_address: str, delimiter: str) -> str:
    return without_keys(without_tokens(text, our_address, delimiter))


def _ids(value: bytes) -> list[str]:
    # Some mailers write long ids as encoded words, against RFC 2047, section 5; what still looks like one then
    # would be decoded once more by the program that reads our answer.
    return [each for each in _ID.findall(decode_words(value)) if "=?" not in each]


def _content_key(
    headers: Headers, message_id: str | None, sender: str | None, subject: str, texts: Iterable[str]
) -> str:
    """What two copies of one mail share, whatever relays did to their encoding, folding and line ends."""
    if message_id:
        origin = sender or "\n".join(_plain_values(headers, "from"))
        identity = ["id", message_id, origin, subject]
    else:
        identity = ["no id", *(f"{name}\n" + "\n".join(_plain_values(headers, name)) for name in AUTHOR_HEADERS)]
    contents = ("\n".join(line.rstrip() for line in text.split("\n")).strip() for text in texts)
    return hashlib.sha256("\0".join((*identity, *contents)).encode()).hexdigest()


def _plain_values(headers: Headers, name: str) -> list[str]:
    return [one_line(decode_words(value), limit=MAX_VALUE) for value in headers.every(name)]
