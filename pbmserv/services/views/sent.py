"""The mails that were sent into a Maildir, looked at by whoever tries the server out.

They hold people's addresses and the secrets by which answers are known, so they are for nobody's eyes but those of
who may read the folder anyway: only pages that are asked for from this very machine are made of them.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Final

from pbmserv.mail.maildir import age, files
from pbmserv.mail.opened import HEAD, Head, Opened, head_of, open_mail

MOST: Final = 50
"""Mails on one page."""

LOOKED_THROUGH: Final = 500
"""The newest mails, among whose recipients one can choose, and among which an answer is looked for."""


@dataclass(frozen=True, slots=True)
class SentMail:
    """One mail that was sent. `name` stands for it in addresses of pages, wherever mail programs move its file."""

    name: str
    file: Path
    head: Head
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class SentMails:
    """A page of them, the newest first; `has_older` tells whether there are more."""

    mails: tuple[SentMail, ...]
    has_older: bool


def see_sent(folder: Path, recipient: str = "", before: str = "") -> SentMails:
    """The newest mails to an address, or to all; `before` is the name of one below which the page begins.

    Only as many files are opened as it takes. Raises OSError where the folder is not ours.
    """
    found = _to(recipient, _newest_first(folder, before))
    mails = tuple(islice(found, MOST))
    return SentMails(mails, next(found, None) is not None)


def see_recipients(folder: Path) -> list[str]:
    """The addresses that were written to of late, in their order."""
    heads = (mail.head for mail in islice(_newest_first(folder), LOOKED_THROUGH))
    return sorted({head.recipient for head in heads if head.recipient})


def see_sent_mail(folder: Path, name: str) -> tuple[SentMail, Opened] | None:
    """One mail and what is in it; None where none has that name."""
    file = next((file for file in reversed(files(folder)) if _name(file) == name), None)
    mail = None if file is None else _glance(file)
    return None if mail is None else (mail, open_mail(_read(mail.file)))


def find_sent(folder: Path, message_id: str) -> SentMail | None:
    """The mail with a Message-ID, if it was sent of late."""
    latest = islice(_newest_first(folder), LOOKED_THROUGH)
    return next((mail for mail in latest if mail.head.message_id == message_id), None)


def see_newest(folder: Path, recipient: str) -> SentMail | None:
    """The newest mail to an address, if it was sent of late."""
    return next(_to(recipient, islice(_newest_first(folder), LOOKED_THROUGH)), None)


def _newest_first(folder: Path, before: str = "") -> Iterator[SentMail]:
    found = reversed(files(folder))
    if before:
        next((file for file in found if _name(file) == before), None)
    return (mail for mail in map(_glance, found) if mail is not None)


def _to(recipient: str, mails: Iterator[SentMail]) -> Iterator[SentMail]:
    return (mail for mail in mails if recipient in ("", mail.head.recipient))


def _glance(file: Path) -> SentMail | None:
    """A mail by the beginning of its file; None where a mail program has moved it since it was listed."""
    try:
        head = head_of(_read(file, HEAD))
        seconds = age(file)[0] or int(file.stat().st_mtime)
    except FileNotFoundError:
        return None
    return SentMail(_name(file), file, head, datetime.fromtimestamp(seconds, UTC))


def _read(file: Path, size: int = -1) -> bytes:
    with file.open("rb") as opened:
        return opened.read(size)


def _name(file: Path) -> str:
    # What stands behind the colon changes when a mail program has shown the mail.
    return hashlib.sha256(file.name.partition(":")[0].encode("utf-8", "surrogateescape")).hexdigest()[:16]
