"""Our own words come back unmarked: programs, responders and lists may copy a mail of ours without saying so.

They are quoted text all the same. Else a machine that answers everything would do what our mail only proposes.
"""

import re
from collections.abc import Iterable
from email import message_from_bytes
from typing import Final

WORDS: Final = 7
"""So many words of its beginning tell a mail of ours, however its lines were broken anew."""

_LONGEST_WORD: Final = 80

HEAD: Final = 4096
"""Bytes of a mail that hold its headers and the first words of its text."""


def without_echo(text: str, ours: Iterable[bytes]) -> str:
    """What stands above the first copy of one of our mails, whose first HEAD bytes `ours` are."""
    ends = (
        found.start() for beginning in map(_beginning, ours) if beginning and (found := beginning.search(text))
    )
    return text[: min(ends, default=len(text))]


def _beginning(raw: bytes) -> re.Pattern[str] | None:
    """An expression for how a mail begins; None for one whose words were let go of."""
    words = _words(raw)
    if len(words) < WORDS:
        return None
    return re.compile(r"\s{1,9}".join(re.escape(word[:_LONGEST_WORD]) for word in words))


def _words(raw: bytes) -> list[str]:
    """The first words of a mail's text part."""
    # The newer policies take ten times as long to parse the headers, of which none is wanted but the part's kind.
    parts = message_from_bytes(raw[:HEAD]).walk()
    plain = next((part for part in parts if part.get_content_type() == "text/plain"), None)
    body = plain.get_payload(decode=True) if plain is not None else b""
    charset = plain.get_content_charset("us-ascii") if plain is not None else "us-ascii"
    return body.decode(charset, "replace").split()[:WORDS] if isinstance(body, bytes) else []
