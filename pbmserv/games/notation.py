"""How moves are read and written, once for all games.

A text names cells and words, one after the other, with any separators, in any case. It means the legal move that
it names whole, or else the only one that begins so, or else the only one that begins and ends so (`c3xg7` of a
jump over several cells).
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from itertools import islice
from typing import Final

from pbmserv.games.board import Board
from pbmserv.games.game import Illegal, Move, Step, Unfinished, Unreadable

ALONE: Final = frozenset({"pass", "swap"})
"""The words that are whole moves, so that they mean something on a line of their own; others go with cells."""

LONGEST: Final = 400
"""Characters of a text that may be a move."""

_MOST_NEAR: Final = 10
_GAP: Final = r"[ ]*(?:[-x=:/+,>;.]+[ ]*)?"  # with one way to match each gap, or long texts would take for ever

_PIECE_OR_COLUMN: Final = re.compile("[A-I](?=[-x:]?[a-i][1-9])")

Finder = Callable[[Move], Iterable[Move]]
"""The legal moves that begin with these steps."""


def read_move(
    text: str, board: Board, moves: Finder, why: Callable[[Move], int], words: tuple[str, ...] = (), off: int = 1
) -> Move:
    """The legal move that a text means.

    `why` gives the number of the rule that forbids a move with these steps, `off` is that of the rule about the
    board, for a cell that it does not have. Raises Unreadable, Illegal, Unfinished.
    """
    steps = split(text, board, words, off)
    begun = list(islice(moves(steps), 2))
    if begun[:1] == [steps] or len(begun) == 1:
        return begun[0]
    if begun:
        return _whole(steps, moves)
    return _by_ends(steps, moves, why)


def in_one_case(text: str) -> str:
    """A move in lower case, but for a capital that names a piece where the small letter names a column.

    >>> [in_one_case(text) for text in ("Bxc3", "bxc3", "BXC3", "Nf3", "B2xC3", "Pass")]
    ['Bxc3', 'bxc3', 'bxc3', 'nf3', 'b2xc3', 'pass']
    """
    return text[0] + text[1:].lower() if _PIECE_OR_COLUMN.match(text) else text.lower()


def split(text: str, board: Board, words: tuple[str, ...] = (), off: int = 1) -> Move:
    """The cells and words that a text names. Raises Unreadable, or Illegal for a cell off the board."""
    named = names(text, words)
    if not named:
        raise Unreadable
    steps: list[Step] = []
    for name in named:
        cell = name if name in words else board.find(name.upper())
        if cell is None:
            raise Illegal(off)
        steps.append(cell)
    return tuple(steps)


def names(text: str, words: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The names of cells and the words in a text, in lower case; empty when there is anything else in it.

    >>> names("c3 x E5=Queen", ("queen",)), names("hello c3"), names("c3e5")
    (('c3', 'e5', 'queen'), (), ('c3', 'e5'))
    """
    if not text.isascii():  # of the letters beyond, the Kelvin sign is a k in lower case
        return ()
    text = text.strip().lower()
    one, whole = _patterns(words)
    return tuple(one.findall(text)) if len(text) <= LONGEST and whole.fullmatch(text) else ()


@cache  # of the few words that games have
def _patterns(words: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A cell or a word, and a whole text of them."""
    one = "|".join((*map(re.escape, sorted(words, key=len, reverse=True)), "[a-z][1-9][0-9]?"))
    return re.compile(one), re.compile(rf"(?:{one})(?:{_GAP}(?:{one}))*")


def _whole(steps: Move, moves: Finder) -> Move:
    """The move that has just these steps, though others go on from them."""
    if steps in moves(steps):
        return steps
    raise Unfinished(steps)


def _by_ends(steps: Move, moves: Finder, why: Callable[[Move], int]) -> Move:
    if len(steps) == 2:
        begun = moves(steps[:1])
        found = [move for move in islice(begun, 1000) if len(move) > 2 and move[-1] == steps[1]]
        if len(found) == 1:
            return found[0]
        if found:
            raise Unfinished(_shared(found))
    raise Illegal(why(steps), _near(steps, moves))


def _shared(found: list[Move]) -> Move:
    """The steps with which all of these moves begin."""
    count = 0
    while all(len(move) > count and move[count] == found[0][count] for move in found):
        count += 1
    return found[0][:count]


def _near(steps: Move, moves: Finder) -> tuple[Move, ...]:
    """Legal moves with as many of the first steps as any has, or else those that end on one of them."""
    for count in range(len(steps) - 1, 0, -1):
        if near := tuple(islice(moves(steps[:count]), _MOST_NEAR)):
            return near
    ends = {step for step in steps if isinstance(step, int)}
    return tuple(islice((move for move in islice(moves(()), 1000) if move[-1] in ends), _MOST_NEAR))


PIT: Final = "[a-l]"
"""The letter of a pit alone, for `Info.dialect`."""


def whole_pit(text: str) -> str:
    """The name of a pit for its letter alone, where all are in row 1; any other text as it is.

    >>> [whole_pit(text) for text in ("c", " C ", "c1", "swap")]
    ['c1', 'C1', 'c1', 'swap']
    """
    letter = text.strip(" ")
    return f"{letter}1" if len(letter) == 1 and letter.isascii() and letter.isalpha() else text


def joined(board: Board, move: Move, between: str = "-") -> str:
    """The names of a move's steps with something between them: `D2-D3`; words as they are."""
    return between.join([step if isinstance(step, str) else board.names[step] for step in move])


def starting(moves: Iterable[Move], begun: Move) -> Iterable[Move]:
    """Those of these moves that begin so: for games with few moves, which list them all."""
    count = len(begun)
    return (move for move in moves if move[:count] == begun) if begun else moves
