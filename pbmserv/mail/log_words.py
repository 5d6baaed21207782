"""The words of the log: a line is a sentence that never varies, followed by `key=value` pairs for all that does.

    handled mail=17 from=alice@example.org commands=2 board=101
    sent out=40 mail=17 to=bob@example.org board=101 queue=4F1A2B

So a search for `mail=17` finds all that became of it. No word of a mail, no secret and no token is ever a
value. The text of a line is made only if it is written; other forms of the log take the pairs as they are.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, TypedDict, Unpack

LONGEST_VALUE: Final = 300
"""Characters of a value that are written."""


class LogWords(TypedDict, total=False):
    """Every key there is. What is None or empty is left out."""

    mail: int | None
    """a mail taken in: its number in the inbox"""
    out: int | None
    """an outgoing mail: its number in the outbox"""
    board: int | tuple[int, ...] | None
    """a board, or several with commas between"""
    player: int | str | None
    """a player: the number of the account, which `admin trace` takes too, or the username"""
    from_: str
    """the address that a mail is from"""
    to: str
    """the address that a mail goes to"""
    host: str
    """the host that brought a mail"""
    mailbox: str
    """the mailbox that is fetched from"""
    uid: int
    """a mail's UID in that mailbox"""
    digest: str
    """of a mail that was not stored, to tell it from others: the beginning of its SHA-256"""
    size: int
    """bytes of a mail"""
    fate: str
    """what became of a mail: `handled`, `duplicate`, `silent`, `report`"""
    commands: int
    """how many commands a mail has"""
    queue: str
    """what the relay calls a mail that it has taken: its queue id"""
    bounce: str
    """how a mail came back: `hard`, `soft`"""
    tries: int
    """how often it was tried, with this try"""
    again: datetime | None
    """when it is tried again, UTC"""
    error: str
    """what went wrong: the kind of an exception, or what a server said"""
    part: str
    """a part of the server, or one of its processes"""
    parts: tuple[str, ...]
    """all parts that were started"""
    job: str
    """something that is done regularly"""
    ended: str
    """how a process ended: its exit code, or a signal"""
    seconds: float
    """how long something took"""
    count: int
    """how many of what the sentence is about"""
    left: int
    """how many more of them there are"""
    most: int
    """how many there may be"""
    limit: str
    """a limit that is used up"""
    finding: str
    """what `pbmserv status` has looked at"""
    game: str
    """a game, or a pool of ratings"""
    robot: str
    """a robot"""
    link: str
    """what a link to unsubscribe stops"""
    file: str
    """a file or folder"""
    schema: str
    """version of the database's schema"""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairs of a line; its text is made when it is asked for."""

    words: Mapping[str, object]

    def present(self) -> dict[str, object]:
        """The pairs that say something, by their keys as they are written."""
        return {key.rstrip("_"): value for key, value in self.words.items() if value not in (None, "", ())}

    def __str__(self) -> str:
        return " ".join(f"{key}={text_of(value)}" for key, value in self.present().items())


def pairs(**words: Unpack[LogWords]) -> Pairs:
    """The pairs of a line, the last and only argument of the call that logs it.

    >>> print(pairs(mail=17, from_="alice@example.org", board=(101, 102), error="it's full"))
    mail=17 from=alice@example.org board=101,102 error="it's full"
    """
    return Pairs(words)


def plain(value: object) -> object:
    """A value for JSON: numbers stay numbers, several are a list, a time is in UTC."""
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return value if isinstance(value, int | float) else str(value)[:LONGEST_VALUE]


def text_of(value: object) -> str:
    r"""A value as text, in quotes where it has blanks or would be taken for something else; always one line.

    >>> print(text_of('say "no"'), text_of("a=b"), text_of("two\nlines"), text_of("plain"))
    "say \"no\"" "a=b" "two?lines" plain
    """
    if isinstance(value, tuple):
        return ",".join(map(text_of, value))
    text = str(plain(value))
    if text.isprintable() and not _QUOTED.intersection(text):
        return text
    safe = "".join(letter if letter.isprintable() else "?" for letter in text)
    return '"{}"'.format(safe.replace("\\", "\\\\").replace('"', '\\"'))


_QUOTED: Final = frozenset(' ="\\')


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
