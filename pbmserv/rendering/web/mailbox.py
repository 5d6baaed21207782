"""The mailbox of who tries the server out: what was sent, one mail, and a sheet to write one."""

import re
from dataclasses import dataclass
from datetime import datetime
from html import unescape
from typing import Final
from urllib.parse import quote, unquote, urlencode

from markupsafe import escape

from pbmserv.rendering.web.page import Page

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
class Mailbox(Page):
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
    """One mail. `answers_to` is where an answer goes, empty where none can; `newer` is the newest to the same."""

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

    @property
    def height(self) -> int:
        """Of the frame around the HTML part, in pixels: what most mails of so many lines take on a phone."""
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
    """A mail was taken, and no answer to it has come: it `waits`, or none is due. `path` looks again."""

    template = "web/mailbox_on_its_way.html"
    section = "mailbox"
    sender: str
    waits: bool
    path: str


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
