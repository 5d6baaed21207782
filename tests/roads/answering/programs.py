"""Mail programs, and what people send by them: an answer to the mail that they look at, or a tapped link of it."""

import re
from collections.abc import Callable
from email.message import EmailMessage
from email.policy import SMTP
from html import escape
from itertools import count
from urllib.parse import parse_qsl, unquote

from lxml.etree import _Element
from lxml.html import document_fromstring, tostring

Write = Callable[[EmailMessage, str, str], EmailMessage]
"""What somebody at this address writes as they look at a mail: these words, or what has the same effect."""

_numbers = count(1)


def quoting_below(mail: EmailMessage, sender: str, words: str) -> EmailMessage:
    """Plain text, as mutt, K-9 and most others write it: the words, and all of the mail quoted below."""
    quoted = "".join(f"> {line}".rstrip() + "\n" for line in text_of(mail).splitlines())
    answer = _answer(mail, sender)
    answer.set_content(f"{words}\n\nOn {mail['Date']}, pbmserv <{_writer(mail)}> wrote:\n{quoted}")
    return answer


def in_html_below_the_quote(mail: EmailMessage, sender: str, words: str) -> EmailMessage:
    """HTML alone, as Thunderbird writes it to answer below: the mail's own HTML quoted, the words at the end."""
    return _in_html(mail, sender, words, with_text=False)


def in_html_beside_nothing(mail: EmailMessage, sender: str, words: str) -> EmailMessage:
    """The same with a text part besides, in which nothing stands."""
    return _in_html(mail, sender, words, with_text=True)


def tapping(mail: EmailMessage, sender: str, words: str) -> EmailMessage:
    """The mail that a link of the HTML part begins, with what a phone writes below; found as it is seen.

    Where the mail shows no such link, the person writes the words.
    """
    square, comment = words.split("\n")[0].partition("x")[0].upper(), words.partition("\n")[2]
    page = document_fromstring(html_of(mail)) if mail.get_body(("html",)) else None
    link = None if page is None else _link(page, square, words.split("\n")[0])
    if link is None:
        return quoting_below(mail, sender, words)
    address, _, query = link.removeprefix("mailto:").partition("?")
    # A `+` in a link is a plus (RFC 6068, section 5); in a form on a page it would be a blank.
    fields = dict(parse_qsl(query.replace("+", "%2B")))
    begun = _mail(sender, unquote(address), fields["subject"])
    assert fields.keys() == {"subject"}
    begun.set_content(f"{comment}\n\n-- \nSent from my phone\n")
    return begun


def text_of(mail: EmailMessage) -> str:
    """The text part."""
    plain = mail.get_body(("plain",))
    assert plain is not None
    text: str = plain.get_content()
    return text.replace("\r\n", "\n")


def html_of(mail: EmailMessage) -> str:
    """The HTML part; of a mail without one, its text as programs show it."""
    part = mail.get_body(("html",))
    if part is None:
        return f"<pre>{escape(text_of(mail))}</pre>"
    html: str = part.get_content()
    return html


def _in_html(mail: EmailMessage, sender: str, words: str, with_text: bool) -> EmailMessage:
    body = document_fromstring(html_of(mail)).find("body")
    assert body is not None
    quoted = "".join(tostring(node, encoding="unicode") for node in body)
    lines = "".join(f"<div>{escape(line) or '<br>'}</div>" for line in words.split("\n"))
    cite = f'<div class="moz-cite-prefix">On {mail["Date"]}, pbmserv wrote:<br></div>'
    quote = f'<blockquote type="cite" cite="mid:{escape(mail["Message-ID"][1:-1])}">{quoted}</blockquote>'
    html = f"<html><head></head><body>{cite}{quote}\n{lines}<div><br></div></body></html>"
    answer = _answer(mail, sender)
    if with_text:
        answer.set_content("\n")
        answer.add_alternative(html, subtype="html")
    else:
        answer.set_content(html, subtype="html")
    return answer


def _answer(mail: EmailMessage, sender: str) -> EmailMessage:
    """An answer without its text: to where the mail came from, in its thread."""
    answer = _mail(sender, _writer(mail), f"Re: {mail['Subject'].removeprefix('Re: ')}")
    answer["In-Reply-To"] = mail["Message-ID"]
    answer["References"] = " ".join([*str(mail["References"] or "").split(), mail["Message-ID"]])
    return answer


def _mail(sender: str, to: str, subject: str) -> EmailMessage:
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"], mail["Subject"] = f"Somebody <{sender}>", to, subject
    mail["Date"] = "Sat, 21 Nov 2026 12:00:00 +0100"
    mail["Message-ID"] = f"<program-{next(_numbers)}@example.org>"
    return mail


def _writer(mail: EmailMessage) -> str:
    """To whom an answer goes."""
    (address,) = (mail["Reply-To"] or mail["From"]).addresses
    found: str = address.addr_spec
    return found


def _link(page: _Element, square: str, move: str) -> str | None:
    """Where a tap on a square leads, or, where that is a list of moves, a tap on the move there."""
    named = [(each, each.get("aria-label") or "".join(each.itertext())) for each in page.iter("a")]
    squares = [each for each, name in named if re.split("[ ,]", name)[0] == square]
    if not squares:
        return None
    (tapped,) = squares
    place = _target(tapped)
    if not place.startswith("#"):
        return place
    (listed,) = page.xpath("//*[@id=$name]", name=place[1:])
    (chosen,) = [each for each in listed.iter("a") if "".join(each.itertext()).strip() == move]
    return _target(chosen)


def _target(link: _Element) -> str:
    return str(link.get("href"))
