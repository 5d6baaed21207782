"""HTML made plain before it is parsed: only tags, and of their attributes only those that tell what a part is.

Style sheets are read for what they hide.

Parsers take time that grows with the square of a tag's attributes, and believe each other least about comments and
odd quotes; what is written here anew holds neither. Tags are found as the HTML Standard finds them
(https://html.spec.whatwg.org/multipage/parsing.html#tokenization).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

MAX_TAGS: Final = 20_000
"""Tags of a mail that are read; what a person wrote, with a long thread below it, holds some thousands."""

MAX_NAME: Final = 40
MAX_ATTRIBUTE: Final = 1_000
MAX_MARKUP: Final = 512 * 1024
"""Characters of tidied HTML that are handed on."""

TELLING: Final = frozenset(("class", "id", "name", "data-marker", "type", "style", "hidden", "href"))
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


MAX_SHEETS: Final = 64 * 1024
"""Characters of style sheets that are read."""

_SHEET: Final = re.compile(r"<style(?=[ \t\n\r\f/>])[^<>]{0,1000}+>(.*?)(?:</style|\Z)", re.DOTALL | re.IGNORECASE)
_NO_RULE: Final = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_BRACE: Final = re.compile(r"[{}]")
_SELECTOR: Final = re.compile(r"([a-z][a-z0-9]*)?(?:([.#])([a-z_][\w-]*))?", re.IGNORECASE)
_HIDDEN: Final = re.compile(
    r"(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:\.0+)?(?:[a-z%]{1,3})?\s*(?:;|!|$)"
    r"|max-height\s*:\s*0(?:px)?\s*(?:;|!|$)|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$)|mso-hide\s*:\s*all)"
)
_NO_HEIGHT: Final = re.compile(r"(?:^|[;\s])height\s*:\s*0(?:px)?\s*(?:;|!|$)")
_NO_OVERFLOW: Final = re.compile(r"(?:^|[;\s])overflow\s*:\s*hidden")
_STRUCK: Final = re.compile(r"text-decoration(?:-line)?\s*:[^:;]*\bline-through")


def hides(style: str) -> bool:
    """Whether these declarations, in lower case, leave nothing to be seen."""
    if _HIDDEN.search(style) is not None:
        return True
    return _NO_HEIGHT.search(style) is not None and _NO_OVERFLOW.search(style) is not None


def strikes(style: str) -> bool:
    """Whether these declarations, in lower case, draw a line through what stands there."""
    return _STRUCK.search(style) is not None


_Selectors: TypeAlias = frozenset[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class HiddenParts:
    """The parts that style sheets hide or strike: by element and class or id, each of which may be empty."""

    hidden: _Selectors = frozenset()
    struck: _Selectors = frozenset()

    def holds(self, tag: str, classes: Iterable[str], id_: str) -> bool:
        """Whether a part with these is hidden; names in lower case."""
        return _is_among(self.hidden, tag, classes, id_)

    def strikes(self, tag: str, classes: Iterable[str], id_: str) -> bool:
        """Whether a part with these is struck out; names in lower case."""
        return _is_among(self.struck, tag, classes, id_)


def _is_among(selectors: _Selectors, tag: str, classes: Iterable[str], id_: str) -> bool:
    if not selectors:
        return False
    marks = [("", ""), *((".", name) for name in classes), *([("#", id_)] if id_ else [])]
    return any((element, *mark) in selectors for mark in marks for element in ("", tag))


def hidden_parts(html: str) -> HiddenParts:
    """What the style sheets of an HTML mail hide and strike out; a later rule for the same parts counts."""
    hidden: dict[tuple[str, str, str], bool] = {}
    struck: dict[tuple[str, str, str], bool] = {}
    room = MAX_SHEETS
    for sheet in _SHEET.finditer(html):
        for selectors, style in _rules(_NO_RULE.sub(" ", sheet[1][:room])):
            is_hidden, is_struck = hides(style), strikes(style)
            for selector in selectors.split(","):
                read = _SELECTOR.fullmatch(selector.strip())
                if read is None or not (read[1] or read[3]):
                    continue
                key = ((read[1] or "").lower(), read[2] or "", (read[3] or "").lower())
                if is_hidden or "display" in style:
                    hidden[key] = is_hidden
                if is_struck or "text-decoration" in style:
                    struck[key] = is_struck
        room -= len(sheet[1])
        if room <= 0:
            break
    return HiddenParts(_those_of(hidden), _those_of(struck))


def _those_of(found: Mapping[tuple[str, str, str], bool]) -> _Selectors:
    return frozenset(key for key, holds in found.items() if holds)


def _rules(sheet: str) -> list[tuple[str, str]]:
    """The rules that stand in no other: those within `@media` hold on some screens, or on paper."""
    rules: list[tuple[str, str]] = []
    depth = position = 0
    selectors = ""
    for token in _BRACE.finditer(sheet):
        if token[0] == "{":
            if depth == 0:
                selectors = sheet[position : token.start()]
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0 and "@" not in selectors:
                rules.append((selectors, sheet[position : token.start()].lower()))
        position = token.end()
    return rules
