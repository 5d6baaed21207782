"""What a person wrote in an HTML mail, as lines of text: without what is quoted, hidden, or a signature.

lxml makes a tree of the tidied HTML; here the parts that the person did not write are left out of it, and the
rest becomes a flat page of paragraphs that inscriptis lays out as text. Inscriptis never sees the mail's own tree,
since it recurses into it, pads tables to their widest cell and margins to any length, all at the sender's wish.
"""

import re
from copy import copy
from dataclasses import dataclass, field
from typing import Final

from inscriptis import Inscriptis
from inscriptis.css_profiles import STRICT_CSS_PROFILE
from inscriptis.model.config import ParserConfig
from lxml import etree

from pbmserv.mail import quote_nodes
from pbmserv.mail.decoding import clean_text
from pbmserv.mail.markup import MAX_TAGS, tidied
from pbmserv.mail.quote_nodes import Node
from pbmserv.mail.style_sheets import HiddenParts, hidden_parts

QUOTE: Final = ">"
"""The line that stands for a quoted part, so that what leads up to it is found as in a plain text mail."""

MAX_LINES: Final = 20_000
"""Preformatted lines that are kept as lines."""

_BLOCKS: Final = frozenset(
    """
    address article aside body blockquote caption center dd details dialog dir div dl dt fieldset figcaption
    figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav ol p plaintext pre
    section summary table tbody tfoot thead tr ul xmp
    """.split()  # noqa: SIM905
)
_SPACED: Final = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl"))
_PREFORMATTED: Final = frozenset(("pre", "listing", "plaintext", "xmp"))
_PREFORMATTED_STYLE: Final = re.compile(r"white-space\s*:\s*(?:pre|break-spaces)")
_NO_MARGIN: Final = re.compile(r"margin(?:-top|-bottom)?\s*:\s*0")
_SIGNATURE: Final = re.compile(r"\s*--[ \u00a0]\s*")
_NEVER_XML: Final = re.compile("[\ufffe\uffff]+")


def html_text(html: str, most_tags: int = MAX_TAGS) -> str:
    """The text of an HTML mail, for `own_text` to look at: a line `>` stands where a quoted part was.

    A line for each line that the person saw; table cells of one row stand on one line, bullets and numbers of
    lists are left out, since they would hide a command. Time and memory are linear in the size of the HTML, which
    is read up to `most_tags` tags; whatever it is, there is a text.
    """
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    source = f"<html><body>{clean_text(tidied(html, most_tags))}".encode("utf-8", "replace")
    try:
        body = etree.fromstring(source, parser).find("body")
    except etree.LxmlError:
        return ""
    return _laid_out(_page(body, hidden_parts(html)).blocks) if body is not None else ""


@dataclass(slots=True)
class _Block:
    """A paragraph of the page: `tag` tells how it is set, `lines` are its lines in pieces."""

    tag: str
    lines: list[list[str]] = field(default_factory=lambda: [[]])


@dataclass(slots=True)
class _Page:
    """The page as far as it is read: the last block takes what comes next, `room` is for more line ends."""

    blocks: list[_Block] = field(default_factory=lambda: [_Block("div")])
    preformatted: int = 0
    room: int = MAX_LINES

    def begin(self, tag: str) -> None:
        """A new block; an empty one before it makes no line."""
        self.blocks.append(_Block("pre" if self.preformatted else tag))

    def write(self, text: str | None) -> None:
        """Text in the present line, or lines where line ends count."""
        if not text:
            return
        first, *more = text.split("\n", self.room) if self.preformatted else [text]
        lines = self.blocks[-1].lines
        lines[-1].append(first)
        lines.extend([line] for line in more)
        self.room -= len(more)

    def end_line(self) -> None:
        self.blocks[-1].lines.append([])


def _page(body: Node, hidden: HiddenParts) -> _Page:
    page = _Page()
    holding = quote_nodes.holding_quotes(body)
    walk = etree.iterwalk(body, events=("start", "end"))
    left_out: Node | None = None
    for event, node in walk:
        if event == "start":
            kind = quote_nodes.kind_of(node, node in holding, hidden)
            if kind == "below":
                break
            if kind == "own":
                _start(page, node)
                continue
            left_out = node
            walk.skip_subtree()
            if kind == "quote":
                page.begin("div")
                page.write(QUOTE)
                page.begin("div")
        else:
            if node is not left_out:
                _end(page, node)
            if node is not body:
                page.write(node.tail)
    return page


def _start(page: _Page, node: Node) -> None:
    page.preformatted += _is_preformatted(node)
    if node.tag == "br":
        page.end_line()
    elif node.tag in ("td", "th"):
        page.write(" ")
    elif node.tag in _BLOCKS:
        page.begin("p" if _is_spaced(node) else "div")
    page.write(node.text)


def _end(page: _Page, node: Node) -> None:
    page.preformatted -= _is_preformatted(node)
    if node.tag in _BLOCKS:
        page.begin("div")


def _is_preformatted(node: Node) -> bool:
    return node.tag in _PREFORMATTED or _PREFORMATTED_STYLE.search(node.get("style", "").lower()) is not None


def _is_spaced(node: Node) -> bool:
    """Whether blank lines stand around it. Word's paragraphs are lines; a blank one is a paragraph of its own."""
    is_line = "mso" in node.get("class", "").lower() or _NO_MARGIN.search(node.get("style", "").lower())
    return node.tag in _SPACED and not is_line


def _laid_out(blocks: list[_Block]) -> str:
    body = etree.Element("body")
    for block in blocks:
        lines = ["".join(line) for line in block.lines]
        signature = next((number for number, line in enumerate(lines) if _SIGNATURE.fullmatch(line)), None)
        if signature != 0:
            _set(body, block.tag, lines[:signature])
        if signature is not None:
            break
    # The style sheet is a copy for this mail alone: inscriptis keeps the page that it writes on in the entry for
    # `body`, so that two threads with one sheet would write into each other's mails.
    sheet = {tag: copy(STRICT_CSS_PROFILE[tag]) for tag in ("body", "div", "p", "pre")}
    text: str = Inscriptis(body, ParserConfig(css=sheet)).get_text()
    return "\n".join(line.rstrip() for line in clean_text(text).split("\n")).strip("\n")


def _set(body: Node, tag: str, lines: list[str]) -> None:
    """One block; what is without text and line ends leaves no trace."""
    if len(lines) == 1 and not lines[0].strip():
        if "\u00a0" not in lines[0]:
            return
        # Word's blank line.
        lines = ["", ""]
    block = etree.SubElement(body, tag)
    for number, line in enumerate(lines):
        # Inscriptis resolves entities in what lxml has resolved already.
        text = _NEVER_XML.sub("", clean_text(line)).replace("&", "&amp;")
        if number == 0:
            block.text = text
        else:
            etree.SubElement(block, "br").tail = text
