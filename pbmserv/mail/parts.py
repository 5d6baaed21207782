"""The parts of a mail made into one text."""

from collections.abc import Sequence
from typing import Final

from pbmserv.mail.flowed import unflowed
from pbmserv.mail.html import html_text
from pbmserv.mail.markup import MAX_TAGS
from pbmserv.mail.mime import Written, says_see_html

MAX_HTML_PARTS: Final = 20


def as_text(parts: Sequence[Written]) -> str:
    """What stands in these parts, in their order.

    HTML is read only where no plain text stands before it: below plain text it is that once more, or something
    that a mail system has added. Plain text that only tells of HTML counts for none. Between them the HTML parts
    share what is read of one.
    """
    html = [part for part in parts if part.kind == "html"][:MAX_HTML_PARTS]
    texts: list[str] = []
    has_plain = False
    for part in parts:
        if part.kind == "plain":
            has_plain = has_plain or not (part.text == "" or part.text.isspace() or says_see_html(part.text))
            texts.append(part.text if part.flow == "fixed" else unflowed(part.text, part.flow != "flowed"))
        elif not has_plain and part in html:
            texts.append(html_text(part.text, MAX_TAGS // len(html)))
    return "\n".join(texts)
