"""Strips what people, phones and mail programs put around a command: marks, bullets, list numbers, extra words.

Only what stands before and around the words of a command is stripped here, never the end of its last word, which
may be a password. The slots of a form (`parser.fitting`) strip their own words.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pbmserv.commands.command import commands
from pbmserv.commands.vocabulary import COURTESY
from pbmserv.games import games
from pbmserv.parser.words import FIRST_BOARD, board_number, listed

_BULLET = re.compile(r"[*+o\u00b7\u2022\u2023\u25aa\u25cf\u25e6\u2043\u2192\-]|-+>|=>")
_GLUED_BULLET = re.compile(r"[\u00b7\u2022\u2023\u25aa\u25cf\u25e6\u2043\u2192]+(?=\S)")
_LISTED = re.compile(r"\(?[0-9]{1,2}[.)]", re.ASCII)
_GLUED_LISTED = re.compile(r"\(?[0-9]{1,2}[.)](?=[a-z])", re.ASCII | re.IGNORECASE)
_PAIRS = dict(zip("\"'`*_~([{<\u00ab\u00bb\u2039", "\"'`*_~)]}>\u00bb\u00ab\u203a", strict=True))
_AROUND_NAMES = "\"'`*_~()[]{}<>\u00ab\u00bb,:;."
_BOARD_WORDS = frozenset({"board", "match", "game"})
_BETWEEN = re.compile(r"[-:=>,;]+")
_LABELLED = re.compile(r"([^:=]{2,30}?) ?(?::|=>?|->) ?(?=[a-z0-9])", re.IGNORECASE)
_MOST_PAIRS = 6


@dataclass(frozen=True, slots=True)
class Stripped:
    """The words of a line without decoration; `only_marks` if no word was removed."""

    words: tuple[str, ...]
    only_marks: bool


def strip_decoration(words: Sequence[str]) -> Stripped:
    """The words of the command itself, without decoration.

    >>> written = ('* "C3".', "1) c3", "**Move**: 101 c3", "101 - c3")
    >>> [" ".join(strip_decoration(line.split()).words) for line in written]
    ['C3', 'c3', 'Move 101 c3', '101 c3']
    >>> " ".join(strip_decoration("Please show board 101".split()).words)
    'show 101'
    """
    bare = _without_pairs(_without_bullet(list(words)))
    bare = _without_pairs(bare)
    kept = bare[1:] if len(bare) > 1 and bare[0].lower().rstrip(",") in COURTESY else bare
    kept = _without_board_words(kept)
    if kept and (name := _named(kept)):
        kept = [name, *kept[1:]]
    return Stripped(tuple(_without_marks_behind_board(kept)), only_marks=len(kept) == len(bare))


def without_label(words: Sequence[str]) -> list[str]:
    """The words without a label that announces a move: `my move: d4`, `Zug = d4`.

    >>> [without_label(line.split()) for line in ("Mein Zug : d4", "zet:d4", "Note: d4", "Zug d4")]
    [['d4'], ['d4'], ['Note:', 'd4'], ['Zug', 'd4']]
    """
    text = " ".join(words)
    label = _LABELLED.match(text)
    labels = listed("labels", "labels_needing_colons")
    return text[label.end() :].split() if label and label[1].casefold() in labels else list(words)


def _without_bullet(words: list[str]) -> list[str]:
    if len(words) > 1 and (_BULLET.fullmatch(words[0]) or _LISTED.fullmatch(words[0])):
        return words[1:]
    first = _GLUED_LISTED.sub("", _GLUED_BULLET.sub("", words[0], count=1), count=1)
    return [first, *words[1:]]


def _without_pairs(words: list[str]) -> list[str]:
    text = " ".join(words)
    for _ in range(_MOST_PAIRS):
        closing = _PAIRS.get(text[:1])
        inner = text.rstrip(".,;:!") if closing else text
        if closing is None or len(inner) < 3 or not inner.endswith(closing):
            break
        text = inner[1:-1].strip()
    return text.split() or list(words)


def _without_board_words(words: list[str]) -> list[str]:
    """The words without `board` before a board's number, before or after the command."""
    for place in range(min(2, len(words) - 1)):
        number = board_number(words[place + 1])
        if words[place].lower() in _BOARD_WORDS and number is not None and number >= FIRST_BOARD:
            return [*words[:place], *words[place + 1 :]]
    return words


def _named(words: list[str]) -> str | None:
    """The name of a command or game inside marks: `"move"`, or before its board `Move, 101 c3`."""
    name = words[0].strip(_AROUND_NAMES)
    if name.lower() not in commands() and name.lower() not in games():
        return None
    is_quoted = words[0][:1] in _PAIRS and words[0][-1:] != ","
    leads = words[0].endswith(":") or (len(words) > 1 and board_number(words[1]) is not None)
    is_asked = len(words) > 1 and all(word.strip(_AROUND_NAMES + "!").lower() in COURTESY for word in words[1:])
    return name if is_quoted or leads or is_asked else None


def _without_marks_behind_board(words: list[str]) -> list[str]:
    for place in range(min(3, len(words) - 2)):
        if board_number(words[place]) is not None and _BETWEEN.fullmatch(words[place + 1]):
            return [*words[: place + 1], *words[place + 2 :]]
    return words


def words_with_marks(text: str, marks: str) -> list[str]:
    """The words of a text; punctuation on its own joins the word before.

    >>> words_with_marks("- d4 , or e5 !", "-,!")
    ['d4,', 'or', 'e5!']
    """
    words: list[str] = []
    for word in text.split():
        if word.strip(marks):
            words.append(word)
        elif words:
            words[-1] += word
    return words
