"""Finds phrases that take back a whole mail, or deny one move: `scratch that`, `anything but d4`."""

import re
from collections.abc import Sequence
from typing import Final

from pbmserv.commands.vocabulary import COURTESY, SMALL_WORDS
from pbmserv.parser.words import listed, normalised, phrase_at, phrases

_MOST_SEARCHED: Final = 4000
_LONGEST_WITHDRAWAL: Final = 12
_CLAUSE_END: Final = re.compile(r"[.,;:!?()\u2026\u3001\u3002]+|\s-+\s|\s-+$")
_ASKED: Final = re.compile(r"^[ \t]*\?+[ \t]*$", re.MULTILINE)
_MARKS: Final = "\"'`*_~[]{}<>\u00ab\u00bb/-"


def is_withdrawn(text: str) -> bool:
    """Whether words below a move, or next to it, take it back or postpone it.

    >>> [is_withdrawn(text) for text in ("Actually never mind, I'll write tomorrow", "No, wait...", "Moment noch")]
    [True, True, True]
    >>> [is_withdrawn(text) for text in ("Never mind my slow reply", "Wait and see!", "Don't worry")]
    [False, False, False]
    """
    return (
        is_held(text)
        or _ASKED.search(text[:_MOST_SEARCHED]) is not None
        or any(_takes_back(clause) for clause in _clauses(text))
    )


def is_held(text: str) -> bool:
    """Whether words say not to play the move above or below them.

    >>> [is_held(text) for text in ("Please don't play this yet", "noch nicht spielen!", "Don't wait", "Hold on")]
    [True, True, False, False]
    """
    return any(_holds([word.lower() for word in clause], "holding") for clause in _clauses(text))


def denies(words: Sequence[str], nearest: int | None = None, is_behind: bool = False) -> bool:
    """Whether words before or behind a move deny it; with `nearest`, only that many words right before it count.

    >>> [denies(words.split()) for words in ("anything but", "I would never play", "but", "nothing but")]
    [True, True, False, False]
    """
    plain = [word.strip(_MARKS).lower() for word in words]
    near = plain if nearest is None else plain[-nearest:]
    return _holds(near, "denying") or (is_behind and _holds(near, "denying_behind"))


def _takes_back(clause: Sequence[str]) -> bool:
    """Whether a clause takes back, and says nothing else but what may stand beside that, or a name at its end.

    Beside a phrase of several words any small word may stand, but for one that denies it: `I can't forget it`.
    """
    if len(clause) > _LONGEST_WITHDRAWAL:
        return False
    plain = [word.lower() for word in clause]
    place, longest, length, rest = 0, 0, 0, list[str]()
    while place < len(plain):
        is_name = length > 0 and place + 1 == len(plain) and clause[place][:1].isupper()
        length = phrase_at(plain, place, phrases("withdrawing"))
        if not length and not is_name and plain[place] not in COURTESY | listed("beside_withdrawing"):
            rest.append(plain[place])
        longest = max(longest, length)
        place += length or 1
    return longest > 0 and (
        not rest or (longest > 1 and SMALL_WORDS.issuperset(rest) and listed("negations").isdisjoint(rest))
    )


def _holds(words: Sequence[str], name: str) -> bool:
    return any(phrase_at(words, place, phrases(name)) for place in range(len(words)))


def _clauses(text: str) -> list[list[str]]:
    lines = (normalised(line) for line in text[:_MOST_SEARCHED].split("\n"))
    clauses = (clause.split() for line in lines for clause in _CLAUSE_END.split(line))
    return [[word.strip(_MARKS) for word in clause] for clause in clauses if clause]
