"""HTML as a tree, just enough to test pages by what they say; a page whose tags do not match is an error."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

import httpx

VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta"}


@dataclass
class Element:
    """A tag with its attributes, its texts and elements in order."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    inside: "list[Element | str]" = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text in it."""
        return "".join(each if isinstance(each, str) else each.text for each in self.inside)

    @property
    def words(self) -> list[str]:
        """The words of its text."""
        return self.text.split()

    @property
    def said(self) -> str:
        """Its text with single blanks."""
        return " ".join(self.words)

    def all(self, tag: str, **attributes: str) -> "list[Element]":
        """Every element below it of a tag and with these attributes; `class_` for a class it has among others."""
        wanted_class = attributes.pop("class_", None)
        return [
            each
            for each in self._below()
            if each.tag == tag
            and attributes.items() <= each.attributes.items()
            and (wanted_class is None or wanted_class in each.attributes.get("class", "").split())
        ]

    def one(self, tag: str, **attributes: str) -> "Element":
        """The only such element."""
        found = self.all(tag, **attributes)
        assert len(found) == 1, f"{len(found)} elements {tag} {attributes}"
        return found[0]

    def _below(self) -> "Iterator[Element]":
        for each in self.inside:
            if isinstance(each, Element):
                yield each
                yield from each._below()


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].inside.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag, f"</{tag}> closes nothing"

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)


def parse(html: str) -> Element:
    """The tree of a page."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    assert len(builder.open) == 1, f"left open: {[each.tag for each in builder.open[1:]]}"
    return builder.open[0]


def main(response: httpx.Response) -> Element:
    """What a page is about."""
    return parse(response.text).one("main")
