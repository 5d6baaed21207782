"""How long one process thinks about each board: what it has learned of its own speed, and the sharing out."""

import socket
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from pbmserv.games import games
from pbmserv.robots.levels import BoardWait, Level, Turns, iterations_within, share
from pbmserv.robots.robot import FITTING, level_at

if TYPE_CHECKING:
    from pbmserv.store.robots import Waiting

_LIKELY: Final = "club"
"""What a robot is supposed to play as whose rung is not chosen yet."""

_PROBE: Final = 8
"""Iterations by which the speed in a game is measured before its first thought."""

_RISES, _FALLS = 0.5, 0.1
"""How much one measurement counts: it is worse to believe a game quicker than it is."""

_GUESSED: Final = 0.02
"""Seconds that an iteration is supposed to take, before any was measured."""

_BESIDES: Final = 0.05
"""Seconds that a move is supposed to take besides thinking, before any was made."""

_UNPROVEN: Final = "unproven"
"""Who has the share of all boards on which no person has moved: they may be opened in any number of names."""

FIRST_REST: Final = timedelta(minutes=1)
LONGEST_REST: Final = timedelta(days=1)
"""How long a board that failed is left alone: at first, and at most."""

Kind = tuple[str, tuple[tuple[str, str], ...], int, str]
"""Games in which an iteration takes about as long: game, options, seats, and what thinks."""


class FailingBoards:
    """Boards that failed recently and are left alone for a while, longer each time they fail. For one thread.

    So one broken board can neither keep a process busy nor fill its log.
    """

    def __init__(self) -> None:
        self._rests: dict[int, tuple[timedelta, datetime]] = {}

    def failed(self, board: int, now: datetime) -> bool:
        """Notes that a board failed; returns whether it had not failed before."""
        rest, _ = self._rests.get(board, (FIRST_REST / 2, now))
        longer = min(rest * 2, LONGEST_REST)
        is_new = board not in self._rests
        self._rests[board] = longer, now + longer
        return is_new

    def rests(self, board: int, now: datetime) -> bool:
        """Whether to leave a board alone."""
        return board in self._rests and now < self._rests[board][1]

    def resting(self, now: datetime) -> tuple[int, ...]:
        """The boards to leave alone."""
        return tuple(board for board in self._rests if self.rests(board, now))

    def mended(self, board: int) -> None:
        """Notes that a board works again."""
        self._rests.pop(board, None)


@dataclass(slots=True)
class ThinkingPlan:
    """The speed of one process, in seconds by `clock`: measured before the first thought, and kept up."""

    clock: Callable[[], float] = time.monotonic
    seconds: dict[Kind, float] = field(default_factory=dict)
    """For one iteration."""
    besides: float = _BESIDES
    """For all that a move takes besides thinking."""
    failing: FailingBoards = field(default_factory=FailingBoards)
    turns: tuple[Turns, Turns] = field(default_factory=lambda: (Turns(), Turns()))
    """Of those who have begun games; and of those who share the one share of all boards that are not proven."""
    is_warm: bool = False
    """Whether a move was made: the first one takes long, since templates are loaded, and is not counted."""

    @property
    def holder(self) -> str:
        """A word for this thread, which no other living one has, on any host."""
        return f"{socket.gethostname()[:50]} {threading.get_native_id()}"

    def each(self, waiting: "Waiting", level: Level) -> float:
        """How many seconds an iteration takes on a board that it is the turn of."""
        kind = _kind(waiting, level)
        if kind not in self.seconds:
            self.seconds[kind] = self._probed(waiting, level)
        return self.seconds[kind]

    def _likely(self, waiting: "Waiting", level: Level) -> float:
        """The same of a board that has to wait. Measuring would hold up others: what is unknown is slow."""
        slowest = max(self.seconds.values(), default=_GUESSED)
        return self.seconds.get(_kind(waiting, level), slowest)

    def learn(self, waiting: "Waiting", level: Level, iterations: int, seconds: float) -> None:
        """Notes how long a thought took."""
        kind = _kind(waiting, level)
        self.seconds[kind] = _blended(self.seconds.get(kind), seconds / max(iterations, 1))

    def learn_besides(self, seconds: float) -> None:
        """Notes how long all else took for one move."""
        if self.is_warm:
            self.besides = _blended(self.besides, seconds)
        self.is_warm = True

    def part(self, due: "Sequence[Waiting]", thinkers: int, now: datetime, proven: bool = False) -> float:
        """The part of its level's iterations that each of these boards gets, in the order of their turns.

        With `proven` that of each proven one, which is not shortened for any number of others.
        """
        others = [each for each in due if not each.is_proven]
        counted = [each for each in due if each.is_proven or each is others[0]] if proven else due
        return share([self._wait_of(each, now) for each in counted], thinkers, self.besides)

    def in_turn(self, due: "Sequence[Waiting]", now: datetime) -> "list[Waiting]":
        """The boards in the order of their turns."""
        for number, turns in enumerate(self.turns):
            turns.are_waiting({_sharers(each)[number] for each in due})

        def place(waiting: "Waiting") -> tuple[float, ...]:
            seconds = self._wait_of(waiting, now).thinking
            whose = zip(self.turns, _sharers(waiting), strict=True)
            return tuple(turns.begins(who) + seconds for turns, who in whose)

        return sorted(due, key=place)

    def took(self, waiting: "Waiting", seconds: float) -> None:
        """Notes how long it took to act on one of these boards."""
        for turns, who in zip(self.turns, _sharers(waiting), strict=True):
            turns.took(who, seconds)

    def iterations(self, waiting: "Waiting", level: Level, part: float) -> int:
        """How many iterations a board gets of its level's."""
        if level.iterations <= 1:
            return level.iterations
        return iterations_within(level.iterations, self.each(waiting, level), part)

    def _wait_of(self, waiting: "Waiting", now: datetime) -> BoardWait:
        try:
            level = expected_level(waiting)
            seconds = level.iterations * self._likely(waiting, level) if level and level.iterations > 1 else 0.0
        except Exception:
            # It fails again, and is logged, when it is this board's turn; the others are not to wait for it.
            seconds = 0.0
        return BoardWait((now - waiting.since).total_seconds(), seconds)

    def _probed(self, waiting: "Waiting", level: Level) -> float:
        if level.iterations <= 1:
            return 0.0
        game = games()[waiting.game]
        position = game.start(waiting.seats, dict(waiting.options))
        # What is loaded or remembered at the first thought is not to be measured.
        level.thinker.think(game, position, 1, 1)
        begun = self.clock()
        level.thinker.think(game, position, 2, _PROBE)
        return (self.clock() - begun) / _PROBE


def _sharers(waiting: "Waiting") -> tuple[Hashable, Hashable]:
    """Who has the share that thinking about a board is counted for, and for whom it is done within that."""
    return (waiting.starter if waiting.is_proven else _UNPROVEN), waiting.starter


def expected_level(waiting: "Waiting") -> Level | None:
    """At which level a robot plays on a board, as far as its row tells; None where its game is gone."""
    rung = _LIKELY if waiting.robot == FITTING and waiting.rung is None else waiting.rung
    return _level(waiting.game, waiting.options, waiting.seats, waiting.robot, rung)


@lru_cache(maxsize=512)
def _level(
    name: str, options: tuple[tuple[str, str], ...], seats: int, robot: str, rung: str | None
) -> Level | None:
    game = games().get(name)
    return None if game is None else level_at(robot, rung, game, game.start(seats, dict(options)))


def _kind(waiting: "Waiting", level: Level) -> Kind:
    thinker = level.thinker
    name = getattr(thinker, "__name__", type(thinker).__name__)
    return waiting.game, waiting.options, waiting.seats, name


def _blended(before: float | None, now: float) -> float:
    if before is None:
        return now
    return before + (now - before) * (_RISES if now > before else _FALLS)
