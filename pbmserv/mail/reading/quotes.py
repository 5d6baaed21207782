"""Strips quotes: the reply text of a mail, without quoted text, attributions and signature."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from pbmserv.mail.reading.footers import is_tagline, without_armour, without_taglines
from pbmserv.mail.reading.phrases import (
    ends_in_colon,
    field_of,
    holds_address,
    is_bare_original,
    is_forward_line,
    is_original_line,
    is_ruler,
    leads_to_quote,
    looks_like_head,
    may_lead_to_quote,
    opens_attribution,
    tells_that_somebody_wrote,
    tells_when,
)

SIGNATURE: Final = "-- "
"""The line before a signature (RFC 3676, section 4.3). A bare `--` is the command language's, and stays."""

MAX_LINES: Final = 20_000
"""Lines of a text that are read; a mail with all its quotes stays far below."""

_QUOTED: Final = re.compile("[ \t\u00a0]*[>\uff1e]")
_NAMED_QUOTE: Final = re.compile("[ \t\u00a0]{0,8}([^\\W\\d_][\\w.-]{0,15})>+(?:[ \t]|$)")
_FULL_LINE: Final = 66
"""A line is taken for a broken one when the next one's first word would have carried it beyond this width."""

_MOST_HEAD_LINES: Final = 6
_MOST_ATTRIBUTION_LINES: Final = 3
_SHORTEST_UNMARKED_QUOTE: Final = 8
"""At least this many lines below an attribution are a quoted mail, not a reply."""

_ENOUGH_QUOTED: Final = 20
"""More than are counted anywhere below."""

_MOST_FOOTER_LINES: Final = 6
_MOST_FOOTER_ROWS: Final = 12
_MOST_SEARCHED: Final = 400
_FOOTER: Final = re.compile(r"_{20,}\s*$")
_LINK: Final = re.compile(r"https?://|mailto:|\blist|@", re.IGNORECASE)


def reply_text(text: str) -> str:
    """The text without quoted lines, attributions and signature, the rest in its order, no blank lines around it.

    A quoted line begins with `>`, wherever it stands. The attribution ("On ... wrote:", in any language) is the
    line that ends in a colon directly before quoted ones, or before a single blank line before them, and with it
    the upper parts of a line that a mailer broke; and any line that is one beyond doubt, where no quote follows.
    Where it is not certain that a line is such a part, it stays: a line too many is a comment, a line too few can
    be somebody's move. Where a mail is quoted or forwarded without marks, below its head, all from there on falls
    away. So do `Sent from my phone` at the end of what was written, and the footer of a mailing list. MAX_LINES
    lines are read.
    """
    lines = _without_long_end(without_armour(text.split("\n", MAX_LINES)[:MAX_LINES]))
    if SIGNATURE in lines:
        del lines[lines.index(SIGNATURE) :]
    page = _page(lines)
    kept: list[str] = []
    was_kept = False
    for line, drop in zip(lines[: _end(page)], page.dropped, strict=False):
        if not drop:
            kept.append(line)
        elif kept and was_kept:
            del kept[without_taglines(kept) :]
        was_kept = not drop
    del kept[without_taglines(kept) :]
    first = next((index for index, line in enumerate(kept) if line.strip()), len(kept))
    last = next((index for index in range(len(kept), first, -1) if kept[index - 1].strip()), first)
    return "\n".join(kept[first:last])


def _without_long_end(lines: list[str]) -> list[str]:
    """The lines without most of the quoted ones that are the last: that they follow is all that counts of them."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    top = end
    while top and lines[top - 1].startswith(">"):
        top -= 1
    return lines[: min(end, top + _ENOUGH_QUOTED)]


@dataclass(frozen=True, slots=True)
class _Page:
    """The lines of a text and what is known of each: is there text, is it quoted, which line of a head may it be.

    `filled_below` counts the lines with text below each; `dropped` is marked as lines are found to fall away.
    """

    lines: list[str]
    filled: list[bool]
    quoted: list[bool]
    fields: list[str | None]
    filled_below: list[int]
    last_quoted: int
    dropped: list[bool]

    def stands(self, index: int) -> bool:
        """Whether there is such a line, with text that is not quoted."""
        return 0 <= index < len(self.lines) and self.filled[index] and not self.quoted[index]

    def drop(self, which: range) -> None:
        for index in which:
            self.dropped[index] = True


def _page(lines: list[str]) -> _Page:
    filled = [bool(line.strip()) for line in lines]
    quoted = _quoted(lines)
    fields = [None if quote else field_of(line) for line, quote in zip(lines, quoted, strict=True)]
    below = [0] * len(lines)
    for index in range(len(lines) - 2, -1, -1):
        below[index] = below[index + 1] + filled[index + 1]
    last_quoted = next((index for index in range(len(lines) - 1, -1, -1) if quoted[index]), -1)
    return _Page(lines, filled, quoted, fields, below, last_quoted, list(quoted))


def _quoted(lines: list[str]) -> list[bool]:
    """Which lines are marked as quoted: by `>`, or by that behind somebody's name or initials (`AB> text`).

    Such a prefix stands before several lines, or below what leads up to a quote. So does `|` below a line that
    tells that somebody wrote, if all below has it.
    """
    named = [None if (found := _NAMED_QUOTE.match(line)) is None else found[1] for line in lines]
    often = {name for name, times in Counter(named).items() if name and times > 1}
    quoted: list[bool] = []
    led = barred = False
    # Our own mail begins so too, where it is copied without marks.
    bare = (at for at in range(len(lines) - 1, -1, -1) if lines[at].strip() and lines[at][0] != "|")
    last_bare = next(bare, -1)
    for index, (line, name) in enumerate(zip(lines, named, strict=True)):
        barred = barred and (not line.strip() or line.startswith("|"))
        is_barred = barred and index > last_bare and line.startswith("|")
        quoted.append(_QUOTED.match(line) is not None or name in often or (name is not None and led) or is_barred)
        is_leading = ends_in_colon(line)
        barred = barred or (is_leading and tells_that_somebody_wrote(line))
        led = is_leading or (led and not line.strip())
    return quoted


def _end(page: _Page) -> int:
    """Where the sender's own text ends; what falls away above that is marked as dropped."""
    wrote = False
    index = 0
    while index < len(page.lines):
        line = page.lines[index]
        after = index + 1
        if page.quoted[index]:
            if index and not page.quoted[index - 1]:
                page.drop(_attribution(page, index))
        elif not page.filled[index]:
            pass
        elif is_forward_line(line) or _is_footer(page, index):
            return _above(page, index)
        elif below := _below_head(page, index):
            if not _quote_follows(page, below):
                return _above(page, index)
            page.drop(range(_above(page, index), below))
            after = below
        elif is_tagline(line):
            pass
        elif (top := _certain_attribution(page, index)) is not None:
            unmarked = page.last_quoted < index and page.filled_below[index] >= _SHORTEST_UNMARKED_QUOTE
            if wrote and unmarked:
                return _above(page, top)
            page.drop(range(top, after))
        else:
            wrote = True
        index = after
    return len(page.lines)


def _below_head(page: _Page, index: int) -> int:
    """Where the head of an unmarked quote ends that begins at this line; 0 if none does.

    Three lines make a head: a sender's and two more, in the languages that are known, with an address or a time in
    one of them, or a fourth; else any three that are written so, with an address in the first. A ruler may stand
    above them; `Original Message` needs none of them.
    """
    original = is_original_line(page.lines[index])
    above = original or is_ruler(page.lines[index]) or is_bare_original(page.lines[index])
    start = index + 1 if above else index
    while start > index and start < index + 3 and start < len(page.lines) and not page.filled[start]:
        start += 1
    head = range(start, min(start + _MOST_HEAD_LINES, len(page.lines)))
    head = range(start, next((each for each in head if not page.stands(each)), head.stop))
    known = {page.fields[each] for each in head} - {None}
    is_known = len(known) >= 3 and page.fields[start] is not None and "sender" in known
    # `From: Crete`, `To: Athens`, `Date: 5 May` is somebody's journey, unless it is a whole head.
    is_known = is_known and (
        len(known) > 3 or any(holds_address(page.lines[each]) or tells_when(page.lines[each]) for each in head)
    )
    is_like = (
        len(head) >= 3 and "@" in page.lines[start] and all(looks_like_head(page.lines[each]) for each in head[:3])
    )
    if is_known or is_like:
        return head.stop
    return start if original else 0


def _quote_follows(page: _Page, index: int) -> bool:
    """Whether the next line with text is a quoted one, so that what was quoted is marked.

    One that leads up to it may stand between.
    """
    leads = 1
    while index < len(page.lines) and (not page.filled[index] or (leads and may_lead_to_quote(page.lines[index]))):
        leads -= page.filled[index]
        index += 1
    return index < len(page.lines) and page.quoted[index]


def _above(page: _Page, index: int) -> int:
    """The same place, less blank lines, rulers and lines of a head above it."""
    while index > 0 and (not page.filled[index - 1] or _is_of_head(page.lines[index - 1])):
        index -= 1
    return index


def _is_of_head(line: str) -> bool:
    return is_ruler(line) or (looks_like_head(line) and tells_when(line))


def _is_footer(page: _Page, index: int) -> bool:
    """Whether a mailing list's footer begins here: a line drawn across, then a few lines, a link among them."""
    if not _FOOTER.match(page.lines[index]) or not 0 < page.filled_below[index] <= _MOST_FOOTER_LINES:
        return False
    return any(
        _LINK.search(line[:_MOST_SEARCHED]) for line in page.lines[index + 1 : index + 1 + _MOST_FOOTER_ROWS]
    )


def _certain_attribution(page: _Page, index: int) -> int | None:
    """The first line of the attribution that ends here beyond doubt, for what it says; None if none does."""
    if not may_lead_to_quote(page.lines[index]):
        return None
    for top in range(index, max(index - _MOST_ATTRIBUTION_LINES, -1), -1):
        if not page.stands(top) or page.dropped[top]:
            return None
        joined = " ".join(page.lines[top : index + 1])
        if leads_to_quote(joined) and (top == index or opens_attribution(page.lines[top])):
            upper = _top(page, index)
            top = min(top, upper) if opens_attribution(page.lines[upper]) else top
            return _whole_address(page, top)
    return None


def _whole_address(page: _Page, top: int) -> int:
    """The first line of an attribution with what stands above it of an address, and of when it was written."""
    first = max(top - _MOST_ATTRIBUTION_LINES + 1, 0)
    while top > first and page.stands(top - 1) and not page.dropped[top - 1]:
        upper, lower = page.lines[top - 1], page.lines[top]
        is_name = lower.startswith("<") and holds_address(lower)
        is_open = is_name or upper.count("<") > upper.count(">")
        if not is_open and not (tells_when(upper) and _was_broken(upper, lower)):
            break
        top -= 1
    return top


def _attribution(page: _Page, block: int) -> range:
    """The lines of the attribution above the quoted block that begins at that line, possibly none."""
    last = block - 1 if page.stands(block - 1) else block - 2
    if not page.stands(last) or page.dropped[last]:
        return range(0)
    line = page.lines[last]
    if not ends_in_colon(line) and not (tells_when(line) and holds_address(line)):
        return range(0)
    return range(_whole_address(page, _top(page, last)), last + 1)


def _top(page: _Page, last: int) -> int:
    """The first line of an attribution that ends there: up to the line that opens one, or over broken ones.

    Broken ones must make up the whole paragraph; else it cannot be told where the attribution begins.
    """
    top = last
    while top > 0 and last - top < _MOST_ATTRIBUTION_LINES - 1 and page.stands(top - 1):
        if opens_attribution(page.lines[top]):
            return top
        if not opens_attribution(page.lines[top - 1]) and not _was_broken(page.lines[top - 1], page.lines[top]):
            return last
        top -= 1
    return last if page.stands(top - 1) and not opens_attribution(page.lines[top]) else top


def _was_broken(upper: str, lower: str) -> bool:
    upper = upper.rstrip()
    return upper.endswith((",", "<")) or len(upper) + 1 + len(lower.split(maxsplit=1)[0]) > _FULL_LINE
