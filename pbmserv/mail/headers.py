"""The head of a mail, or of one of its parts, taken apart within fixed bounds (RFC 5322, section 2.2)."""

import re
from dataclasses import dataclass
from typing import Final

MAX_LINES: Final = 5_000
"""Lines of a head that are read. Real mails stay far below; a longer head is marked as incomplete."""

MAX_VALUE: Final = 65_536
"""Bytes of one header's value that are kept."""

_FIELD: Final = re.compile(rb"([!-9;-~]{1,200})[ \t]*:")


@dataclass(frozen=True, slots=True)
class Headers:
    """Headers in their order: lower-case name, and unfolded but still encoded value.

    `complete` is False when the head was longer than what is read, so that nothing can be said about which
    headers there are not.
    """

    fields: tuple[tuple[str, bytes], ...] = ()
    complete: bool = True

    def every(self, name: str) -> list[bytes]:
        """The values of all headers of that (lower-case) name."""
        return [value for known, value in self.fields if known == name]

    def first(self, name: str) -> bytes:
        """The value of the first header of that (lower-case) name; empty if there is none."""
        return next((value for known, value in self.fields if known == name), b"")


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
        elif field := _FIELD.match(line):
            fields.append((field[1].decode("ascii").lower(), [line[field.end() :]]))
            room = MAX_VALUE - len(line)
        else:
            return _headers(fields, True), position
        position = stop + 1
    blank = message.find(b"\n\n", position - 1, end)
    return _headers(fields, False), end if blank < 0 else blank + 2


def _headers(fields: list[tuple[str, list[bytes]]], complete: bool) -> Headers:
    return Headers(tuple((name, b"".join(pieces)) for name, pieces in fields), complete)
