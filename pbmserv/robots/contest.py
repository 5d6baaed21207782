"""Contests between robots: pairs of games that begin alike, with sides swapped, and what came of them.

A contest is the same for the same seed, in however many processes its pairs are played. Time is measured by a
clock that the caller passes, since nothing here knows one.

A difference of d Elo means an expected score of 1 / (1 + 10 ** (-d / 400)) (A. Elo, "The Rating of Chessplayers",
1978).
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from pbmserv.games import games
from pbmserv.games.game import Game, scores_of
from pbmserv.robots.levels import RUNGS, Level, Looseness, chosen, level_of, thinker_of
from pbmserv.robots.search import uct
from pbmserv.robots.thought import Thinker, pick, seed_of

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


OPENING_PLIES: Final = 2
"""Random plies before a contest's robots take over."""

LADDER: Final = ("random", "greedy", *RUNGS)
"""All that plays by a name, the weakest first."""

_PLAIN: Final = ("random", "greedy")
"""Those that do not search, and so cannot search less."""

_THINKERS: Final = ("search", "best")

Clock = Callable[[], float]
"""Seconds, from any moment on."""


class UnknownRobot(Exception):
    """A name that stands for no robot in this game."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(name, known)
        self.name = name
        self.known = known
        """The names that would do."""


@dataclass(frozen=True, slots=True)
class Contest:
    """Two robots, what they play, and how. Its pairs of games are numbered from 0."""

    game: str
    robots: tuple[str, str]
    """A rung, `random`, `greedy`, or a thinker with its iterations and perhaps a temperature: `best:100:0.5`."""
    options: Mapping[str, str] = field(default_factory=dict)
    seats: int = 2
    """The robots take turns at them, so both play two of four."""
    seed: int = 0
    share: float = 1.0
    """How much of their iterations the robots have."""
    opening: int = OPENING_PLIES


@dataclass(frozen=True, slots=True)
class Effort:
    """What a robot's moves took."""

    moves: int = 0
    seconds: float = 0.0
    iterations: int = 0

    def __add__(self, other: "Effort") -> "Effort":
        return Effort(self.moves + other.moves, self.seconds + other.seconds, self.iterations + other.iterations)

    @property
    def milliseconds_a_move(self) -> float:
        """Of a contest in which nobody moved, 0."""
        return 1000 * self.seconds / max(self.moves, 1)

    @property
    def iterations_a_move(self) -> float:
        """Of a contest in which nobody moved, 0."""
        return self.iterations / max(self.moves, 1)


@dataclass(frozen=True, slots=True)
class PairResult:
    """Two games that began alike."""

    points: tuple[float, float]
    """Of the first robot, in each game: 1 for a win, 0.5 for a draw."""
    efforts: tuple[Effort, Effort]
    """Of each robot, in both games together."""


@dataclass(frozen=True, slots=True)
class ContestResult:
    """What came of a contest, as the first robot sees it."""

    wins: int
    losses: int
    draws: int
    difference: EloDifference
    efforts: tuple[Effort, Effort]

    @property
    def score(self) -> float:
        """Points of the first robot; a draw is half a one."""
        return self.wins + self.draws / 2


def contestant(name: str, game: Game, position: Any) -> Level:
    """How the robot of a name plays from this position on. Raises UnknownRobot."""
    level = level_of(name, game, position) if name != "greedy" or _is_greedy_in(game) else None
    if level is not None:
        return level
    thinker, *numbers = name.split(":")
    if thinker not in _THINKERS or len(numbers) not in (1, 2):
        raise UnknownRobot(name, ladder_of(game, position))
    try:
        iterations, temperature = int(numbers[0]), float((*numbers, "0")[1])
    except ValueError:
        raise UnknownRobot(name, ladder_of(game, position)) from None
    if iterations < 1 or not 0 <= temperature < float("inf"):
        raise UnknownRobot(name, ladder_of(game, position))
    found = cast(Thinker, uct) if thinker == "search" else thinker_of(game, position)
    is_loose = temperature and found is not cast(Thinker, uct)
    return Level(found, iterations, Looseness(temperature) if is_loose else temperature)


def ladder_of(game: Game, position: Any) -> tuple[str, ...]:
    """The robots that play on the board of this position, the weakest first."""
    return tuple(
        name
        for name in LADDER
        if level_of(name, game, position) is not None and (name != "greedy" or _is_greedy_in(game))
    )


def play_pair(contest: Contest, number: int, clock: Clock) -> PairResult:
    """Plays a pair of a contest's games. Raises UnknownRobot, and BadOption as the game does."""
    game = games()[contest.game]
    start = game.start(contest.seats, contest.options)
    levels = [
        _shared(contestant(name, game, start), 1 if name in _PLAIN else contest.share) for name in contest.robots
    ]
    opened = _opened(contest, game, start, number)
    points: list[float] = []
    efforts = [Effort(), Effort()]
    for swapped in (0, 1):
        position, ply = opened, contest.opening
        while (seat := game.to_move(position)) is not None:
            mover = (seat + swapped) % 2
            began = clock()
            seed = seed_of("contest", contest.seed, number, swapped, ply)
            thought = levels[mover].thinker.think(game, position, seed, levels[mover].iterations)
            move = chosen(thought, levels[mover].temperature, seed)
            efforts[mover] += Effort(1, clock() - began, thought.iterations)
            position, _ = game.play(position, move)
            ply += 1
        points.append(_points(game, position, swapped))
    return PairResult((points[0], points[1]), (efforts[0], efforts[1]))


def result_of(pairs: Iterable[PairResult]) -> ContestResult:
    """What pairs of games come to together. Raises ValueError for none."""
    pairs = list(pairs)
    points = [each for pair in pairs for each in pair.points]
    efforts = [sum((pair.efforts[robot] for pair in pairs), Effort()) for robot in (0, 1)]
    return ContestResult(
        wins=points.count(1.0),
        losses=points.count(0.0),
        draws=points.count(0.5),
        difference=difference_of([sum(pair.points) for pair in pairs]),
        efforts=(efforts[0], efforts[1]),
    )


def _is_greedy_in(game: Game) -> bool:
    """Greedy goes for scores; without them it is chance."""
    return bool(scores_of(game, game.start(game.info.least_seats, {})))


def _shared(level: Level, share: float) -> Level:
    return level if share == 1 else replace(level, iterations=max(1, round(level.iterations * share)))


def _opened(contest: Contest, game: Game, position: Any, number: int) -> Any:
    """The position after the random plies that both games of a pair begin with."""
    for ply in range(contest.opening):
        if game.to_move(position) is None:
            break
        seed = seed_of("opening", contest.seed, number, ply)
        position, _ = game.play(position, pick(seed, tuple(game.moves(position))))
    return position


def _points(game: Game, position: Any, swapped: int) -> float:
    """Of the first robot: it has won if only seats of its own came first."""
    outcome = game.outcome(position)
    assert outcome is not None
    first = {(seat + swapped) % 2 for seat, rank in enumerate(outcome.ranks) if rank == 1}
    return 0.5 if len(first) == 2 else 1.0 if first == {0} else 0.0
