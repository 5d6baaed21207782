"""HTML made plain before it is parsed, and its parts that are not read: quoted, struck out, hidden, a signature.

Of tags, only the attributes stay that tell what a part is. Style sheets are read for what they hide.

Parsers take time that grows with the square of a tag's attributes, and believe each other least about comments and
odd quotes; what is written here anew holds neither. Tags are found as the HTML Standard finds them
(https://html.spec.whatwg.org/multipage/parsing.html#tokenization).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal, TypeAlias

from pbmserv.mail.reading.phrases import begins_head, is_forward_line

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


STRUCK_TAGS: Final = frozenset(("s", "del", "strike"))

_IN_HTML: Final = re.compile(r"<(?:s|del|strike)[\s>]|<[a-z][^<>]{0,500}line-through", re.IGNORECASE | re.ASCII)
_MEANS: Final = (
    b"line-through",
    b"<strike",
    b"<del",
    b"<s>",
    b"<s ",
    b"<s\t",
    b"<s\n",
    b"<s\r",
    b"signature",
    b"bloop_sign",
    b"_sig",
)
_SIGNED: Final = re.compile(
    r"""(?:id|class|name|data-marker)=["']?[^"'<>]{0,100}?(?:(?<!gmail_)(?<!moz-)signature|bloop_sign|_sig)|<signature""",
    re.IGNORECASE,
)
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


def signature_mark(html: str) -> int | None:
    """Where a mark of a signature stands whose program writes no line `-- ` in plain text; None if none does."""
    found = _SIGNED.search(html)
    return None if found is None else found.start()


def may_say_more(html: bytes) -> bool:
    """Whether HTML, in lower case, may strike something out by a tag or a style, or mark a signature."""
    return any(means in html for means in _MEANS)


Node: TypeAlias = Any  # an element of lxml, which has no types

Kind: TypeAlias = Literal["own", "quote", "left out", "below"]
"""The sender's own; quoted from another mail; neither (a signature, hidden, struck out, a button); the head of a
quoted mail that reaches to the end of this one."""

_UNREAD: Final = frozenset(
    """
    applet audio canvas embed frameset head iframe map math meta noembed noframes object script select style svg
    template textarea title video
    """.split()  # noqa: SIM905
)
_QUOTES: Final = (
    "olk_src_body_section",
    "mail-editor-reference-message-container",
    "ms-outlook-mobile-reference-message",
    "moz-forward-container",
    "sh-quoted-content",
    "quoted-content",
    "tutanota_quote",
    "pbmserv-mail",
)
_AROUND_QUOTES: Final = (
    "gmail_quote",
    "gmail_quote_container",
    "protonmail_quote",
    "zmail_extra",
    "nylas-quote",
    "messagereplysection",
)
_ATTRIBUTIONS: Final = ("gmail_attr", "moz-cite-prefix", "moz-email-headers-table", "zmail_extra_hr")
_SIGNATURES: Final = (
    "signature",
    "signature_prefix",
    "signature_block",
    "signaturesection",
    "bloop_sign",
    "_rc_sig",
    "__sig_pre__",
    "__sig_post__",
)
"""Of Gmail, Thunderbird, Apple, Outlook and others; ProtonMail; Spark; Airmail; Roundcube; Zimbra."""

_HEADS: Final = ("divrplyfwdmsg",)

_NOTHING: Final = HiddenParts()
_SHOWN: Final = re.compile(r"(?:^|[;\s])(?:display|visibility)\s*:\s*(?!none|hidden)[a-z]")
_BAR_BESIDE: Final = re.compile(r"border-left\s*:[^:;]*\b(?:solid|[1-9][0-9.]*(?:px|pt))")
_LINE_ABOVE: Final = re.compile(r"border-top\s*:[^:;]*\bsolid")
_NO_BORDER: Final = re.compile(r"border(?:-width)?\s*:\s*(?:medium\s+)?(?:none|0)")
_BUTTON: Final = re.compile(r"\s*mailto:[^?]*\?", re.IGNORECASE)
_MOST_PIECES: Final = 30


def kind_of(node: Node, holds_quote: bool, hidden: HiddenParts = _NOTHING) -> Kind:
    """What a part is; `holds_quote` tells whether a quoted part lies somewhere in it, `hidden` is by style sheets.

    What wraps both a quote and the words that lead up to it, as Gmail's `gmail_quote`, is the sender's own as soon
    as a quote of its own lies in it: people answer between and below quotes, and stay in that wrapping.
    """
    if not isinstance(node.tag, str) or node.tag in _UNREAD or is_hidden(node, hidden) or _is_struck(node, hidden):
        return "left out"
    marks = _marks(node)
    if _has(marks, _SIGNATURES) or node.tag == "signature":
        return "left out"
    if _has(marks, _HEADS) or (_has(marks, _ATTRIBUTIONS) and is_forward_line(_opening(node))):
        return "below"
    if is_quote(node) or (_has(marks, _AROUND_QUOTES) and not holds_quote):
        return "quote"
    if _has(marks, _ATTRIBUTIONS):
        return "left out"
    if node.tag == "a" and _BUTTON.match(node.get("href", "")):
        return "left out"
    return "below" if _is_outlook_head(node) else "own"


def is_quote(node: Node) -> bool:
    """Whether it is quoted, by itself.

    Not every blockquote is: by the same tag people indent their own text, and that has no border and no `cite`.
    The bar of Outlook and of GMX beside a quoted mail counts where the mail's head stands on top of it.
    """
    style = node.get("style", "").lower()
    if node.tag == "blockquote":
        return "cite" in node.get("type", "").lower() or bool(_marks(node)) or not _NO_BORDER.search(style)
    marks = _marks(node)
    # Yahoo's marks have a number behind them.
    if (
        _has(marks, _QUOTES)
        or any("yahoo_quoted" in mark for mark in marks)
        or (node.tag == "div" and node.get("name", "").lower() == "quote")
    ):
        return True
    return node.tag == "div" and _BAR_BESIDE.search(style) is not None and begins_head(_opening(node))


def is_hidden(node: Node, hidden: HiddenParts = _NOTHING) -> bool:
    """Whether nobody sees it. Letters in the colour of the ground are not looked for."""
    style = node.get("style", "").lower()
    if node.get("hidden") is not None or hides(style):
        return True
    return hidden.holds(*_names(node)) and not _SHOWN.search(style)


def _is_struck(node: Node, hidden: HiddenParts) -> bool:
    style = node.get("style", "").lower()
    if node.tag in STRUCK_TAGS or strikes(style):
        return True
    return hidden.strikes(*_names(node)) and "text-decoration" not in style


def _names(node: Node) -> tuple[str, list[str], str]:
    """By what style sheets name it: its tag, its classes and its id."""
    return node.tag, node.get("class", "").lower().split(), node.get("id", "").lower()


def holding_quotes(body: Node) -> frozenset[Node]:
    """All parts in which a quoted part lies, each looked at once."""
    holding: set[Node] = set()
    for node in body.iter("blockquote", "div"):
        if is_quote(node):
            above = node.getparent()
            while above is not None and above not in holding:
                holding.add(above)
                above = above.getparent()
    return frozenset(holding)


def _is_outlook_head(node: Node) -> bool:
    """The head of a quoted mail under a thin line, as Outlook's desktop program writes it."""
    style = node.get("style", "").lower()
    return node.tag == "div" and _LINE_ABOVE.search(style) is not None and begins_head(_opening(node))


def _marks(node: Node) -> list[str]:
    names = (node.get("class", ""), node.get("id", ""), node.get("name", ""), node.get("data-marker", ""))
    return [word for name in names if name for word in name.lower().split()]


def _has(marks: list[str], known: tuple[str, ...]) -> bool:
    """Whether a mark is known; programs put a prefix before those of what they quote: `x_`, `m_123`, `ydp1a2b`."""
    return any(mark.endswith(known) for mark in marks)


def _opening(node: Node) -> str:
    """The first words that stand in it, as far as they matter."""
    return "".join(part.text or "" for part in islice(node.iter(), _MOST_PIECES))[:200].strip()
