"""What others wrote, made harmless for a terminal, the log and a spreadsheet."""

import unicodedata
from collections.abc import Iterable
from typing import Final

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

_UNSEEN: Final = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
_LAYOUT: Final = "\n\t"
_FORMULAS: Final = tuple("=+-@\t\n")
"""What a cell begins with that a spreadsheet takes for a formula, or skips before it; wide forms do as well."""


def harmless(text: str) -> str:
    r"""A text in which what a terminal would obey, or not show, is written as JSON writes it; lines stay lines.

    >>> print(harmless("a\x1b[2J\u202eb"), harmless("naïve 将\n") == "naïve 将\n")
    a\u001b[2J\u202eb True
    """
    return text if text.isprintable() else "".join(map(_shown, text))


def cell(text: str) -> str:
    """A cell of a CSV file that no spreadsheet takes for a formula.

    >>> cell("=1+1"), cell("2026-01-01")
    ("'=1+1", '2026-01-01')
    """
    told = harmless(text)
    return f"'{told}" if unicodedata.normalize("NFKC", told[:1]).startswith(_FORMULAS) else told


def _shown(letter: str) -> str:
    if letter in _LAYOUT or unicodedata.category(letter) not in _UNSEEN:
        return letter
    units = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place : place + 2].hex()}" for place in range(0, len(units), 2))


class HarmlessConsole(Console):
    """A console that shows no character of a text as anything but a character."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of anything; those by which rich itself moves the cursor stay as they are."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(harmless(segment.text), segment.style)
