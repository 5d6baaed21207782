"""The words by which mail programs lead up to what they quote, in the languages that they speak (`phrases.toml`).

Each pattern matches a whole line, or its beginning where that says so, and none of them can match a command.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from pbmserv.commands.word_lists import word_lists

_MOST: Final = 400
"""Characters of a line that are looked at."""

_MOST_AT_END: Final = 20


@cache
def pattern(expression: str) -> re.Pattern[str]:
    """The compiled pattern of an expression in which `%(name)s` stands for any phrase of that list.

    A blank in it stands for a no-break space, too, and case does not matter.
    """
    return re.compile((expression % _lists()).replace(" ", r"[ \u00a0]"), re.IGNORECASE)


@cache
def listed(name: str) -> frozenset[str]:
    """The words of a list, one by one."""
    return frozenset(str(word_lists("phrases.toml", __package__)[name]).split())


@cache
def _lists() -> Mapping[str, str]:
    texts = word_lists("phrases.toml", __package__)
    return {name: f"(?:{'|'.join(text.split(chr(10))[:-1])})" for name, text in texts.items()}


_FIELD: Final = (
    r" {0,3}[*_]{0,2}(?:(?P<sender>%(sender)s)|(?P<date>%(date)s)|(?P<to>%(to)s)|(?P<subject>%(subject)s)"
    r"|(?P<copy>%(copy)s))[*_]{0,2} ?[:\uff1a][*_]{0,2}(?=\s*\S)"
)
_EMPTY_FROM: Final = r"[\s*_]{0,4}%(sender)s[*_]{0,2} ?[:\uff1a]"
_ANY_HEAD: Final = re.compile(r"[ *]{0,3}[^\W\d_][^:\n]{0,20}[*]?\s?:[*]?\s+\S")
_DASH: Final = r"[-\u2010-\u2015]"
_RULED: Final = rf"\s{{0,3}}{_DASH}{{2,20}} ?(?:%(original)s|(?P<forward>%(forwarded)s)) ?{_DASH}{{2,20}}"
_ORIGINAL_ALONE: Final = r"\s{0,3}-{3,40}+ ?Original ?-{3,40}"
_ORIGINAL_BARE: Final = r"\s{0,3}[*_]{0,2}%(original)s[*_]{0,2}\s*$"
_BEGUN: Final = r"\s{0,3}%(begun_forward)s ?[:\uff1a]\s*$"
_RULER: Final = re.compile(
    rf"\s{{0,8}}(?:{_DASH}{{4,}}+|{_DASH}{{2,}}+(?:[^-\n]|-(?!-)){{1,60}}{_DASH}{{2,}}+|_{{8,}}"
    r"|([-_*=~#\u2500])\1{4,})\s*$"
)
_VERB: Final = r"(?<!\w)%(wrote)s|%(wrote_unspaced)s"
_FIRST_PERSON: Final = re.compile(r"\s{0,3}(?:I|We|Ich|Wir|Je|J'ai|Nous|Yo|Ho|Eu|Ik|Jag|Jeg|Я|Мы)\s")
_WHEN_OR_WHO: Final = re.compile(r"@|[0-9]{1,2}[:.][0-9]{2}|[0-9]{4}|[0-9]{1,2}[/.-] ?[0-9]")
_UNSEEN: Final = r"[\s\u200e\u200f\u202a-\u202e\u2066-\u2069]*"
_COLONS: Final = (":", "\uff1a")
_BEHIND_COLON: Final = "".join(filter(re.compile(_UNSEEN).fullmatch, map(chr, range(0x10000))))
_LEADS: Final = re.compile(rf"(?:[:\uff1a]|--){_UNSEEN}$")
_TIME_AND_ADDRESS: Final = re.compile(
    r"[0-9][:.][0-9]{2}.{0,200}<[^<>]{0,80}@|<[^<>]{1,80}@.{0,200}[0-9][:.][0-9]{2}"
)
_TIME: Final = re.compile(
    r"(?<![0-9])[0-9]{1,2}(?:[:.\uff1a][0-9]{2}|[hH\u6642\u65f6\uc2dc] ?[0-9]{0,2})(?![0-9])"
)
_DATE: Final = re.compile(
    r"(?<![0-9])(?:(?:19|20)[0-9]{2}(?![0-9])|[0-9]{1,2}([./-]) ?[0-9]{1,2}\1 ?[0-9]{2}(?![0-9]))"
)
_ADDRESS: Final = re.compile(r"[^\s@<>]@[^\s@<>]{1,80}\.[^\s@<>]")
_OPENS: Final = r"\s{0,3}(?:-{2,20} )?%(openings)s[\s,][^\n]{0,30}[0-9]"


def field_of(line: str) -> str | None:
    """Which line of a quoted mail's head it looks like: a name in _FIELDS for `Von: ...`, `*Sent:* ...`."""
    found = pattern(_FIELD).match(_untabled(line[:_MOST]))
    return found.lastgroup if found else None


def _untabled(line: str) -> str:
    """A row of a head in a table, as NetEase writes it (`| From | Bob |`), as a line of a head."""
    name, bar, value = line.strip().removeprefix("|").partition("|")
    return f"{name.strip()}: {value.strip()}" if bar and line.lstrip().startswith("|") else line


def looks_like_head(line: str) -> bool:
    """Whether it could be a line of a mail's head in a language that is not known here."""
    return _ANY_HEAD.match(_untabled(line[:_MOST])) is not None


def begins_head(text: str) -> bool:
    """Whether a text begins with the sender's line of a quoted mail's head."""
    first = text[:_MOST]
    return pattern(_EMPTY_FROM).match(first) is not None or field_of(first) == "date"


def is_original_line(line: str) -> bool:
    """`-----Original Message-----`, and what else may stand behind it on the line: all below is quoted."""
    found = pattern(_RULED).match(line[:_MOST])
    return (found is not None and found["forward"] is None) or pattern(_ORIGINAL_ALONE).match(line) is not None


def is_bare_original(line: str) -> bool:
    """`Original message` and its like without dashes, which count only above a head."""
    return pattern(_ORIGINAL_BARE).match(line[:_MOST]) is not None


def is_forward_line(line: str) -> bool:
    """`Begin forwarded message:`, `---------- Forwarded message ---------`: all below is a forwarded mail."""
    line = line[:_MOST]
    found = pattern(_RULED).match(line)
    return (found is not None and found["forward"] is not None) or pattern(_BEGUN).match(line) is not None


def is_ruler(line: str) -> bool:
    """A line that is drawn across, with words in it or without."""
    return _RULER.match(line[:_MOST]) is not None


def may_lead_to_quote(line: str) -> bool:
    """Whether it ends as attributions do."""
    return _LEADS.search(line[-_MOST_AT_END:]) is not None


def is_in_first_person(line: str) -> bool:
    """Whether it begins as no program does: `I wrote to bob@example.org:`."""
    return _FIRST_PERSON.match(line[:_MOST]) is not None


def tells_that_somebody_wrote(line: str) -> bool:
    """`pbmserv wrote:`, whatever else stands in it or does not."""
    return ends_in_colon(line) and pattern(_VERB).search(line[-_MOST:]) is not None


def leads_to_quote(line: str) -> bool:
    """Whether it is an attribution beyond doubt: it tells that somebody wrote, and when or who, and ends so."""
    if is_in_first_person(line):
        return False
    line = line[-_MOST:]
    when_or_who = _WHEN_OR_WHO.search(line) or pattern(_OPENS).match(line)
    return bool(_LEADS.search(line) and pattern(_VERB).search(line) and when_or_who)


def ends_in_colon(line: str) -> bool:
    """Whether a colon is the last that is seen of a line."""
    return line[-_MOST:].rstrip(_BEHIND_COLON).endswith(_COLONS)


def tells_when(line: str) -> bool:
    """Whether a date and a time stand in it, in figures."""
    line = line[:_MOST]
    return _DATE.search(line) is not None and _TIME.search(line) is not None


def holds_address(line: str) -> bool:
    """Whether an e-mail address stands in it."""
    return _ADDRESS.search(line[:_MOST]) is not None


def opens_attribution(line: str) -> bool:
    """Whether a line above one that ends as attributions do is the first of them.

    It begins `On Mon, 6 Jan` or `Am 06.01.` and the like, or holds a time and an address in brackets.
    """
    line = line[:_MOST]
    return pattern(_OPENS).match(line) is not None or _TIME_AND_ADDRESS.search(line) is not None
