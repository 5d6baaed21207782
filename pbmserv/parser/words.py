"""Words and characters as the parser reads them, which tell commands and boards from prose.

The words of human languages are in `phrases.toml`.
"""

import unicodedata
from collections.abc import Container, Sequence
from functools import cache

from pbmserv.commands.vocabulary import CLOSING, OPENING, is_number
from pbmserv.commands.word_lists import word_lists

FIRST_BOARD = 101

Phrases = frozenset[tuple[str, ...]]

_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-")

_QUOTES = {ord(each): "'" for each in "\u2018\u2019\u201a\u201b\u2032"} | {
    ord(each): '"' for each in "\u201c\u201d\u201e\u201f"
}

_INVISIBLE = dict.fromkeys(
    map(
        ord,
        "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064"
        "\u2066\u2067\u2068\u2069\u20e3\ufe0e\ufe0f\ufeff",
    ),
    None,
)


@cache
def listed(*names: str) -> frozenset[str]:
    """The phrases of these lists of `phrases.toml`, each as one text.

    >>> sorted(listed("conditions")), "my move" in listed("labels")
    (['falls', 'if', 'wenn'], True)
    """
    return frozenset(" ".join(each) for each in phrases(*names))


@cache
def phrases(*names: str) -> Phrases:
    """The phrases of these lists of `phrases.toml`, each as its words."""
    texts = word_lists("phrases.toml", __package__)
    return frozenset(phrase for name in names for phrase in phrases_in(texts[name]))


def phrases_in(text: str) -> Phrases:
    """The phrases of a list, each as its words."""
    return frozenset(tuple(phrase.split()) for phrase in text.split(","))


_LONGEST_PHRASE = 6


def phrase_at(words: Sequence[str], place: int, known: Container[tuple[str, ...]]) -> int:
    """The number of words of the longest known phrase there; 0 if there is none."""
    lengths = range(min(_LONGEST_PHRASE, len(words) - place), 0, -1)
    return next((each for each in lengths if tuple(words[place : place + each]) in known), 0)


def plain_word(word: str) -> str:
    """A word in small letters, without the marks that end sentences or quote.

    >>> plain_word('"Yes!"')
    'yes'
    """
    return word.strip(".,;:!?\"'()*").lower()


def normalised(line: str) -> str:
    """The line with one kind of blank, dash, quote, digit and letter form for each, and no blank at its ends.

    >>> normalised("\uff2dove\u00a0101  c3\u2013b3")
    'Move 101 c3-b3'
    """
    plain = unicodedata.normalize("NFKC", line.translate(_INVISIBLE)).translate(_DASHES | _QUOTES)
    return " ".join(plain.split())


def without_accents(text: str) -> str:
    """The text with each letter as its plain one."""
    return "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))


def board_number(word: str) -> int | None:
    """The board that `101`, `101#7`, `101:` or `#101` names. No lower one is named in such dress.

    >>> [board_number(word) for word in ("101", "7", "101#7", "#101", "(101)", "101:", "7.", "#7", "c3")]
    [101, 7, 101, 101, 101, 101, None, None, None]
    """
    number = stripped_board(word).partition("#")[0]
    if not is_number(number):
        return None
    return int(number) if int(number) >= FIRST_BOARD or word.partition("#")[0] == number else None


def stripped_board(word: str) -> str:
    """A word without what may stand around a board's number."""
    return word.lstrip(OPENING + "#").rstrip(CLOSING)
