"""Which games the quick run looks at where a test is about every game.

With half a hundred games the tests of all of them take too long to wait for. What they find in one game of a kind
they mostly find in the next, so the quick run takes one of each kind, and the slow run the others. Tests of one
game's own rules are not concerned: they are in a file of its own.
"""

import re
from typing import Final

from pbmserv.games import games

QUICK: Final = frozenset(
    {
        "amazons",  # three steps a move, thousands of moves
        "cephalopod",  # dice, options, many seats
        "checkers",  # jumps, another notation
        "chess",  # kinds of pieces, promotions, the notation of books
        "connect6",  # two cells in any order, a large board
        "dots-and-boxes",  # edges that are cells
        "go",  # points, pass, scores, a board too large for mail
        "havannah",  # a hexagon
        "hex",  # a rhombus, swap
        "lasca",  # columns of pieces
        "minishogi",  # hands and drops
        "morris",  # a drawn board
        "oware",  # pits
        "wall-race",  # walls, two to four seats
    }
)

_OTHERS: Final = re.compile(
    rf"(?<![a-z0-9])(?:{'|'.join(sorted(games().keys() - QUICK, key=len, reverse=True))})(?![a-z0-9])"
)


def is_of_another_game(case: str) -> bool:
    """Whether a case of a test, by its id, is about a game that the quick run leaves to the slow one.

    >>> is_of_another_game("game_lines_of_action"), is_of_another_game("game_hex"), is_of_another_game("ask-chess")
    (True, False, False)
    """
    return _OTHERS.search(case.replace("_", "-")) is not None
