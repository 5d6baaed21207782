"""What the sender of a mail wrote there himself: quoted text, its attribution and the signature are taken away."""

import re
from typing import Final

SIGNATURE: Final = "-- "
"""The line before a signature (RFC 3676, section 4.3). A bare `--` is the command language's, and stays."""

_QUOTED: Final = re.compile("[ \t\u00a0]*>")
_HEAD_LINE: Final = re.compile(r"[ *]{0,3}[^\W\d_][^:\n]{0,20}[*]?\s?:[*]?\s+\S")
_RULER: Final = re.compile(r"\s*(?:-{2,}[^-\n]{0,60}-{2,}|_{8,})\s*$")
_COLONS: Final = (":", "\uff1a")
_FULL_LINE: Final = 66
"""A line is taken for a broken one when the next one's first word would have carried it beyond this width."""


def own_text(text: str) -> str:
    """The text without quoted lines, attributions and signature, the rest in its order, no blank lines around it.

    A quoted line begins with `>`, wherever it stands. The attribution ("On ... wrote:", in any language) is the
    line that ends in a colon directly before quoted ones, or before a single blank line before them; and with it
    the first half of a line that a mailer broke. Where it is not certain that a line is such a half, it stays: a
    line too many is a comment, a line too few can be somebody's move. Where a mail is quoted without marks, below
    three lines of its head, all from there on falls away.
    """
    lines = text.split("\n")
    if SIGNATURE in lines:
        del lines[lines.index(SIGNATURE) :]
    del lines[_unmarked_quote(lines) :]
    quoted = [_QUOTED.match(line) is not None for line in lines]
    dropped = list(quoted)
    for index in range(1, len(lines)):
        if quoted[index] and not quoted[index - 1]:
            for attribution in _attribution(lines, quoted, index):
                dropped[attribution] = True
    kept = [line for line, drop in zip(lines, dropped, strict=True) if not drop]
    first = next((index for index, line in enumerate(kept) if line.strip()), len(kept))
    last = next((index for index in range(len(kept), first, -1) if kept[index - 1].strip()), first)
    return "\n".join(kept[first:last])


def _unmarked_quote(lines: list[str]) -> int:
    """Where a mail is quoted below its own head, as Outlook does: three lines of one, an address in the first."""
    for index, line in enumerate(lines):
        if "@" in line and all(_HEAD_LINE.match(each) for each in lines[index : index + 3]) and lines[index + 2 :]:
            above = index - 1
            while above >= 0 and (not lines[above].strip() or _RULER.match(lines[above])):
                above -= 1
            return above + 1
    return len(lines)


def _attribution(lines: list[str], quoted: list[bool], block: int) -> range:
    """The lines of the attribution above the quoted block that begins at that line, possibly none."""

    def stands(index: int) -> bool:
        return index >= 0 and not quoted[index] and bool(lines[index].strip())

    last = block - 1 if stands(block - 1) else block - 2
    if not stands(last) or not lines[last].rstrip().endswith(_COLONS):
        return range(0)
    broken = stands(last - 1) and not stands(last - 2) and _was_broken(lines[last - 1], lines[last])
    return range(last - broken, last + 1)


def _was_broken(upper: str, lower: str) -> bool:
    upper = upper.rstrip()
    return upper.endswith((",", "<")) or len(upper) + 1 + len(lower.split(maxsplit=1)[0]) > _FULL_LINE
