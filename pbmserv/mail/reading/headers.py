"""The head of a mail, or of one of its parts, taken apart within fixed bounds (RFC 5322, section 2.2)."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pbmserv.mail.reading.decoding import decode_words

MAX_MESSAGE: Final = 2 * 1024 * 1024
"""Bytes of a mail that are read; what comes after is not looked at."""

MAX_LINES: Final = 5_000
"""Lines of a head that are read. Real mails stay far below; a longer head is marked as incomplete."""

MAX_VALUE: Final = 65_536
"""Bytes of one header's value that are kept."""

MOST_HOPS: Final = 50
"""Received lines of a mail that is not going in circles."""

_FIELD: Final = re.compile(rb"([!-9;-~]{1,200})[ \t]*:")


@dataclass(frozen=True, slots=True)
class Headers:
    """Headers by lower-case name, those of one name in their order: unfolded but still encoded values.

    `complete` is False when the head was longer than what is read, so that nothing can be said about which
    headers there are not.
    """

    values: Mapping[str, Sequence[bytes]] = field(default_factory=dict)
    complete: bool = True

    def every(self, name: str) -> Sequence[bytes]:
        """The values of all headers of that (lower-case) name."""
        return self.values.get(name, ())

    def first(self, name: str) -> bytes:
        """The value of the first header of that (lower-case) name; empty if there is none."""
        found = self.values.get(name)
        return found[0] if found else b""


def parse_head(message: bytes, start: int, end: int, max_lines: int = MAX_LINES) -> tuple[Headers, int]:
    """The headers that begin at `start`, and where the body begins; lines end with LF.

    An empty line ends the head, and so does a line that is no header: then the body begins with it, as it does
    for Postfix and sendmail.
    """
    fields: list[tuple[str, list[bytes]]] = []
    room = 0
    position = start
    for _ in range(max_lines):
        if position >= end:
            return _headers(fields, True), end
        newline = message.find(b"\n", position, end)
        stop = end if newline < 0 else newline
        line = message[position : min(stop, position + MAX_VALUE)].rstrip(b"\r")
        if not line:
            return _headers(fields, True), min(stop + 1, end)
        if line[0] in b" \t" and fields:
            if room > 0:
                fields[-1][1].append(line[:room])
                room -= len(line)
        elif named := _FIELD.match(line):
            fields.append((named[1].decode("ascii").lower(), [line[named.end() :]]))
            room = MAX_VALUE - len(line)
        else:
            return _headers(fields, True), position
        position = stop + 1
    blank = message.find(b"\n\n", position - 1, end)
    return _headers(fields, False), end if blank < 0 else blank + 2


def _headers(fields: list[tuple[str, list[bytes]]], complete: bool) -> Headers:
    values: dict[str, list[bytes]] = {}
    for name, pieces in fields:
        values.setdefault(name, []).append(b"".join(pieces))
    return Headers(values, complete)


MAX_FROM: Final = 4_096
"""Bytes of a From header that are read; a longer one is doubtful."""

_ATOM: Final = r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_ADDRESS: Final = rf"{_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})*"
_PLAIN: Final = re.compile(rf"[ \t]*({_ADDRESS})[ \t]*")
_NAMED: Final = re.compile(rf"[^<>@,;:\\\[\]]*<[ \t]*({_ADDRESS})[ \t]*>[ \t]*")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_BARE: Final = re.compile(_ADDRESS)
_BETWEEN: Final = re.compile(r"[\x00-\x20\x7f<>()\[\],:;\"\\]+")


def one_address(values: Sequence[bytes]) -> str | None:
    """The lower-case address that these From headers name; None unless it is one header with one plain address.

    Taken are `a@b`, `Any Name <a@b>`, quoted names, encoded words and comments. Groups, lists, routes, quoted
    local parts, domain literals, and whatever is not ASCII in an address are legal but doubtful: they count as
    unknown. So do a name with a bare `@`, and angle brackets in a quoted name or comment, by which one parser can
    be made to see another address than the next ("Composition Kills", Chen, Paxson, Jiang, USENIX Security 2020).
    """
    if len(values) != 1 or len(values[0]) > MAX_FROM:
        return None
    # Latin-1 keeps each byte one character: no decoding can bring forth a bracket or an @, and no lower-casing an
    # ASCII letter, as it would out of the Kelvin sign.
    text = values[0].decode("latin-1")
    if _CONTROL.search(text):
        return None
    outline = _outline(text)
    if outline is None:
        return None
    found = _PLAIN.fullmatch(outline.lower()) or _NAMED.fullmatch(outline.lower())
    if found is None:
        return None
    return found[1] if _is_short(found[1]) else None


def doubtful_addresses(values: Sequence[bytes]) -> tuple[str, ...]:
    """Every address that From headers hold which do not name one without doubt: lower-case, each once, in order.

    All that holds an `@` must be an address, as written and once its encoded words are decoded: none are given as
    soon as anything does that is none, so that no parser can see another sender in the headers than these.
    """
    found: dict[str, None] = {}
    for value in values:
        if len(value) > MAX_FROM:
            return ()
        for word in _BETWEEN.split(f"{value.decode('latin-1')}\n{decode_words(value)}"):
            if "@" not in unicodedata.normalize("NFKC", word):
                continue
            address = _normalised(word)
            # An ASCII letter is lower-cased to one; the Kelvin sign would be as well.
            if not address.isascii() or not _BARE.fullmatch(address.lower()) or not _is_short(address):
                return ()
            found[address.lower()] = None
    return tuple(found)


def _normalised(word: str) -> str:
    """An address without the quotes that some programs put around it, and the dot that ends a full domain."""
    inner = word[1:-1] if len(word) > 1 and word[0] == word[-1] == "'" else word
    return inner.removesuffix(".")


def _is_short(address: str) -> bool:
    local, _, domain = address.partition("@")
    # RFC 5321, section 4.5.3.1.
    return len(local) <= 64 and len(domain) <= 253 and len(address) <= 254


def _outline(text: str) -> str | None:
    """The text with `"` for each quoted string and a blank for each comment; None if they are not closed."""
    outline: list[str] = []
    comments, quoted, escaped = 0, False, False
    for character in text:
        if escaped:
            escaped = False
        elif not quoted and not comments:
            quoted = character == '"'
            comments = int(character == "(")
            outline.append(" " if comments else character)
        elif character in "<>" or (comments and character == "@"):
            return None
        elif character == "\\":
            escaped = True
        elif quoted:
            quoted = character != '"'
        else:
            comments += (character == "(") - (character == ")")
    return None if quoted or comments or escaped else "".join(outline)


def open_message(raw: bytes) -> tuple[bytes, Headers, int]:
    """What is read of a mail, its line ends made one; its head; and where its body begins."""
    message = raw[:MAX_MESSAGE].replace(b"\r\n", b"\n")
    if b"\n" not in message:
        message = message.replace(b"\r", b"\n")
    start = 0
    if message.startswith((b"From ", b">From ")) and not re.match(rb"From[ \t]+:", message):
        # The separator line of an mbox, which pipes leave at the top, is no header.
        start = message.find(b"\n") + 1
    headers, body = parse_head(message, start, len(message))
    return message, headers, body


def head_of(raw: bytes) -> Headers:
    """Only the head, as `read` would take it: for what is to be known of a mail before it is read."""
    return open_message(raw)[1]


def author_of(headers: Headers) -> str | None:
    """The one address in From; None where it is in doubt."""
    return one_address(headers.every("from")) if headers.complete else None


def doubtful_authors_of(headers: Headers) -> tuple[str, ...]:
    """The addresses that an oddly written From may mean."""
    return doubtful_addresses(headers.every("from")) if headers.complete else ()


def sender_of(headers: Headers) -> str | None:
    """Only the sender: for keeping one sender's mails in order before they are read.

    Other than in `read`, a From that is oddly written counts here, as long as it names one address throughout.
    """
    sender = author_of(headers)
    named = (sender,) if sender else doubtful_authors_of(headers)
    return named[0] if len(named) == 1 else None


def envelope_sender_of(raw: bytes) -> str:
    """The envelope sender as far as the mail itself tells: Return-Path (`<>` for a bounce), else its sender."""
    headers = open_message(raw)[1]
    path = headers.first("return-path").decode("ascii", "replace").strip()
    return path.strip("<>") or "<>" if path else author_of(headers) or "unknown"


def is_mail(raw: bytes) -> bool:
    """Whether these bytes have a header that every mail has in some form: who wrote it, or how it came."""
    headers = open_message(raw)[1]
    return any(headers.every(name) for name in ("from", "received", "message-id", "date", "to", "subject"))


def count_hops(raw: bytes) -> int:
    """The number of Received lines in a mail's header, to find mail loops (RFC 5321 6.3)."""
    end = re.search(rb"\r?\n\r?\n", raw)
    return len(re.findall(rb"(?im)^received[ \t]*:", raw[: end.start()] if end else raw))
