"""Which programs are players here, what they are called, and which of them plays for whom.

The rungs of the ladder (`robots.levels`) are players each, and so is one that plays as the rung that fits its
opponent (`fitting_rung`). What such a player is called in the database is its program.

How strong a player is, is estimated from their last games against rungs: the most likely strength (E. Zermelo's
model of 1929, which Elo's numbers follow), with a prior, so that a first game decides nothing alone. Late games
count more than early ones, since people learn.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from math import log, log10
from typing import Any, Final

from pbmserv.games.game import Game
from pbmserv.robots.levels import RUNGS, Level, level_of, rungs_of

MOST_RESULTS: Final = 12
"""The most games that count, the latest."""

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
    """The score of somebody who is `ahead` Elo stronger."""
    return float(1 / (1 + 10 ** (-ahead / 400)))


def _first(strengths: Mapping[str, int]) -> int:
    """The strength of the rung that is met first."""
    return strengths.get(_BEGINS_AT, next(iter(strengths.values())))


FIRST: Final = "robot"
"""The userid of the robot that people see first; those of all others begin so too."""

FITTING: Final = "fitting"
"""The program of that robot: it plays as the rung that fits its opponent."""

RANDOM: Final = "random"
"""The program that plays any legal move."""

PROGRAMS: Final = (FITTING, *RUNGS, RANDOM)
"""Of the robots that are players on every server, the one that people see first at the head."""

_PLAYS_AS: Final = {"search": "club"}
"""Programs of earlier versions, whose accounts go on playing, and the rungs that took their place."""


def userid_of(program: str) -> str:
    """What the robot of a program is called as a player.

    >>> userid_of("fitting"), userid_of("random")
    ('robot', 'robot.random')
    """
    return next(userids(program))


def userids(program: str) -> Iterator[str]:
    """The userids for a robot, best first: before they were kept for robots a person may have taken one."""
    first = [FIRST] if program == FITTING else []
    return chain([*first, f"{FIRST}.{program}"], (f"{FIRST}.{program}{number}" for number in count(2)))


def does_play(program: str, game: Game, position: Any) -> bool:
    """Whether the robot of a program can be given a seat where a game begins with this position."""
    return program not in RUNGS or program in rungs_of(game, position)


def rung_of(program: str, noted: str | None = None) -> str | None:
    """The rung that a robot plays as: always the same one, or what was `noted` for a board; None: neither.

    >>> rung_of("strong"), rung_of("search"), rung_of("fitting"), rung_of("fitting", "novice")
    ('strong', 'club', None, 'novice')
    """
    return program if program in RUNGS else _PLAYS_AS.get(program, noted)


def level_at(program: str, noted: str | None, game: Game, position: Any) -> Level | None:
    """The level at which a robot plays on a board, given the rung that was `noted` there, if one was.

    Where that rung does not play this game, the nearest one below it stands in, so that no board stands still
    which was begun when it did. None where the program is not known.
    """
    rung = rung_of(program, noted)
    return level_of(program if rung is None else _stands_in(rung, game, position), game, position)


def _stands_in(rung: str, game: Game, position: Any) -> str:
    there = rungs_of(game, position)
    below = [each for each in RUNGS[: RUNGS.index(rung) + 1] if each in there]
    return below[-1] if below else there[0]
