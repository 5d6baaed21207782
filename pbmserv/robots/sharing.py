"""How thinking is shared out, so that each board that waits is answered within a minute.

Boards are answered one after the other by as many thinkers as there are, and those who began them take turns. If
what the levels ask for would take too long, the thoughts about all of them are shortened in the same proportion.
"""

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from typing import Final

ANSWERED_WITHIN: Final = 50.0
"""Seconds that a board is to wait at most: ten less than a minute, since estimates may be wrong."""

CAUGHT_UP_WITHIN: Final = 3.0
"""Seconds in which boards are to be answered that have waited too long already, as after an outage."""

LONGEST: Final = 12.0
"""Seconds that nobody thinks longer about a move, however much time there is."""

FEWEST: Final = 30
"""Iterations that a move gets in any case, unless its level has fewer: so many see what is there to be taken."""


@dataclass(frozen=True, slots=True)
class BoardWait:
    """A board that waits: for how many seconds already, and how many of thinking its level asks for."""

    waited: float
    thinking: float


def share(waits: Iterable[BoardWait], thinkers: int, besides: float) -> float:
    """The part of what its level asks for that each of these boards gets, 0 to 1; they are in order of their turn.

    `besides` are the seconds that each board takes besides thinking.

    >>> share([BoardWait(0, 2), BoardWait(0, 2)], 1, 0.0), share([BoardWait(0, 2)] * 100, 1, 0.0)
    (1.0, 0.25)
    """
    part, asked, spent = 1.0, 0.0, 0.0
    for wait in waits:
        asked += min(wait.thinking, LONGEST)
        spent += besides
        left = max(ANSWERED_WITHIN - wait.waited, CAUGHT_UP_WITHIN) * thinkers - spent
        if asked > 0:
            part = min(part, left / asked)
    return max(part, 0.0)


def iterations_within(iterations: int, each: float, part: float) -> int:
    """How many of a level's iterations a move gets, if each takes so many seconds.

    >>> iterations_within(1000, 0.001, 1.0), iterations_within(1000, 0.001, 0.2), iterations_within(1000, 0.1, 1.0)
    (1000, 200, 120)
    """
    longest = iterations if each <= 0 else LONGEST / each
    return min(iterations, max(FEWEST, round(min(iterations, longest) * part)))


class Turns:
    """Whose turn it is: all who wait have the same share of one thinker's time, however many boards they have.

    Each has a moment at which the last thought of theirs would have ended, had they always had their share; whose
    next thought would end first is next (weighted fair queueing). So a short thought does not wait for long ones,
    and nobody waits for ever. Who has not waited is owed nothing. For one thread.

    >>> turns = Turns()
    >>> turns.are_waiting({"alice", "bob"})
    >>> turns.took("alice", 12.0)
    >>> turns.are_waiting({"alice", "bob", "carol"})
    >>> [turns.begins(who) for who in ("alice", "bob", "carol")]
    [12.0, 0.0, 6.0]
    """

    def __init__(self) -> None:
        self._now = 0.0
        self._ends: dict[Hashable, float] = {}
        self._count = 1

    def are_waiting(self, everybody: Collection[Hashable]) -> None:
        """These wait now, and nobody else."""
        known = {who: end for who, end in self._ends.items() if who in everybody or end > self._now}
        self._ends = dict.fromkeys(everybody, self._now) | known
        self._count = max(len(everybody), 1)

    def begins(self, who: Hashable) -> float:
        """When the next thought would begin of one who waits."""
        return self._ends.get(who, self._now)

    def took(self, who: Hashable, seconds: float) -> None:
        """A thought took so many seconds of one who waits."""
        self._ends[who] = self.begins(who) + seconds
        self._now += seconds / self._count
