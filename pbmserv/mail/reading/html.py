"""What a person wrote in an HTML mail, as lines of text: without what is quoted, hidden, or a signature.

lxml makes a tree of the tidied HTML. The parts that the person did not write are left out of it, and the rest
becomes a flat page of paragraphs and then text. Nothing here recurses, pads or indents: that would take time and
memory at the sender's wish.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from lxml import etree

from pbmserv.mail.reading import html_quotes
from pbmserv.mail.reading.decoding import clean_text
from pbmserv.mail.reading.html_quotes import MAX_TAGS, HiddenParts, Node, hidden_parts, tidied
from pbmserv.mail.reading.phrases import listed

QUOTE: Final = ">"
"""The line that stands for a quoted part, so that what leads up to it is found as in a plain text mail."""

MAX_LINES: Final = 20_000
"""Preformatted lines that are kept as lines."""

_PREFORMATTED_STYLE: Final = re.compile(r"white-space\s*:\s*(?:pre|break-spaces)")
_NO_MARGIN: Final = re.compile(r"margin(?:-top|-bottom)?\s*:\s*0")
_SIGNATURE: Final = re.compile(r"\s*--[ \u00a0]\s*")


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


def says_more(html: str) -> bool:
    """Whether HTML shows what the same mail's plain text does not: what is struck out, or a signature below words.

    Where no word stands above a signature, its writer may have written inside it.
    """
    signature = html_quotes.signature_mark(html)
    is_signed = signature is not None and bool(html_text(html[:signature]).strip(f"{QUOTE}\n "))
    return is_signed or html_quotes.may_be_struck(html)


@dataclass(slots=True)
class _Block:
    """A paragraph of the page."""

    is_spaced: bool = False  # a blank line stands above and below
    is_preformatted: bool = False  # blanks stay as they are
    lines: list[list[str]] = field(default_factory=lambda: [[]])  # each in pieces


@dataclass(slots=True)
class _Page:
    """The page as far as it is read: the last block takes what comes next, `room` is for more line ends."""

    blocks: list[_Block] = field(default_factory=lambda: [_Block()])
    preformatted: int = 0
    room: int = MAX_LINES

    def begin(self, *, is_spaced: bool = False) -> None:
        """A new block; an empty one before it makes no line."""
        is_preformatted = self.preformatted > 0
        self.blocks.append(_Block(is_spaced and not is_preformatted, is_preformatted))

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
    holding = html_quotes.holding_quotes(body)
    walk = etree.iterwalk(body, events=("start", "end"))
    left_out: Node | None = None
    for event, node in walk:
        if event == "start":
            kind = html_quotes.kind_of(node, node in holding, hidden)
            if kind == "below":
                break
            if kind == "own":
                _start(page, node)
                continue
            left_out = node
            walk.skip_subtree()
            if kind == "quote":
                page.begin()
                page.write(QUOTE)
                page.begin()
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
    elif node.tag in listed("blocks"):
        page.begin(is_spaced=_is_spaced(node))
    page.write(node.text)


def _end(page: _Page, node: Node) -> None:
    page.preformatted -= _is_preformatted(node)
    if node.tag in listed("blocks"):
        page.begin()


def _is_preformatted(node: Node) -> bool:
    return (
        node.tag in listed("preformatted_blocks")
        or _PREFORMATTED_STYLE.search(node.get("style", "").lower()) is not None
    )


def _is_spaced(node: Node) -> bool:
    """Whether blank lines stand around it. Word's paragraphs are lines; a blank one is a paragraph of its own."""
    is_line = "mso" in node.get("class", "").lower() or _NO_MARGIN.search(node.get("style", "").lower())
    return node.tag in listed("spaced_blocks") and not is_line


def _laid_out(blocks: list[_Block]) -> str:
    text: list[str] = []
    is_apart = True  # a blank line was put between paragraphs, and no text has come since
    was_spaced = False
    for block in blocks:
        lines = ["".join(line) for line in block.lines]
        signature = next((number for number, line in enumerate(lines) if _SIGNATURE.fullmatch(line)), None)
        seen = _lines_seen([clean_text(line) for line in lines[:signature]], block.is_preformatted)
        if seen:
            if (block.is_spaced or was_spaced) and not is_apart:
                text.append("")
                is_apart = True
            text += seen
            is_apart = is_apart and not any(seen)
            was_spaced = block.is_spaced
        if signature is not None:
            break
    return "\n".join(line.rstrip() for line in "\n".join(text).split("\n")).strip("\n")


def _lines_seen(lines: list[str], is_preformatted: bool) -> list[str]:
    """The lines of one block; none if it holds neither text nor a line end.

    Word's blank line is a block that holds a hard blank. A line end after the last text makes no line.
    """
    if len(lines) < 2 and not "".join(lines).strip():
        return [""] if "\u00a0" in "".join(lines) else []
    seen = lines if is_preformatted else [" ".join(line.split()) for line in lines]
    return seen if seen[-1] else seen[:-1]
