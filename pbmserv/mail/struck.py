"""What its writer struck out: it is not read at all, neither as a command nor as words for anybody."""

import re
from typing import Final

from pbmserv.mail.style_sheets import hidden_parts

STRUCK_TAGS: Final = frozenset(("s", "del", "strike"))

_IN_HTML: Final = re.compile(r"<(?:s|del|strike)[\s>]|<[a-z][^<>]{0,500}line-through", re.IGNORECASE)
_AFTER: Final = r"(?=[\s.,;:!?)\]\"']|\Z)"
_MARKED: Final = re.compile(
    rf"(?<![^\s(\[\"'])(?:~~(?=[^\s~])[^~]{{1,500}}(?<=[^\s~])~~{_AFTER}|<(s|del|strike)>[^<]{{1,500}}</\1>)",
    re.IGNORECASE,
)
_WHOLE_LINE: Final = re.compile(
    r"^[ \t]*(?:~[^\s~](?:[^~\n]{0,500}[^\s~])?~|-[a-z][1-9][0-9]?-)[ \t]*$", re.IGNORECASE | re.MULTILINE
)
_OVERLAID: Final = re.compile(r"(?:[^\n][\u0335\u0336])+(?:[ \t]+(?:[^\n][\u0335\u0336])+)*")


def without_struck(text: str) -> str:
    """The text without what is marked as struck out, as people and programs do it where there is only text.

    >>> [without_struck(text) for text in ("~~d4~~ e5", "~d4~", "-d4-", "d\\u03364\\u0336", "so ~ so", "c3-d4-e5")]
    [' e5', '', '', '', 'so ~ so', 'c3-d4-e5']
    """
    return _OVERLAID.sub("", _WHOLE_LINE.sub("", _MARKED.sub("", text)))


def may_be_struck(html: str) -> bool:
    """Whether something in HTML may be struck out, so that the same mail's plain text says more than was meant."""
    return _IN_HTML.search(html) is not None or bool(hidden_parts(html).struck)
