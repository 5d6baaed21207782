"""The people of the simulated club: how soon each answers, how well each plays, what else they do."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from typing import Any, Literal

from pbmserv.games.game import Game, Seat
from tests.soak.year.letter_box import Arrived

Habit = Literal[
    "prompt", "busy", "slow", "late", "silent", "holiday", "mistaken", "leaving", "digest", "planner", "bouncing"
]

HABITS: Sequence[tuple[Habit, int]] = (
    ("prompt", 16),
    ("busy", 12),
    ("slow", 6),
    ("late", 5),
    ("silent", 5),
    ("holiday", 5),
    ("mistaken", 5),
    ("leaving", 2),
    ("digest", 4),
    ("planner", 4),
    ("bouncing", 2),
)
"""How many of sixty have which habit."""

MOST_LOOKED_AT = 10

_HOURS: dict[Habit, tuple[float, float]] = {
    "prompt": (1, 16),
    "busy": (6, 80),
    "slow": (48, 160),
    "late": (12 * 24, 22 * 24),
    "silent": (4, 60),
    "holiday": (4, 60),
    "mistaken": (2, 40),
    "leaving": (2, 40),
    "digest": (0.2, 3),
    "planner": (2, 30),
    "bouncing": (4, 60),
}


@dataclass
class Person:
    """Somebody with an address. `skill` is the share of plies at which they look two plies ahead.

    Until `back_at` they do not look at their mail. `last` is the newest mail that they have.
    """

    userid: str
    habit: Habit
    skill: float
    chance: Random
    is_confirmed: bool = False
    is_silent: bool = False
    is_gone: bool = False
    back_at: datetime = datetime(2000, 1, 1, tzinfo=UTC)
    last: Arrived | None = None

    @property
    def address(self) -> str:
        """Where their mail goes."""
        return f"{self.userid}@players.example"

    def hours_to_answer(self) -> float:
        """How long a board lies before them. Late ones wait for reminders now and then, or for too long."""
        least, most = _HOURS[self.habit]
        if self.habit == "late" and self.chance.random() < 0.85:
            least, most = 10, 60
        return self.chance.uniform(least, most)

    def choose(self, game: Game, position: Any, seat: Seat) -> str:
        """A move, in lower case as people type."""
        legal = list(game.moves(position))
        if self.chance.random() < self.skill:
            looked_at = self.chance.sample(legal, min(len(legal), MOST_LOOKED_AT))
            return game.write(
                position, max(looked_at, key=lambda move: _worth(game, position, move, seat))
            ).lower()
        return game.write(position, self.chance.choice(legal)).lower()


def _worth(game: Game, position: Any, move: Any, seat: Seat) -> int:
    """The lead that a move leaves when the next player answers it best."""
    after, _ = game.play(position, move)
    now = _lead(game, after, seat)
    answers = list(game.moves(after))[:MOST_LOOKED_AT]
    return min((_lead(game, game.play(after, answer)[0], seat) for answer in answers), default=now)


def _lead(game: Game, position: Any, seat: Seat) -> int:
    scores = game.scene(position).scores
    return 2 * scores[seat] - sum(scores)


def crowd(count: int, chance: Random) -> list[Person]:
    """So many people in the proportions of HABITS, everybody of another skill."""
    habits = [habit for habit, number in HABITS for _ in range(number)]
    wanted = [habits[index * len(habits) // count] for index in range(count)]
    return [
        Person(f"p{index:02}{habit}"[:20], habit, chance.random(), Random(chance.random()))
        for index, habit in enumerate(wanted)
    ]
