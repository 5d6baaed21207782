"""Which rung of the ladder fits a player: the one against whom they would score a little more than half.

How strong a player is, is estimated from their last games against rungs: the most likely strength (E. Zermelo's
model of 1929, which Elo's numbers follow), with a prior, so that a first game decides nothing alone. Late games
count more than early ones, since people learn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, log10
from typing import Final

MOST_RESULTS: Final = 12
"""So many games, the last ones, are looked at."""

_BEGINS_AT: Final = "novice"
"""The rung that somebody of whom nothing is known meets first; or the nearest one below."""

_WISHED: Final = 0.55
"""What the player is to score against the rung."""

_EASE: Final = 400 * log10(_WISHED / (1 - _WISHED))
"""By how many Elo the player is then the stronger one."""

_SPREAD: Final = 800.0
"""Standard deviation of what is supposed of somebody unknown, in Elo."""

_FADES: Final = 0.9
"""What a game counts, compared with the next later one."""

_SLOPE: Final = log(10) / 400
_STEPS: Final = 60
_FURTHEST: Final = 4000.0

_AVERAGE: Final = 1500
_ELO_A_POINT: Final = 0.6
"""Our ratings have some 290 points for each factor e in the odds, Elo's numbers 174 (`matches.ratings`)."""


@dataclass(frozen=True, slots=True)
class Result:
    """A finished game of a player against a rung."""

    rung: str
    score: float
    """1 if the player was ahead of it in the end, 0 if behind, 0.5 if level."""


def fitting_rung(strengths: Mapping[str, int], results: Sequence[Result], points: int | None = None) -> str:
    """The rung that fits a player.

    `strengths` are those of the rungs that play, in Elo, the weakest first; `results` the player's, the latest
    first; `points` their rating among people, if it is established.
    """
    strength = estimated(strengths, results, points)
    return min(strengths, key=lambda rung: abs(strength - strengths[rung] - _EASE))


def estimated(strengths: Mapping[str, int], results: Sequence[Result], points: int | None = None) -> float:
    """The likely strength of a player, in Elo on the scale of the rungs; as for `fitting_rung`."""
    prior = _first(strengths) + _EASE + (0 if points is None else (points - _AVERAGE) * _ELO_A_POINT)
    counted = [each for each in results if each.rung in strengths][:MOST_RESULTS]
    low, high = prior - _FURTHEST, prior + _FURTHEST
    for _ in range(_STEPS):
        middle = (low + high) / 2
        pull = sum(
            _FADES**age * (each.score - _expected(middle - strengths[each.rung]))
            for age, each in enumerate(counted)
        )
        if _SLOPE * pull > (middle - prior) / _SPREAD**2:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _expected(ahead: float) -> float:
    """The score of somebody who is so many Elo stronger."""
    return float(1 / (1 + 10 ** (-ahead / 400)))


def _first(strengths: Mapping[str, int]) -> int:
    """The strength of the rung that is met first."""
    return strengths.get(_BEGINS_AT, next(iter(strengths.values())))
