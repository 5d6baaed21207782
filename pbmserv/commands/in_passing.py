"""A move that is named among other words, in an answer that holds no command: `I play b2`, `b2 - good luck!`.

It is never played, for who writes so may speak of any move; but it can be offered ready to send.
"""

from collections.abc import Iterator

from pbmserv.commands.words import normalised
from pbmserv.games.squares import split_squares

_MOST_LINES = 20
_LONGEST_LINE = 1000
_LONGEST_MOVE = 40
_AROUND = "\"'`*_~()[]{}<>\u00ab\u00bb.,;:!?-"


def move_in_passing(text: str) -> str:
    """The one move that the first lines of a text name, as written; empty when they name none, or several.

    >>> [move_in_passing(text) for text in ("Hi, b2", "My move: B2!", "b2 (or not b2)", "b2 or c3?", "Hello")]
    ['b2', 'B2', 'b2', '', '']
    """
    found: dict[str, str] = {}
    for word in _first_words(text):
        move = word.strip(_AROUND)
        if len(move) <= _LONGEST_MOVE and split_squares(move):
            found.setdefault(move.lower(), move)
    return next(iter(found.values())) if len(found) == 1 else ""


def _first_words(text: str) -> Iterator[str]:
    lines = [line for line in text.split("\n") if line.strip()]
    for line in lines[:_MOST_LINES]:
        yield from normalised(line[:_LONGEST_LINE]).split()
