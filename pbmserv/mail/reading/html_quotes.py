"""Parts of HTML that are not read: what is quoted, struck out, hidden or a signature."""

import re
from itertools import islice
from typing import Any, Final, Literal, TypeAlias

from pbmserv.mail.reading.html_markup import HiddenParts, hidden_parts, hides, strikes
from pbmserv.mail.reading.phrases import begins_head, is_forward_line

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
