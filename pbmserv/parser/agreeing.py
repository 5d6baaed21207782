"""Answers to an offer of a draw or a take-back in people's own words: `Sure, no problem`."""

from collections.abc import Sequence
from typing import Final, Literal

from pbmserv.parser.taken_back import is_withdrawn
from pbmserv.parser.words import listed, normalised, phrase_at, phrases

Answer = Literal["accept", "reject"]

_MOST_LINES: Final = 12
_MOST_LEFT: Final = 25
_BARE: Final = 2
_LONGEST_GREETING: Final = 3
_MARKS: Final = "\"'`*_~()[]{}<>\u00ab\u00bb.,;:!-\u2026\u3002"


def answer_in(text: str) -> tuple[Answer, bool] | None:
    """How a text answers an offer, and whether that is certain; None if it does not begin like an answer.

    >>> [answer_in(text) for text in ("Sure, no problem", "no thanks, let's play on", "yes?", "Yes, but", "Hm")]
    [('accept', True), ('reject', True), ('accept', False), ('accept', False), None]
    """
    words = [word for line in _lines(text) for word in line.split() if word.strip(_MARKS)]
    plain = [word.strip(_MARKS + "?").lower() for word in words]
    place = 0
    before = phrases("before_answer") - phrases("accepting")
    while length := phrase_at(plain, place, before):
        place += length
    kinds: list[Answer] = []
    while not phrase_at(plain, place, phrases("no_answers")) and place < len(plain):
        accepting, rejecting = (phrase_at(plain, place, phrases(each)) for each in ("accepting", "rejecting"))
        if not accepting and not rejecting:
            break
        kinds.append("accept" if accepting >= rejecting else "reject")
        place += max(accepting, rejecting)
    if not kinds:
        return None
    left = plain[place:]
    is_doubted = kinds[0] == "accept" and not listed("doubting", "negations", "but").isdisjoint(left)
    is_doubted = is_doubted or any("?" in word for word in words) or is_withdrawn(" ".join(words[place:]))
    is_unclear = is_doubted or len(left) > _MOST_LEFT or len({*kinds}) > 1
    return kinds[0], not (is_unclear or _goes_on_otherwise(left, kinds[0]))


def words_beside(text: str) -> str:
    """The text without its first line, if that is only an answer.

    >>> words_beside("Yes!\\nGood game"), words_beside("Sure, no problem")
    ('Good game', 'Sure, no problem')
    """
    first, _, rest = text.lstrip().partition("\n")
    return rest if len(first.split()) <= _BARE else text


def _goes_on_otherwise(left: Sequence[str], kind: Answer) -> bool:
    """Whether the opposite answer follows: `No. All right, yes`."""
    other = phrases("accepting" if kind == "reject" else "rejecting")
    return any((word,) in other and word in ("yes", "no", "accept", "draw", "reject", "decline") for word in left)


def _lines(text: str) -> list[str]:
    lines: list[str] = []
    for line in text.split("\n"):
        plain = normalised(line)
        if plain == "--" or len(lines) == _MOST_LINES:
            break
        is_greeting = not lines and plain.endswith(",") and len(plain.split()) <= _LONGEST_GREETING
        lines += [plain] if plain and not is_greeting else []
    return lines
