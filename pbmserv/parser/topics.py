"""Finds the help topic for a question in plain words. Nothing here runs a command.

A phrase matches where its words stand in the first lines of a mail, whatever the case, accents and marks. The
longest phrase that matches decides, so "Hello, how do I resign? Thanks" is about resigning. A wish for no
more mail comes before anything else.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from types import MappingProxyType
from typing import Final

from pbmserv.commands.vocabulary import COURTESY, word_lists

SOCIAL: Final = frozenset({"hello", "thanks", "sorry"})
"""Topics that any other topic overrides."""

GENERAL: Final = "help"
"""The topic that any other overrides, except the social ones."""

_STOP: Final = "stop"
"""The topic that overrides all others; it comes first."""

_SHORT: Final = 9
"""The most words of a mail that is only a greeting or thanks. A longer one is a letter to somebody."""

_MOST_LINES: Final = 12
_MOST_CHARACTERS: Final = 600


@cache
def topics() -> tuple[str, ...]:
    """Every topic; a text for each is in `mail/topics.txt`."""
    return tuple(word_lists("topics.toml", __package__))


def topic_of(text: str, subject: str = "") -> str:
    """The topic that a mail asks about; empty if it is unknown.

    >>> [topic_of(text) for text in ("How do I capture?", "Hi, how do I resign? Thanks", "Keine Mails mehr!")]
    ['capture', 'resign', 'stop']
    >>> topic_of("My dog ate a stone. Rules are rules!")
    ''
    """
    said, titled = (plain_words("\n".join(_first_lines(part))) for part in (text, subject))
    topic, other = _topic_of(said), _topic_of(titled)
    if _STOP in (topic, other):
        return _STOP
    return topic if said and (other in SOCIAL or topic not in {"", *SOCIAL}) else other or topic


def _topic_of(said: str) -> str:
    if not said:
        return ""
    said = " ".join(_LONG_FORMS.get(word, word) for word in said.split())
    alone = " ".join(word for word in said.split() if word not in _COURTESY)
    best, most = "", 0
    for topic, is_whole, pattern in _patterns():
        match = pattern.fullmatch(alone or said) if is_whole else pattern.search(said)
        if match is None:
            continue
        if topic == _STOP:
            return topic
        weight = 0 if topic in SOCIAL else 1 if topic == GENERAL else 1 + len(match[0].split())
        if not best or weight > most:
            best, most = topic, weight
    return "" if best in SOCIAL and len(said.split()) > _SHORT else best


def _first_lines(text: str) -> list[str]:
    """The first non-empty lines, up to a signature."""
    lines: list[str] = []
    for line in text[: 10 * _MOST_CHARACTERS].split("\n"):
        if line.rstrip() == "--":
            break
        if line.strip():
            lines.append(line[:_MOST_CHARACTERS])
    return lines[:_MOST_LINES]


def plain_words(text: str, most: int = _MOST_CHARACTERS) -> str:
    """Words in small letters without accents and marks, one blank between them, of the first `most` characters.

    >>> plain_words("Qu\u2019est-ce que c'est?  D\u00c9J\u00c0 vu!")
    'quest ce que cest deja vu'
    """
    apart = unicodedata.normalize("NFKD", text[:most].casefold())
    letters = "".join(each for each in apart if not unicodedata.combining(each) and each not in _APOSTROPHES)
    return " ".join("".join(each if each.isalnum() else " " for each in letters).split())


_APOSTROPHES: Final = "'\u2019\u2018`\u00b4"
_LONG_FORMS: Final = MappingProxyType(
    {"whats": "what is", "wheres": "where is", "whos": "who is", "hows": "how is", "whens": "when is"}
)
_COURTESY: Final = COURTESY - {"thanks", "thank", "thx", "cheers", "ta"} | {"bitte", "merci", "server", "pbmserv"}


@cache
def _patterns() -> tuple[tuple[str, bool, re.Pattern[str]], ...]:
    """Each phrase as a pattern over plain words, with its topic, and whether it must be all that is said."""
    return tuple(
        (topic, phrase.startswith("="), _pattern(phrase.removeprefix("=")))
        for topic, asked in word_lists("topics.toml", __package__).items()
        for phrase in (*_phrases(asked["english"]), *map(_in_plain_words, _phrases(asked.get("others", ""))))
    )


def _phrases(table: str) -> Iterator[str]:
    return (phrase for each in table.split(",") if (phrase := " ".join(each.split())))


def _in_plain_words(phrase: str) -> str:
    return "=" * phrase.startswith("=") + plain_words(phrase)


def _pattern(phrase: str) -> re.Pattern[str]:
    words = phrase.replace(" _ ", r" (?:\w+ ){0,3}").replace(" _", r"(?: \w+){0,3}")
    return re.compile(rf"\b{_REST_OF_WORD.sub('[a-z]*', words)}\b")


_REST_OF_WORD: Final = re.compile(r"(?<=[a-z])[*]")
