"""Which programs are players here, what they are called, and which of them plays for whom.

The rungs of the ladder (`robots.levels`) are players each, and so is one that plays as the rung that fits its
opponent (`robots.fitting`). What such a player is called in the database is its program.
"""

from collections.abc import Iterator
from itertools import chain, count
from typing import Any, Final

from pbmserv.games.game import Game
from pbmserv.robots.levels import RUNGS, Level, level_of, rungs_of

FIRST: Final = "robot"
"""The userid of the robot that people are told of first; those of all others begin so too."""

FITTING: Final = "fitting"
"""The program of that robot: it plays as the rung that fits its opponent."""

RANDOM: Final = "random"
"""The program that plays any legal move."""

PROGRAMS: Final = (FITTING, *RUNGS, RANDOM)
"""Of the robots that are players on every server, the one that is told of first at the head."""

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
