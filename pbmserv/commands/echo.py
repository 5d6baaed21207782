"""Makes a command line safe to repeat or store: blots out words that were not understood.

People type their password where none belongs: `games alice sesame`. Any word outside the command language could be
one, so it is neither repeated in an answer, which passes through other hands, nor stored.
"""

import re
from functools import cache
from typing import Final

from pbmserv.commands.command import BLOT, commands
from pbmserv.commands.help import subjects
from pbmserv.commands.lookup import PAGE
from pbmserv.commands.new_game import RATED, UNRATED
from pbmserv.commands.set import WEEKDAYS
from pbmserv.commands.time_options import TIME_OPTIONS
from pbmserv.commands.typed_moves import any_spelling, is_move_like
from pbmserv.commands.vocabulary import COURTESY, FILTERS, SETTINGS
from pbmserv.games import games

_SETTING_VALUES: Final = ("on", "off", "all", "turns", "known", "daily", "weekly", "weekdays")
_QUEUE_WORDS: Final = ("if", "then", "else", "and")
_AROUND: Final = "\"'`*_()[]{}<>\u00ab\u00bb,;:!.-"
_NUMBER: Final = re.compile(r"#?[0-9]{1,9}(?:#[0-9]{0,4})?", re.ASCII)
_MOMENT: Final = re.compile(r"[0-9]{1,2}[:.h][0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}", re.ASCII)


_SHORTEST: Final = 4
"""Shorter words cannot be passwords."""


def echo_words(text: str) -> str:
    """Words typed where no userid belongs, made safe to repeat."""
    return " ".join(echo_word(word, frozenset()) for word in text.split(" "))


def echo_word(word: str, allowed: frozenset[str]) -> str:
    if len(word) < _SHORTEST or word == BLOT:
        return word
    plain = word.strip(_AROUND).lower()
    name, sign, value = plain.partition("=")
    if sign and name in _vocabulary():
        is_plain = all(_is_value(each) for each in value.split("x"))
        return word if is_plain else word[: word.index("=") + 1] + BLOT
    if plain.partition("#")[0] in _vocabulary() or {plain, word.lower()} & allowed or _NUMBER.fullmatch(plain):
        return word
    return word if _MOMENT.fullmatch(plain) or is_move_like([word], any_spelling()) else BLOT


def _is_value(word: str) -> bool:
    return word in _vocabulary() or re.fullmatch(r"[0-9.]{1,9}", word, re.ASCII) is not None


@cache
def _vocabulary() -> frozenset[str]:
    options = (option for game in games().values() for option in game.info.options)
    choices = (choice for option in options for choice in (option.name, *option.choices))
    sentences = (*commands(), *games(), *subjects(), *FILTERS, *SETTINGS, *COURTESY)
    known = (*sentences, *choices, RATED, UNRATED, *TIME_OPTIONS, PAGE, "none", "pass", "solution")
    every = (*known, *_SETTING_VALUES, *WEEKDAYS, *(day[:3] for day in WEEKDAYS), *_QUEUE_WORDS)
    return frozenset(part for each in every for part in each.lower().split())
