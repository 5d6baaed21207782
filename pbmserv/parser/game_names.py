"""Games' names at the beginning of a line, before a command or in prose.

Some are everyday words or players' names, so a name opens a command only if a command, an option or a board
follows.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Final

from pbmserv.commands.command import Command, commands
from pbmserv.commands.lookup import UnknownGame
from pbmserv.commands.typed_moves import any_spelling, clear_move, is_move_like
from pbmserv.commands.vocabulary import COURTESY, SMALL_WORDS, close_to, is_userid
from pbmserv.games import games
from pbmserv.parser.fitting import fit_any
from pbmserv.parser.prose import ADDRESSED, ANSWERING, PROSY, is_sentence, is_witness
from pbmserv.parser.words import FIRST_BOARD, board_number, plain_word

_LONGEST: Final = 6
"""Words that a name may be written in: `five or pairs`."""

_FEWEST_WITH_PASSWORD: Final = 2
_CLOSE: Final = 0.75
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9'-]*", re.ASCII | re.IGNORECASE)
_BETWEEN: Final = re.compile(r"[^a-z0-9]")
_OPTION: Final = re.compile(r"-+[a-z]+(?:=\S*)?", re.ASCII | re.IGNORECASE)
_EXCLAIMED: Final = re.compile(r"[^\W\d_][!?]+$")
_EVERYDAY: Final = PROSY | ANSWERING | ADDRESSED | {"help", "next"}
"""Commands without a game that are everyday words: `Go help Bob`."""

_PRAISE: Final = frozenset(
    {"bad", "beautiful", "best", "clever", "fine", "good", "great", "lovely", "nice", "strong"}
)
"""Praise that is not a game's name before a command: `Good move d4`."""

_WITH_MOVE: Final = frozenset({"move", "submit"})


def opened_by_game(words: Sequence[str]) -> tuple[str, list[str]] | None:
    """The game that a line begins with, and the words after its name, which may be split or written as a title.

    >>> opened_by_game(["Cephalopod", "games"]), opened_by_game(["Cephalopods"])
    (('cephalopod', ['games']), None)
    >>> opened_by_game(["cephalo", "pod"])
    ('cephalopod', [])
    """
    for count in range(min(_LONGEST, len(words)), 0, -1):
        if all(map(_NAME.fullmatch, words[:count])) and (name := _spelled().get(_plain(words[:count]))):
            return name, [*words[count:]]
    return None


def opening_words() -> frozenset[str]:
    """The first words, in lower case, of all lines that begin with a game's name."""
    return frozenset(_openings(tuple(games())))


def options_last(words: list[str]) -> list[str]:
    """The words with options that stand before a command behind it: `-size=13 challenge anna bob`."""
    count = next((place for place, word in enumerate(words) if not _OPTION.fullmatch(word)), len(words))
    is_led = count < len(words) and words[count].lower() in commands()
    return [*words[count:], *words[:count]] if is_led else words


def is_of_game(words: Sequence[str]) -> bool:
    """Whether words after a game's name begin with an option, or end with a board or a move, and are not prose.

    A misspelled command or board may be followed by a password.
    """
    if _OPTION.fullmatch(words[0]) and len(words) > 1:
        return _is_without_prose(words[1:])
    is_word = len(words) > _FEWEST_WITH_PASSWORD and words[-1].lower() in any_spelling().alone
    return _is_without_prose(words) and (is_word or is_witness(words[-1]))


def is_board_of_game(words: Sequence[str]) -> bool:
    """Whether words behind a game's name begin with a board's number: `Go 7 times`, `Go 101 or so` do not."""
    number = board_number(words[0])
    if number is None or (number < FIRST_BOARD and not is_witness(words[-1])):
        return False
    return _is_without_prose(words[1:]) or is_move_like(words[1:], any_spelling())


def is_talk_of_game(command: Command, after: Sequence[str], answered_board: int | None) -> bool:
    """Whether a game's name and a command's begin a sentence: `Go move on`, `Hex games are fun`."""
    if any(map(is_witness, after)):
        return False
    if is_sentence(command.name, command.kind, after, answered_board) or not _is_without_prose(after):
        return True
    if not any("[game]" in form for form in command.forms):
        return command.name in ANSWERING or (command.name in _EVERYDAY and bool(after))
    if command.name in _WITH_MOVE and 0 < len(after) <= _FEWEST_WITH_PASSWORD:
        return not any(clear_move(word, any_spelling()) for word in after)
    return bool(after) and _EXCLAIMED.search(after[-1]) is not None


def unknown_game(words: list[str], answered_board: int | None) -> UnknownGame | None:
    """The error for an unknown game's name before an unmistakable command."""
    for count in range(1, min(_LONGEST, len(words) - 1) + 1):
        command = commands().get(words[count].lower())
        if command is None or not command.forms[0].startswith("[game]"):
            continue
        name, after = _plain(words[:count]), words[count + 1 :]
        close = tuple(dict.fromkeys(_spelled()[each] for each in close_to(name, _spelled(), _CLOSE)))
        is_name = count == 1 and is_userid(words[0]) and words[0].lower() not in SMALL_WORDS | _PRAISE
        is_meant = command.name == "challenge" or any(map(is_witness, after))
        is_sure = bool(after) and _is_without_prose(after) and not _EXCLAIMED.search(after[-1])
        if is_sure and (close or (is_name and is_meant)) and fit_any(command, after, answered_board):
            return UnknownGame(suggestions=close)
    return None


def _is_without_prose(words: Sequence[str]) -> bool:
    # In capitals stand the places that an example leaves to be filled: `challenge YOU SOMEBODY`.
    plain = {plain_word(word) for word in words if not (len(word) > 1 and word.isupper())}
    return plain.isdisjoint(SMALL_WORDS | COURTESY)


def _spelled() -> Mapping[str, str]:
    return _spelled_of(tuple(games()))


@cache
def _spelled_of(named: tuple[str, ...]) -> Mapping[str, str]:
    """The games' names by name and by title, letters and digits only."""
    titled = {_plain([games()[name].info.title]): name for name in named}
    return MappingProxyType(titled | {_plain([name]): name for name in named})


@cache
def _openings(named: tuple[str, ...]) -> tuple[str, ...]:
    titles = (games()[name].info.title.lower() for name in named)
    split = (name.partition("-")[0] for name in named)
    return tuple(
        {*named, *split, *(title.split()[0] for title in titles), *map(_plain, ([name] for name in named))}
    )


def _plain(words: Sequence[str]) -> str:
    return _BETWEEN.sub("", "".join(words).lower())
