"""Reads a Subject without the prefixes that mail programs add."""

import re
from dataclasses import dataclass
from functools import cache

from pbmserv.parser.words import listed, normalised

_COUNT = r"(?:\[[0-9]{1,4}\]|\([0-9]{1,4}\)|[\^*][0-9]{1,4})?"
_PREFIX = re.compile(rf"\s*([^\W\d_]{{1,15}}){_COUNT}(\s?):\s*")
_TAG = re.compile(r"\s*\[\s*([^\]\n]{0,60})\]\s*")
BOARD_SUBJECT = re.compile(r"\S.{0,60}? Board ([0-9]{1,9}): ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Title:
    """A Subject without prefixes. `answers_forward`: it replies to a forwarded mail."""

    text: str
    is_answer: bool = False
    is_forward: bool = False
    answers_forward: bool = False


def title_of(subject: str) -> Title:
    """The title in a normalised Subject, and what its prefixes say. Takes time linear in the Subject's length.

    >>> title_of("[club] Re: AW: move 101 c3")
    Title(text='move 101 c3', is_answer=True, is_forward=False, answers_forward=False)
    >>> title_of("I: move 101 c3").is_forward, title_of("I : c3").is_forward, title_of("[Fwd: c3]").is_forward
    (True, False, True)
    >>> title_of("Re: Fwd: c3")
    Title(text='c3', is_answer=True, is_forward=False, answers_forward=True)
    """
    is_answer = answers_forward = False
    place = 0
    while True:
        tag = _TAG.match(subject, place)
        if tag and _prefix(tag[1], 0)[0] != "forward":
            place = tag.end()
            continue
        kind, end = _prefix(subject, tag.start(1) if tag else place)
        if kind == "none":
            return Title(subject[place:], is_answer, answers_forward=answers_forward)
        if kind == "forward" and not is_answer:
            return Title(subject[place:], is_forward=True)
        is_answer, place = True, end
        answers_forward = answers_forward or kind == "forward"


def _prefix(text: str, place: int) -> tuple[str, int]:
    found = _PREFIX.match(text, place)
    # A single letter is a prefix only with its colon right behind it, as programs write it.
    if found is None or (len(found[1]) == 1 and found[2]):
        return "none", place
    word = found[1].casefold()
    if word in _prefixes("answers"):
        return "answer", found.end()
    return ("forward", found.end()) if word in _prefixes("forwards") else ("none", place)


@cache
def _prefixes(name: str) -> frozenset[str]:
    return frozenset(map(str.casefold, listed(name)))


def titled_board(subject: str) -> int | None:
    """The board that is replied to, as far as a Subject tells."""
    return board_of(title_of(normalised(subject)))


def board_of(title: Title) -> int | None:
    """The board that such a Subject replies to, if it is from a mail about a board."""
    found = BOARD_SUBJECT.match(title.text)
    return int(found[1]) if found and title.is_answer and not title.is_forward else None
