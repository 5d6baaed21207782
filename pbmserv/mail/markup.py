"""HTML made plain before it is parsed: only tags, and of their attributes only those that tell what a part is.

Parsers take time that grows with the square of a tag's attributes, and believe each other least about comments and
odd quotes; what is written here anew holds neither. Tags are found as the HTML Standard finds them
(https://html.spec.whatwg.org/multipage/parsing.html#tokenization).
"""

import re
from typing import Final

MAX_TAGS: Final = 20_000
"""Tags of a mail that are read; what a person wrote, with a long thread below it, holds some thousands."""

MAX_NAME: Final = 40
MAX_ATTRIBUTE: Final = 1_000
MAX_MARKUP: Final = 512 * 1024
"""Characters of tidied HTML that are handed on."""

TELLING: Final = frozenset(("class", "id", "name", "type", "style", "hidden", "href"))
"""The attributes that tell what is quoted, hidden, a signature or a button."""

_BLANK: Final = r"[ \t\n\r\f]"
_VALUE: Final = r"""(?:"([^"]*+)"?|'([^']*+)'?|([^\s>"'][^ \t\n\r\f>]*+)|)"""
_ATTRIBUTE: Final = re.compile(rf"([^ \t\n\r\f/>][^ \t\n\r\f/>=]*+)(?:{_BLANK}*+={_BLANK}*+{_VALUE})?")
# The same without groups and without going back: Python 3.11 fails on groups in a possessive repetition.
_PASSED: Final = re.sub(r"\((?!\?)", "(?:", _ATTRIBUTE.pattern) + "+"
_TOKEN: Final = re.compile(
    rf"""
      <!--(?:-?>|.*?(?:--!?>|\Z))
    | <[!?][^>]*+(?:>|\Z)
    | <(?P<raw>script|style|title|template|textarea|iframe|noembed|noframes)(?=[ \t\n\r\f/>])
        .*?(?:</(?P=raw)(?=[ \t\n\r\f/>])[^>]*+>|\Z)
    | <(?P<close>/?)(?P<name>[a-z][^ \t\n\r\f/>]*+)
        (?P<attributes>(?:[ \t\n\r\f/]++|{_PASSED})*+)(?:>|\Z)
    | <
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?::[a-z0-9]+)?")


def tidied(html: str, most_tags: int = MAX_TAGS) -> str:
    """The HTML without comments, scripts and styles, each tag written anew with nothing but TELLING attributes.

    Text stays as it is, with its entities. What comes after `most_tags` tags or MAX_MARKUP characters is left out.
    Time taken is linear in the size of the HTML, whatever it is.
    """
    pieces: list[str] = []
    position = room = 0
    for _, token in zip(range(most_tags), _TOKEN.finditer(html), strict=False):
        piece = html[position : token.start()] + _rewritten(token)
        pieces.append(piece)
        room += len(piece)
        position = token.end()
        if room > MAX_MARKUP:
            return "".join(pieces)[:MAX_MARKUP]
    rest = html.find("<", position)
    pieces.append(html[position : None if rest < 0 else rest])
    return "".join(pieces)[:MAX_MARKUP]


def _rewritten(token: re.Match[str]) -> str:
    name = token["name"]
    if name is None:
        return "&lt;" if token[0] == "<" else ""
    name = name[:MAX_NAME].lower()
    if not _NAME.fullmatch(name) or not token[0].endswith(">"):
        return ""
    if token["close"]:
        return f"</{name}>"
    return f"<{name}{''.join(_telling(token['attributes']))}>"


def _telling(attributes: str) -> list[str]:
    found: dict[str, str] = {}
    for attribute in _ATTRIBUTE.finditer(attributes):
        name = attribute[1].lower()
        if name in TELLING:
            found.setdefault(name, attribute[2] or attribute[3] or attribute[4] or "")
    return [f' {name}="{_quoted(value[:MAX_ATTRIBUTE])}"' for name, value in found.items()]


def _quoted(value: str) -> str:
    return value.replace('"', "&quot;").replace("<", "&lt;")
