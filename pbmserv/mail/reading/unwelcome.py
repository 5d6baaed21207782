"""Signs in a mail's headers that its From address may be somebody else's, so that a letter might go astray.

A mail with one of them is read like any other. But an unknown sender is not written to because of it.
"""

import re
from typing import Final, Literal

from pbmserv.commands.server import Server
from pbmserv.mail.reading.authentication import has_failed
from pbmserv.mail.reading.headers import Headers

Sign = Literal["marked", "forged", "not its envelope", "not to us"]
"""A filter has marked it as spam; the mail server that we believe says that SPF or DMARC failed; its envelope has
another sender; neither To nor Cc names us."""

_MOST: Final = 65_536
"""Bytes of To and Cc that are searched for our address."""

_SPAM_HEADERS: Final = ("x-spam-flag", "x-spam-status", "x-spam")
_WORD: Final = re.compile(rb"[^\s<>,;:\"()\[\]]+")
_BATCH_TAG: Final = re.compile(r"prvs=[^=@]+=")
"""What some servers put before the local part in the envelope (BATV)."""


def unwelcome_sign(
    headers: Headers, envelope_sender: str, sender: str | None, our_address: str, delimiter: str, authserv_id: str
) -> Sign | None:
    """The first sign that a mail has, the gravest first; None if it has none."""
    if any(_is_yes(value) for name in _SPAM_HEADERS for value in headers.every(name)):
        return "marked"
    if has_failed(headers, authserv_id):
        return "forged"
    if sender is None or _BATCH_TAG.sub("", envelope_sender.strip().strip("<>").lower()) != sender:
        return "not its envelope"
    server = Server(our_address, delimiter)
    named = b"\n".join((*headers.every("to"), *headers.every("cc")))[:_MOST]
    # The pattern asks for no @: on a long word without one that would take quadratic time.
    is_to_us = any(server.owns(word.decode("latin-1")) for word in _WORD.findall(named) if b"@" in word)
    return None if is_to_us else "not to us"


def _is_yes(value: bytes) -> bool:
    return re.split(rb"[\s,;]", value[:200].strip().lower(), maxsplit=1)[0] in (b"yes", b"true")
