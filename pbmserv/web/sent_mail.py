"""The mailbox of who tries the server out: what was sent, one mail, and a sheet to write one."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from itertools import islice
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote, urlencode

from markupsafe import escape

from pbmserv.mail.reading.inspect import HEAD, Head, InspectedMail, head_of, open_mail
from pbmserv.mail.sending.maildir import age, files
from pbmserv.web.layout import Page

_HREF: Final = re.compile(r'href="([^"#][^"]*)"')

_LINE: Final = 25
_LEAST, _MOST = 300, 1600


@dataclass(frozen=True, slots=True)
class MailLine:
    """A mail in the listing; `name` stands for it in addresses of pages."""

    name: str
    recipient: str
    subject: str
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class MailboxPage(Page):
    """Mails that were sent, the newest first: to `recipient`, or to all where that is empty.

    `before` is empty on the first page. `older` is the name of the last mail shown, where there are more.
    """

    template = "web/mailbox.html"
    section = "mailbox"
    lines: tuple[MailLine, ...]
    recipients: tuple[str, ...]
    recipient: str = ""
    before: str = ""
    older: str = ""

    def path(self, before: str = "") -> str:
        """The address of this page, or of the one that begins below a mail."""
        asked = {"to": self.recipient, "before": before}
        return "/mailbox?" + urlencode({name: value for name, value in asked.items() if value})


@dataclass(frozen=True, slots=True)
class ShownMail(Page):
    """One mail. `answers_to` is where an answer goes, empty where none can; `newer` is the newest to the same.

    `told` says what became of the mail that it answers, where the reader comes from sending that.
    """

    template = "web/mailbox_mail.html"
    section = "mailbox"
    line: MailLine
    sender: str
    answers_to: str
    date: str
    text: str
    has_html: bool
    files: tuple[str, ...]
    newer: MailLine | None
    told: tuple[str, ...] = ()

    @property
    def height(self) -> int:
        """Of the frame around the HTML part, in pixels: what most mails of that many lines take on a phone."""
        return min(max(_LINE * (self.text.count("\n") + 5), _LEAST), _MOST)


@dataclass(frozen=True, slots=True)
class Writing(Page):
    """A sheet to write a mail on. `answers` is the name of the mail that it answers, empty for a new one.

    `wrong` are the fields whose address cannot be, `addresses` those that were written to.
    """

    template = "web/mailbox_write.html"
    section = "mailbox"
    sender: str
    recipient: str
    subject: str
    text: str
    answers: str = ""
    wrong: frozenset[str] = frozenset()
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OnItsWay(Page):
    """A mail was taken, and no answer to it has come: it `waits`, or none is due. `path` looks again.

    `told` says what became of it, in sentences; empty as long as that is not known.
    """

    template = "web/mailbox_on_its_way.html"
    section = "mailbox"
    sender: str
    waits: bool
    path: str
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenElsewhere(Page):
    """A mail was to be sent by a page that is none of ours."""

    template = "web/mailbox_elsewhere.html"
    section = "mailbox"


def html_for_browser(html: str, recipient: str) -> str:
    """The HTML of one of our mails, as the pages show it in a frame: its links lead out of that.

    Those that write a mail lead to our sheet, which knows that it is the recipient who writes.
    """
    return _HREF.sub(lambda found: _led_out(unescape(found[1]), recipient), html)


def _led_out(href: str, recipient: str) -> str:
    target = _write_path(href, recipient) if href.startswith("mailto:") else href
    return f'href="{escape(target)}" target="_top"'


def _write_path(href: str, sender: str) -> str:
    """
    >>> _write_path("mailto:pbm%2Bt1@club.test?subject=move%20101%20c3%238&body=a+b", "ann@home.test")
    '/mailbox/write?from=ann%40home.test&to=pbm%2Bt1%40club.test&subject=move%20101%20c3%238&body=a%2Bb'
    """
    address, _, query = href.removeprefix("mailto:").partition("?")
    told = {name: unquote(value) for name, _, value in (each.partition("=") for each in query.split("&"))}
    asked = {"from": sender, "to": unquote(address)}
    asked |= {name: told[name] for name in ("subject", "body") if name in told}
    return f"/mailbox/write?{urlencode(asked, quote_via=quote)}"


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
    """The addresses that were written to recently, in their order."""
    heads = (mail.head for mail in islice(_newest_first(folder), LOOKED_THROUGH))
    return sorted({head.recipient for head in heads if head.recipient})


def see_sent_mail(folder: Path, name: str) -> tuple[SentMail, InspectedMail] | None:
    """One mail and what is in it; None where none has that name."""
    file = next((file for file in reversed(files(folder)) if _name(file) == name), None)
    mail = None if file is None else _glance(file)
    return None if mail is None else (mail, open_mail(_read(mail.file)))


def find_sent(folder: Path, message_id: str) -> SentMail | None:
    """The mail with a Message-ID, if it was sent recently."""
    latest = islice(_newest_first(folder), LOOKED_THROUGH)
    return next((mail for mail in latest if mail.head.message_id == message_id), None)


def see_newest(folder: Path, recipient: str) -> SentMail | None:
    """The newest mail to an address, if it was sent recently."""
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
