"""The way through a game on the page of a board: its plies, and the list of its moves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from pbmserv.commands.analyse import Course, TurnTold, course_of
from pbmserv.commands.vocabulary import is_number
from pbmserv.matches.evaluations import Evaluation, tells
from pbmserv.matches.replay import GameState
from pbmserv.matches.state import State, Turn, rounds
from pbmserv.rendering.svg.plot import draw_chances

MOST_LISTED: Final = 300
"""Turns in the list of moves: a page of the longest games would else be too heavy."""

Round = tuple[Turn | None, ...]
"""One turn of each seat, None where it has none in the round."""


@dataclass(frozen=True, slots=True)
class CourseDrawn:
    """How a finished game went: the curve of somebody's chances, and what it shows in words."""

    course: Course
    curve: Markup
    turn: TurnTold | None
    """What is said of the move that is shown, if the game turned there."""


@dataclass(frozen=True, slots=True)
class Replay:
    """Where one stands in a game of `plies`: after `shown`, or at the present, which may be later than the last.

    `first`, `back`, `forward` and `last` are addresses, empty where there is nothing to go to. `rounds` are the
    moves around, `is_whole` whether they are all.
    """

    path: str
    plies: int
    shown: int
    is_present: bool
    rounds: tuple[Round, ...]
    is_whole: bool
    course: CourseDrawn | None = None
    """How it went, once it is over and was thought about."""

    def at(self, ply: int) -> str:
        """The address of the board after a ply."""
        return f"{self.path}?ply={ply}#position"

    @property
    def first(self) -> str:
        """Of the start."""
        return self.at(0) if self.shown else ""

    @property
    def back(self) -> str:
        """Of one ply earlier."""
        return self.at(self.shown - 1) if self.shown else ""

    @property
    def forward(self) -> str:
        """Of one ply later; the last of them is the present."""
        if self.shown + 1 < self.plies:
            return self.at(self.shown + 1)
        return self.last

    @property
    def last(self) -> str:
        """Of the present."""
        return "" if self.is_present else f"{self.path}#position"


def course_drawn(
    board: GameState, known: Sequence[Evaluation], reader: str | None, shown: int
) -> CourseDrawn | None:
    """The course of a game, in which the ply `shown` is looked at; None if it goes on, or too little is known."""
    if not tells(known, board):
        return None
    course = course_of(board, known, reader)
    turn = next((each for each in course.turns if each.ply == shown), None)
    return CourseDrawn(course, draw_chances(course.chances, course.plies, shown), turn)


def read_ply(text: str, plies: int) -> int | None:
    """The ply that an address asks for; None when the game has no such ply."""
    return int(text) if is_number(text) and int(text) <= plies else None


def replay_of(state: State, seats: int, ply: int | None, path: str) -> Replay:
    """The way through a game that stands so; `ply` is shown, or the present."""
    shown = state.plies if ply is None else ply
    listed = _around(state.turns, shown)
    return Replay(path, state.plies, shown, ply is None, _rounds(listed, seats), len(listed) == len(state.turns))


def _around(turns: Sequence[Turn], shown: int) -> Sequence[Turn]:
    """At most `MOST_LISTED` turns, the shown one in their middle if there are more on both sides."""
    place = next((place for place, turn in enumerate(turns) if turn.ply == shown), 0)
    start = max(0, min(place - MOST_LISTED // 2, len(turns) - MOST_LISTED))
    return turns[start : start + MOST_LISTED]


def _rounds(turns: Sequence[Turn], seats: int) -> tuple[Round, ...]:
    return tuple(tuple(each.get(seat) for seat in range(seats)) for each in rounds(turns))
