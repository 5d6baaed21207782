"""Documents as text that a mail may carry (RFC 5322, and what mail programs do to a body)."""

import textwrap
from typing import Final

from pbmserv.rendering.document import Document
from pbmserv.rendering.markup import FLOWING, QUOTED, Line, document_of, lines_of

WIDTH: Final = 72
"""Columns of a line."""

_DEEPEST: Final = 24
"""Columns that a line which goes on below may be indented by, or nothing would fit."""


def as_text(document: Document) -> str:
    """A document as text.

    No line is longer than 72 columns, ends in a blank, begins with `From ` or `>`, or is only `.` or `-- `; blank
    lines come one at a time and stand neither first nor last. A long line goes on below its own indentation.
    """
    return "\n".join(part for line in lines_of(document.blocks) for part in _broken(line)) + "\n"


def laid_out(text: str) -> str:
    """What a template says, as text that a mail may carry."""
    return as_text(document_of(text))


def _broken(line: Line) -> list[str]:
    """A line as one or more that are narrow enough."""
    before = "| " if line.mark == QUOTED else " " * line.indent
    whole = (before + line.text).rstrip()
    harmless = _harmless(whole)
    if len(harmless) <= WIDTH:
        return [harmless]
    deeper = len(line.text) - len(line.text.lstrip(" "))
    # The last column is for the blank that makes a part harmless; prose that flows takes it where none needs one.
    below = before[:_DEEPEST] + " " * min(deeper, _DEEPEST - len(before[:_DEEPEST]))
    for width in (WIDTH, WIDTH - 1) if line.mark == FLOWING else (WIDTH - 1,):
        wrapped = textwrap.wrap(whole, width, subsequent_indent=below, break_on_hyphens=False)
        parts = [_harmless(part) for part in wrapped]
        if max(map(len, parts)) <= WIDTH:
            break
    return parts


def _harmless(line: str) -> str:
    return f" {line}" if line.startswith(("From ", ">")) or line in (".", "--") else line
