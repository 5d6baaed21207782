"""What a command line looks like when it is told again, or kept: words that nobody understood are blotted.

People type their password where there is no place for it: `games alice sesame`. Whatever is no word of the
language could be one, so that it is neither repeated in an answer, which goes through other hands, nor kept.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from pbmserv.commands.library import commands
from pbmserv.commands.line import BLOT
from pbmserv.commands.message import Parsed, Unparsed
from pbmserv.commands.pages import PAGE
from pbmserv.commands.refusals.common import UnknownGame
from pbmserv.commands.schedule import WEEKDAYS
from pbmserv.commands.small_words import COURTESY
from pbmserv.commands.starting import UNRATED
from pbmserv.commands.time_options import TIME_OPTIONS
from pbmserv.commands.verbs.help import subjects
from pbmserv.commands.words import FILTERS, SETTINGS, is_address, is_move_like, is_userid
from pbmserv.games.library import games

_SETTING_VALUES: Final = ("on", "off", "known", "daily", "weekly", "weekdays")
_QUEUE_WORDS: Final = ("if", "then", "else", "and")
_AROUND: Final = "\"'`*_()[]{}<>\u00ab\u00bb,;:!.-"
_NUMBER: Final = re.compile(r"#?[0-9]{1,9}(?:#[0-9]{0,4})?", re.ASCII)
_MOMENT: Final = re.compile(r"[0-9]{1,2}[:.h][0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}", re.ASCII)
_MOST_NAMED: Final = 200

_SHORTEST: Final = 4
"""What is shorter is nobody's password."""


def named_userids(lines: Iterable[Parsed | Unparsed]) -> frozenset[str]:
    """Words in lower case that stand in a userid's place, and may be one."""
    parsed = [line for line in lines if isinstance(line, Parsed)]
    claimed = [line.claim.userid for line in parsed if line.claim]
    named = (*(userid for line in parsed for userid in line.arguments.userids), *claimed)
    return frozenset([userid.lower() for userid in named if is_userid(userid)][:_MOST_NAMED])


def echoed(line: Parsed | Unparsed, known: frozenset[str]) -> str:
    """The line as it may be told again; `known` are userids, in lower case, that somebody has."""
    if isinstance(line, Unparsed):
        return BLOT if isinstance(line.refused, UnknownGame) and line.line.endswith("...") else line.line
    said = line.arguments
    # A name that is only wanted stands where names do; the name before a password may be a password itself.
    own = said.userids[:1] if line.new_password else ()
    address = (said.address,) if is_address(said.address) else ()
    allowed = known | {each.lower() for each in (*own, *address)}
    return " ".join(_echoed(word, allowed) for word in line.line.split(" "))


def echoed_words(text: str) -> str:
    """Words that were typed where no userid belongs, as they may be told again."""
    return " ".join(_echoed(word, frozenset()) for word in text.split(" "))


def _echoed(word: str, allowed: frozenset[str]) -> str:
    if len(word) < _SHORTEST or word == BLOT:
        return word
    plain = word.strip(_AROUND).lower()
    name, sign, value = plain.partition("=")
    if sign and name in _vocabulary():
        is_plain = all(_is_value(each) for each in value.split("x"))
        return word if is_plain else word[: word.index("=") + 1] + BLOT
    if plain.partition("#")[0] in _vocabulary() or {plain, word.lower()} & allowed or _NUMBER.fullmatch(plain):
        return word
    return word if _MOMENT.fullmatch(plain) or is_move_like([word]) else BLOT


def _is_value(word: str) -> bool:
    return word in _vocabulary() or re.fullmatch(r"[0-9.]{1,9}", word, re.ASCII) is not None


@cache
def _vocabulary() -> frozenset[str]:
    options = (option for game in games().values() for option in game.info.options)
    choices = (choice for option in options for choice in (option.name, *option.choices))
    sentences = (*commands(), *games(), *subjects(), *FILTERS, *SETTINGS, *COURTESY)
    known = (*sentences, *choices, UNRATED, *TIME_OPTIONS, PAGE, "rated", "none", "pass")
    every = (*known, *_SETTING_VALUES, *WEEKDAYS, *(day[:3] for day in WEEKDAYS), *_QUEUE_WORDS)
    return frozenset(part for each in every for part in each.lower().split())
