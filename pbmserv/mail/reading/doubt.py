"""Text below commands that may not be the sender's own: quotes in an unknown language or format.

Only the sender's own text may go to other people. So here, unlike in the search for commands, doubtful lines are
left out and reported back: addresses, a date and time before a colon, lines of a mail's head, our own sentences.
"""

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from pbmserv.mail.reading.footers import is_tagline, may_be_tagline, names_program, without_taglines
from pbmserv.mail.reading.our_copies import OurWords, is_our_heading, looks_like_ours
from pbmserv.mail.reading.phrases import (
    ends_in_colon,
    holds_address,
    is_in_first_person,
    looks_like_head,
    tells_when,
)
from pbmserv.mail.reading.signatures import is_drawn, is_picture, signature_above, signature_start

_MOST: Final = 400
"""Characters of a line that are looked at."""

_MOST_ATTRIBUTION_LINES: Final = 4
_MOST_HEAD_LINES: Final = 10
_FEWEST_WORDS: Final = 3
"""Around an address they make a sentence; fewer are a name or a label."""

_SHORTEST_SUBJECT: Final = 8
_MOST_TAGLINE_WORDS: Final = 8
_MOST_SEARCHED: Final = 1_000
"""Lines that were left out in which the sender's own are looked for."""

_MOST_TOLD: Final = 3
"""Lines of what was left out that are told, each so long that a command has room before it."""

_TOLD_WIDTH: Final = 52

_DASHES: Final = re.compile(r"\s{0,8}(?:-{2}|[\u2013\u2014]{1,2})\s*$")
_ADDRESS: Final = re.compile(r"[^\s@<>()\[\]:;,\"']{1,80}@[^\s@<>()\[\]:;,\"']{1,80}")
_IN_BRACKETS: Final = re.compile(r"[<\[(]\s?(?:mailto:)?[^\s@<>\[\]]{1,80}@[^\s@<>]{1,80}\s?[>\])]?")
_WORD: Final = re.compile(r"[^\W\d_]+")
_NO_TAGLINE: Final = re.compile(r"[,!?]")
_ANY_COLON: Final = re.compile(r"[:\uff1a]")
_SENTENCE_END: Final = (".", "!", "?", "\u3002", "\uff01", "\uff1f", ")")


@dataclass(frozen=True, slots=True)
class Signs:
    """What tells lines of a quoted mail: our address, the sender's, the Subject, and our words as far as known."""

    our_address: str
    addresses: frozenset[str] = frozenset()
    subject: str = ""
    ours: OurWords = field(default=OurWords(), repr=False)


@dataclass(frozen=True, slots=True)
class ExtractedReply:
    """The sender's `own` text, and the lines that were `left_out` although they may be the sender's."""

    own: str
    left_out: tuple[str, ...] = ()


def extract_reply(text: str, signs: Signs, below: str = "") -> ExtractedReply:
    """Extracts what is certainly the sender's: the text above the first line that may come from another mail.

    `below` was already cut off, since it begins with our words. Takes time linear in the size of both.
    """
    lines = text.split("\n")
    signed = signature_start(lines[: without_taglines(lines)])
    foreign = next((index for index in range(len(lines)) if _begins_foreign(lines, index, signs)), None)
    has_head = bool(below) if foreign is None else _DASHES.match(lines[foreign]) is None
    if foreign is None:
        foreign = len(lines) if below else min(signed, _last_tagline(lines))
    is_whole = foreign == len(lines) and not below
    top = _top(lines, foreign) if has_head and not is_whole else foreign
    top = top if is_whole else signature_start(lines[: without_taglines(lines, min(top, signed))])
    start, end = signature_above(lines[:top]) or (top, top)
    if is_whole and start == end:
        return ExtractedReply(text)
    parts = ("\n".join(lines[:start]).rstrip(), "\n".join(lines[end:top]).strip("\n").rstrip())
    dropped = [*lines[start:end], *lines[top:], *below.split("\n")]
    return ExtractedReply("\n\n".join(filter(None, parts)), _told(dropped, signs, end - start + foreign - top))


def _begins_foreign(lines: Sequence[str], index: int, signs: Signs) -> bool:
    line = lines[index][:_MOST]
    if not line.strip():
        return False
    if (
        _DASHES.match(line)
        or looks_like_ours(line)
        or signs.ours.begin(line) is not None
        or _names_mail(line, signs)
    ):
        return True
    if _is_loose_address(line):
        return True
    if ends_in_colon(line) and _is_attribution(lines, index):
        return True
    run = _head_run(lines, index)
    return (run > 1 and any(map(holds_address, lines[index : index + run]))) or (
        run > 2 and any(map(tells_when, lines[index : index + run]))
    )


def _names_mail(line: str, signs: Signs) -> bool:
    """Whether our address, the sender's own or the Subject stands in a line that is no sentence of theirs."""
    is_senders = any(address in line.casefold() for address in signs.addresses)
    return _names_us(line, signs) or (is_senders and not _is_sentence(line))


def _names_us(line: str, signs: Signs) -> bool:
    """Whether the Subject stands in a line, or our address, but for the plain one in a sentence."""
    low = line[:_MOST].casefold()
    subject = signs.subject.casefold()
    if len(subject) >= _SHORTEST_SUBJECT and subject in low:
        return True
    plain = signs.our_address.casefold()
    local, _, domain = plain.rpartition("@")
    found = [each.rstrip(".") for each in _ADDRESS.findall(low)]
    ours = [each for each in found if each.startswith(local) and each.endswith(domain)]
    return any(each != plain for each in ours) or (bool(ours) and not _is_sentence(line))


def _is_sentence(line: str) -> bool:
    """Whether a line with an address reads as words that somebody put around it."""
    if is_in_first_person(line):
        return True
    if _IN_BRACKETS.search(line) or ends_in_colon(line) or tells_when(line):
        return False
    return len(_WORD.findall(_ADDRESS.sub(" ", line))) >= _FEWEST_WORDS


def _is_loose_address(line: str) -> bool:
    """Whether an address stands in a line as in a head, a signature or an attribution."""
    if not holds_address(line):
        return False
    return not _is_sentence(line) or (looks_like_head(line) and holds_address(_ANY_COLON.split(line, 1)[-1]))


def _is_attribution(lines: Sequence[str], index: int) -> bool:
    """Whether what ends in a colon there tells when it was written, or by which address."""
    joined = " ".join(lines[_first_of_attribution(lines, index) : index + 1])
    if is_in_first_person(lines[index]):
        return False
    return holds_address(joined) or tells_when(joined)


def _first_of_attribution(lines: Sequence[str], last: int) -> int:
    """The first line of the paragraph that ends there, if it is short; else that line itself."""
    first = last
    while first > 0 and lines[first - 1].strip() and last - first < _MOST_ATTRIBUTION_LINES:
        first -= 1
    return first if last - first < _MOST_ATTRIBUTION_LINES else last


def _head_run(lines: Sequence[str], index: int) -> int:
    """How many lines from there on look like those of a head."""
    end = min(index + _MOST_HEAD_LINES, len(lines))
    return next((each for each in range(index, end) if not looks_like_head(lines[each])), end) - index


def _last_tagline(lines: Sequence[str]) -> int:
    """Where a last line stands that may be a mail program's or a telephone's; behind all lines if none does."""
    last = next((index for index in range(len(lines) - 1, -1, -1) if lines[index].strip()), None)
    if last is None or may_be_tagline(lines[last]):
        return len(lines) if last is None else last
    line = lines[last][:_MOST]
    if last > 0 and lines[last - 1].strip():
        return len(lines)
    is_one = names_program(line) and len(line.split()) <= _MOST_TAGLINE_WORDS and not _NO_TAGLINE.search(line)
    return last if is_one else len(lines)


def _top(lines: Sequence[str], foreign: int) -> int:
    """Where the head begins of what is foreign from there on: rulers, labels, lines that lead up to it."""
    top = foreign
    while top > 0:
        first = top
        while first > 0 and (not lines[first - 1].strip() or is_drawn(lines[first - 1])):
            first -= 1
        if first < top:
            above = _paragraph_above(lines, first)
            if not _leads_up(lines[above:first]):
                break
            top = above
        elif _is_part_of_head(lines[top - 1]):
            top -= 1
        else:
            break
    while top > 0 and (not lines[top - 1].strip() or is_drawn(lines[top - 1])):
        top -= 1
    return top


def _paragraph_above(lines: Sequence[str], end: int) -> int:
    first = end
    while first > 0 and lines[first - 1].strip() and not is_drawn(lines[first - 1]):
        first -= 1
    return first


def _leads_up(paragraph: Sequence[str]) -> bool:
    """Whether a paragraph above a quoted mail belongs to it."""
    if not 0 < len(paragraph) <= _MOST_HEAD_LINES:
        return False
    if len(paragraph) > 1 and all(map(looks_like_head, paragraph)):
        return True
    is_short = len(paragraph) <= _MOST_ATTRIBUTION_LINES
    return is_short and (ends_in_colon(paragraph[-1]) or tells_when(" ".join(paragraph)))


def _is_part_of_head(line: str) -> bool:
    """Whether a line right above one of a head is one too: a label, a broken piece, a name before a value."""
    if (
        looks_like_head(line)
        or tells_when(line)
        or line.count("<") > line.count(">")
        or line.rstrip().endswith(",")
    ):
        return True
    return len(line.split()) <= _FEWEST_WORDS - 1 and not line.rstrip().endswith(_SENTENCE_END)


def _is_ours(line: str, signs: Signs) -> bool:
    return looks_like_ours(line) or signs.ours.begin(line) is not None


def _is_of_program(line: str) -> bool:
    return is_drawn(line) or is_picture(line) or _DASHES.match(line) is not None or is_tagline(line)


def _is_broken_sentence(above: Sequence[str], index: int) -> bool:
    """Whether a line above a head goes on in the next, or from the last: `Lovely game,` and `thanks`."""
    pair = above[index - 1 : index + 1] if index and above[index - 1].rstrip().endswith(",") else above[index:][:2]
    joined = " ".join(pair)
    is_plain = not any(mark in joined for mark in "@<:|") and not any(map(str.isdigit, joined))
    return is_plain and pair[0].rstrip().endswith(",") and len(_WORD.findall(joined)) >= _FEWEST_WORDS


def _told(dropped: Sequence[str], signs: Signs, moved: int = 0) -> tuple[str, ...]:
    """Of what was left out the words that may be the sender's: neither ours, nor of a head, nor a program's.

    The first `moved` lines were left out only for what stands below them.
    """
    local = signs.our_address.partition("@")[0].casefold()
    told: list[str] = []
    names = {word for address in signs.addresses for word in _WORD.findall(address.partition("@")[0].casefold())}
    first_ours = next(
        (index for index, line in enumerate(dropped[:_MOST_SEARCHED]) if _is_ours(line, signs)), None
    )
    above = () if first_ours is None else dropped[:first_ours]
    has_head = any(_names_mail(line, signs) or tells_when(line) for line in above)
    headings = 0
    for index, line in enumerate(dropped[:_MOST_SEARCHED]):
        headings += is_our_heading(line)
        # Of an older mail below, or of one that is no longer kept, nobody can tell what is ours.
        if headings > 1 or (not signs.ours.runs and (index == first_ours or _names_us(line, signs))):
            break
        if _is_ours(line, signs) or not line.strip() or _is_of_program(line):
            continue
        if _names_mail(line, signs) or tells_when(line) or line.count("<") != line.count(">"):
            continue
        beside = (*dropped[max(index - 1, 0) : index], *dropped[index + 1 : index + 2])
        is_asking = index < moved and line.rstrip().endswith(("?", "!"))
        if looks_like_head(line) and any(map(looks_like_head, beside)) and not is_asking:
            continue
        words = _WORD.findall(line.casefold())
        if not words and not any(map(str.isdigit, line)):
            continue
        if ends_in_colon(line) and local in words:
            continue
        if names.issuperset(words) and words:
            continue
        is_broken = index < moved and _is_broken_sentence(dropped[:moved], index)
        if has_head and len(words) < _FEWEST_WORDS and not is_broken:
            continue
        if (
            first_ours is not None
            and index > first_ours
            and (len(words) < _FEWEST_WORDS or signs.ours.holds(line))
        ):
            continue
        told.append(line)
        if len(told) > _MOST_TOLD:
            break
    return told_lines(told)


def told_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """Lines so short that each can be said by a command, and no more than a mail has room for."""
    told: list[str] = []
    for line in lines:
        told += textwrap.wrap(" ".join(line[:_MOST].split()), _TOLD_WIDTH)
        if len(told) > _MOST_TOLD:
            return (*told[: _MOST_TOLD - 1], f"{told[_MOST_TOLD - 1].removesuffix(' ...')} ...")
    return tuple(told)
