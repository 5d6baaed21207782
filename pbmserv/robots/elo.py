"""How much stronger one player is than another, from their games: Elo differences, with errors.

A difference of d Elo means an expected score of 1 / (1 + 10 ** (-d / 400)) (A. Elo, "The Rating of Chessplayers",
1978).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

_SCALE: Final = 400 / math.log(10)
"""Elo for each unit of the logarithm of the odds."""

_SURE: Final = 1.96
"""Standard errors to each side that hold 95 in 100 cases."""

_ADDED: Final = 0.5
"""Games that each side is taken to have won besides, so that no difference is infinite."""

_IN_A_PAIR: Final = 2


@dataclass(frozen=True, slots=True)
class EloDifference:
    """How much stronger the first player is."""

    elo: float
    error: float
    """The difference lies within this much of `elo` in 95 cases of 100."""
    is_bound: bool = False
    """Whether one side has won everything, so that the difference may well be larger."""


def difference_of(pairs: Sequence[float]) -> EloDifference:
    """The difference that the results of pairs of games tell.

    Each pair is what the first player got of two points, 0 to 2, in two games that began alike with sides swapped;
    such games are not independent of one another, so a pair is one observation. Each side is given half a win more
    (J. Haldane 1956, F. Anscombe 1956): that takes the bias out of the logarithm of the odds and keeps it finite
    where one side has won everything. Raises ValueError for no pairs.

    >>> difference_of([1.0] * 50).elo, round(difference_of([1.5] * 50).elo)
    (0.0, 189)
    """
    if not pairs:
        raise ValueError("no games were played")
    games = _IN_A_PAIR * len(pairs) + 2 * _ADDED
    score = (sum(pairs) + _ADDED) / games
    spread = sum((points - _IN_A_PAIR * score) ** 2 for points in pairs)
    # Of few observations the spread about their own mean is too small; of one it says nothing.
    spread *= len(pairs) / (len(pairs) - 1) if len(pairs) > 1 else 1
    spread += _ADDED * ((1 - score) ** 2 + score**2)
    error = math.sqrt(spread) / games / (score * (1 - score))
    is_bound = sum(pairs) in (0, _IN_A_PAIR * len(pairs))
    return EloDifference(_SCALE * math.log(score / (1 - score)), _SURE * _SCALE * error, is_bound)


def expected_score(elo: float) -> float:
    """What a player who is stronger by so much gets of one point, on average.

    >>> round(expected_score(200), 2), expected_score(0)
    (0.76, 0.5)
    """
    return 1 / (1 + 10 ** (-elo / 400))


def chained(differences: Iterable[EloDifference]) -> list[EloDifference]:
    """The strength of each rung above the first one: each is so much above the one before it.

    Errors of independent series add up as squares; a sum that has a bound in it is one.

    >>> [(each.elo, each.error) for each in chained([EloDifference(200, 30), EloDifference(300, 40)])]
    [(0.0, 0.0), (200.0, 30.0), (500.0, 50.0)]
    """
    rungs = [EloDifference(0.0, 0.0)]
    for step in differences:
        last = rungs[-1]
        rungs.append(
            EloDifference(last.elo + step.elo, math.hypot(last.error, step.error), last.is_bound or step.is_bound)
        )
    return rungs
