"""Recognises copies of our own mails in other mails, however a mail program has changed their lines."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message
from html import unescape
from itertools import groupby
from typing import Final

RUN: Final = 4
"""A run of this many of our words may be coincidence, unless its line holds nothing else."""

LONG: Final = 4
"""This many runs in a row are ours, whatever stands around them."""

_FEWEST_LETTERS: Final = 12
_MOST: Final = 4_000
"""Characters of a line that are looked at."""

_WORD: Final = re.compile(r"[^\W_]+")
_TAG: Final = re.compile(r"<(?:style|title)\b.*?(?:</(?:style|title)>|\Z)|<[^>]*+>?", re.DOTALL | re.IGNORECASE)
_ADDRESS_OF_LINK: Final = re.compile(r"[<\[(](?:mailto|https?):[^>\])]*+[>\])]?", re.IGNORECASE)
_BAR: Final = "| "
_INDENTED: Final = "    "
_WORDS_BELOW: Final = re.compile(r"^This is what \S{1,40} writes:$", re.MULTILINE)
_ROW: Final = re.compile(r"\s{0,8}([0-9]{1,2})(?:\s{1,4}[^\s\w]?[\w.+][^\s\w]?){2,30}\s{1,4}\1\s*$")
_COLUMNS: Final = re.compile(r"\s{2,16}A(?:\s{1,8}[B-Z]){1,25}\s*$")
_HEADING: Final = re.compile(
    r"\s{0,3}[*_]{0,2}(?:(?:Summary|Preview) of )?[A-Z][\w' -]{1,40} Board [0-9]{1,9}[*_]{0,2}\s*$"
)
_OURS: Final = re.compile(
    r"\s{0,3}[*_]{0,2}(?:To move, (?:answer this mail with (?:a|your)|answer with a line|tap a )"
    r"|Other answers: show, |You can answer(?: meanwhile)?: |Or play on the web:\s*$|See it on the web: "
    r"|It is \S{2,20}'s turn\.\s*$|\S{2,20} has .{1,40} (?:for this turn\.\s*$|left, until )|Thick border: "
    r"|\S{2,20} (?:played|took) .{1,200}\. (?:Your turn(?:, [0-9a-z ]{3,30})?|It is \S{2,20}'s turn)\.\s*$"
    r"|(?:Last moves|Moves): 1?[0-9]{1,3} \S{2,20} |Replay it on the web: |Play on the web Or tap a "
    r"|Score: \S+ -?[0-9]+, \S+ -?[0-9]+)"
)


@dataclass(frozen=True, slots=True)
class OurWords:
    """What some mails of ours say: `runs` of RUN words each, and all their `words`; none where none are known.

    Neither what other people wrote in them nor the commands that they propose make runs: those may be sent.
    """

    runs: frozenset[tuple[str, ...]] = frozenset()
    words: frozenset[str] = frozenset()

    def begin(self, text: str) -> int | None:
        """Where the first of our words stand in a text: a line of nothing else, or LONG runs on end wherever."""
        if not self.runs:
            return None
        found = list(_WORD.finditer(_ADDRESS_OF_LINK.sub(lambda link: " " * len(link[0]), text)))
        words = [word[0].casefold() for word in found]
        on_end = 0
        line_begins, line_runs = 0, True
        for place, run in enumerate(_runs(words)):
            first, last = found[place], found[place + RUN - 1]
            if place == 0 or "\n" in text[found[place - 1].end() : first.start()]:
                line_begins, line_runs = place, True
            is_ours = run in self.runs
            on_end = on_end + 1 if is_ours else 0
            if on_end == LONG:
                return found[place - LONG + 1].start()
            is_in_line = "\n" not in text[first.start() : last.start()]
            line_runs = line_runs and is_ours
            follower = found[place + RUN].start() if place + RUN < len(found) else len(text)
            ends_line = "\n" in text[last.end() : follower] or place + RUN == len(found)
            if is_in_line and line_runs and ends_line:
                begins = found[line_begins].start()
                if sum(map(str.isalpha, text[begins : last.end()])) >= _FEWEST_LETTERS:
                    return begins
        return None

    def holds(self, line: str) -> bool:
        """Whether all words of a line are among ours, in whatever order: a piece of ours, if ours are around."""
        return all(word in self.words for word in _words(line[:_MOST]))


def is_our_heading(line: str) -> bool:
    """Whether a board of ours begins there."""
    return _HEADING.match(line[:_MOST]) is not None


def looks_like_ours(line: str) -> bool:
    """Whether a line is one that stands in each of our boards, whichever mail it comes from."""
    line = line[:_MOST]
    return any(each.match(line) is not None for each in (_HEADING, _OURS, _ROW, _COLUMNS))


def our_words(mails: Iterable[bytes]) -> OurWords:
    """What these mails of ours say, each whole or its beginning."""
    runs: set[tuple[str, ...]] = set()
    others: set[tuple[str, ...]] = set()
    words: set[str] = set()
    for mail in mails:
        # The newer policies take ten times as long to parse headers, of which none is wanted but the part's kind.
        for part in message_from_bytes(mail).walk():
            if part.get_content_type() == "text/plain":
                for text, is_ours in _paragraphs(_content(part)):
                    found = _words(text)
                    words.update(found)
                    (runs if is_ours else others).update(_runs(found))
            elif part.get_content_type() == "text/html":
                found = _words(unescape(_TAG.sub(" ", _content(part))))
                words.update(found)
                runs.update(_runs(found))
    return OurWords(frozenset(runs - others), frozenset(words))


def _paragraphs(text: str) -> Iterator[tuple[str, bool]]:
    """The pieces of a text of ours, and whether they may not be anybody else's words."""
    found = _WORDS_BELOW.search(text)
    end = len(text) if found is None else found.end()
    above, below = text[:end], text[end:]
    for is_others, lines in groupby(above.split("\n"), key=lambda line: line.startswith((_BAR, _INDENTED))):
        yield "\n".join(line.removeprefix(_BAR) for line in lines), not is_others
    yield below, False


def _content(part: Message) -> str:
    body = part.get_payload(decode=True)
    charset = part.get_content_charset("us-ascii")
    return body.decode(charset, "replace").replace("\r\n", "\n") if isinstance(body, bytes) else ""


def _words(text: str) -> list[str]:
    return _WORD.findall(_ADDRESS_OF_LINK.sub(" ", text).casefold())


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(RUN)), strict=False)
