"""Plain English: words of a dialect of our own that came back once are not to come back again."""

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.docs import ROOT

PHRASES: Final = re.compile(
    r"\b(?:so\s+many|whoever|is\s+told|of\s+late|here\s+no\s+more|any\s+more)\b(?!\s+than\b)", re.IGNORECASE
)
"""What an editor strikes out: "this many", "a player who", "learns", "recently", "no longer" say it plainly."""

NAMES: Final = frozenset({"hear", "hears", "heard", "heed", "heeds", "heeded", "forgive", "forgiven", "lessons"})
"""Parts of names in code."""

WHOLE_NAMES: Final = frozenset({"bears_fruit", "know_asked", "lift_for", "Mind"})

LEFT: Final = Path(__file__).with_name("english_left.txt")
"""The files that hold some of them still. No file joins them."""

WRITTEN_THEN: Final = ("docs/changes.md",)
"""Pages that tell what was, in the words of its time."""


def offences(path: Path) -> Iterator[str]:
    """The struck words in a file, each with its line."""
    text = path.read_text()
    for found in PHRASES.finditer(text):
        yield f"{text.count(chr(10), 0, found.start()) + 1}: {' '.join(found[0].split())}"
    if path.suffix == ".py":
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            name = token.string
            is_struck = name in WHOLE_NAMES or not NAMES.isdisjoint(name.lower().split("_"))
            if token.type == tokenize.NAME and is_struck:
                yield f"{token.start[0]}: {name}"


def pages() -> Iterator[Path]:
    """The package, the docs, and the templates that people read."""
    for folder, kinds in (("pbmserv", {".py"}), ("docs", {".md"}), ("templates/en", {".txt", ".html", ".xml"})):
        yield from (path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in kinds)


def test_no_struck_word_comes_back() -> None:
    """But in the files that held some when the law was made, of which there are only ever fewer."""
    named = {str(path.relative_to(ROOT)): [*offences(path)] for path in pages()}
    found = {name for name, struck in named.items() if struck and name not in WRITTEN_THEN}
    left = set(LEFT.read_text().split())
    assert not {name: named[name] for name in sorted(found - left)}
    assert not left - found, "these are mended: take them off the list"
