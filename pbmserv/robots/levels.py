"""How well each robot plays: the rungs of a ladder for people, and the plain programs they are measured by.

And how a level comes to its move: it thinks as it asks for, or shorter where many boards wait.

How many iterations of `uct` a second are, so that a rung means about the same time in every game, was measured on
23 November 2026 with CPython 3.11 on one of two shared cores, some plies into a game. The numbers are kept, and
not measured where the robot runs, so that it plays the same everywhere.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, cast

from pbmserv.games.game import Game, Move
from pbmserv.robots import greedy, spiel
from pbmserv.robots.knowing import Knowing, is_ours, knowing
from pbmserv.robots.search import uct
from pbmserv.robots.thought import AnyMove, Dice, Thinker, Thought

_MEASURED: Final = MappingProxyType(
    {
        "amazons": {100: 4800, 64: 7200, 36: 12_000},
        "antichess": {64: 8500},
        "atomic": {64: 3000},
        "brandubh": {49: 6000},
        "brazilian-draughts": {64: 9000},
        "breakthrough": {64: 25_000, 36: 30_000},
        "bridges": {572: 33, 320: 90, 140: 400},
        "catchup": {127: 2600, 61: 5000},
        "cephalopod": {25: 12_000, 15: 20_000},
        "checkers": {64: 16_000},
        "chess": {64: 3500},
        "clobber": {30: 13_000, 64: 4500, 100: 2200},
        "connect6": {361: 17_000},
        "crazyhouse": {64: 3000},
        "dots-and-boxes": {120: 600, 85: 800, 56: 1000, 33: 1200},
        "fanorona": {45: 1800},
        "five-or-pairs": {361: 20_000},
        "four-in-a-row": {42: 8000},
        "game-of-y": {190: 4400, 120: 6000, 91: 8000, 45: 12_000},
        "go": {361: 500, 169: 1000, 81: 1900},
        "gomoku": {361: 21_000, 225: 22_000, 169: 21_000},
        "havannah": {271: 3300, 169: 5000, 91: 7600, 61: 9500, 37: 12_000},
        "hex": {361: 4300, 196: 7000, 169: 7000, 121: 9000},
        "hnefatafl": {121: 4500},
        "infection": {49: 14_000, 25: 22_000},
        "international-draughts": {100: 6500},
        "kalah": {12: 25_000},
        "konane": {64: 20_000, 100: 11_000, 36: 30_000},
        "lasca": {49: 9000},
        "lines-of-action": {64: 14_000},
        "minishogi": {25: 4000},
        "morris": {24: 21_000},
        "oust": {361: 3600, 169: 5600, 81: 12_000},
        "oware": {12: 28_000},
        "reversi": {64: 17_000, 36: 21_000},
        "russian-draughts": {64: 11_500},
        "shogi": {81: 2500},
        "six-mens-morris": {16: 25_000},
        "slither": {225: 320, 169: 470, 81: 1400},
        "star-halma": {121: 2500},
        "tablut": {81: 5500},
        "tanbo": {361: 1600},
        "three-mens-morris": {9: 22_000},
        "tic-tac-toe": {9: 100_000},
        "tumbleweed": {169: 4300, 91: 7000, 61: 10_000},
        "twelve-mens-morris": {24: 14_000},
        "ultimate-tic-tac-toe": {81: 8000},
        "wall-race": {81: 2000},
        "xiangqi": {90: 3000},
    }
)
"""By game and cells of the board."""

_UNKNOWN: Final = MappingProxyType({25: 500})
"""A game that was not measured is taken to be slow: it may have to be played to its end."""

MOST: Final = 20_000
"""Iterations for one move, so that a tree takes some twenty megabytes and not hundreds."""


def iterations_in(seconds: float, game: Game, position: Any) -> int:
    """About how many iterations fit into these seconds, on the board of a position; at most `MOST`."""
    cells = len(game.scene(position).board.names)
    measured = _MEASURED.get(game.info.name, _UNKNOWN)
    nearest = min(measured, key=lambda each: (abs(each - cells), each))
    pace = measured[nearest] * (nearest / cells) ** 2
    return max(1, min(MOST, round(seconds * pace)))


RUNGS: Final = ("beginner", "novice", "casual", "regular", "club", "league", "strong", "master")
"""The robots that people climb past, the weakest first."""


@dataclass(frozen=True, slots=True)
class Looseness:
    """Sampling temperature: how readily a robot plays a move of which it expects less."""

    amount: float
    """Moves are as likely as their odds, raised to 1 / amount; of amounts far above 1 any move."""


@dataclass(frozen=True, slots=True)
class Level:
    """How a robot plays a game."""

    thinker: Thinker
    iterations: int
    """Of its search for a move, when it has all the time it wants."""
    temperature: float | Looseness = 0.0
    """How often it plays a move that it does not like best: 0 never, 1 each as often as it was tried.

    A thinker that judges moves which it does not try has a looseness instead.
    """
    elo: int | None = None
    """Its measured strength; `robot.random` has 0. None where it was not measured."""


def thinker_of(game: Game, position: Any) -> Thinker:
    """The best thinker there is for a position of a game; what it is depends on board and seats only."""
    known = _knowing().get(game.info.name)
    return known if known is not None and known.knows(position) else cast(Thinker, uct)


def _knowing() -> Mapping[str, Knowing]:
    return knowing()


_PLAIN: Final = MappingProxyType(
    {"random": Level(AnyMove(), 1, elo=0), "greedy": Level(cast(Thinker, greedy), 1000, elo=100)}
)

_WITH_KNOWLEDGE: Final[Mapping[str, tuple[int, float, int | None]]] = MappingProxyType(
    {
        "beginner": (1, 3.0, 150),
        "novice": (2, 1.25, 430),
        "casual": (5, 0.7, 780),
        "regular": (10, 0.46, 1110),
        "club": (100, 0.37, 1340),
        "league": (100, 0.24, 1690),
        "strong": (1000, 0.0, 2530),
        "master": (10000, 0.0, 2870),
    }
)
"""Iterations, looseness and strength where a thinker knows the game. `make bench-robots` measures strengths."""

_BY_SEARCH: Final[Mapping[str, tuple[int | float, float, int | None]]] = MappingProxyType(
    {"beginner": (16, 1.5, None), "club": (0.25, 0.0, None), "master": (2.5, 0.0, None)}
)
"""The same in all other games, three rungs: iterations, or seconds that `pace` makes iterations of."""


def level_of(robot: str, game: Game, position: Any) -> Level | None:
    """How a robot plays a game on the board and with the seats of a position; None where it does not play it."""
    if robot in _PLAIN:
        return _PLAIN[robot]
    thinker = thinker_of(game, position)
    if thinker is not cast(Thinker, uct):
        return _with_knowledge(thinker, robot)
    if robot not in _BY_SEARCH:
        return None
    if robot == RUNGS[-1] and spiel.serves(game):
        return Level(cast(Thinker, spiel), spiel.PLAYOUTS[game.info.name])
    effort, temperature, elo = _BY_SEARCH[robot]
    least = _BY_SEARCH[RUNGS[0]][0]
    iterations = effort if isinstance(effort, int) else max(int(least), iterations_in(effort, game, position))
    return Level(thinker, iterations, temperature, elo)


def _with_knowledge(thinker: Thinker, robot: str) -> Level | None:
    if robot not in _WITH_KNOWLEDGE:
        return None
    iterations, looseness, elo = _WITH_KNOWLEDGE[robot]
    elo = elo if is_ours(thinker) else None
    return Level(thinker, iterations, Looseness(looseness) if looseness else 0.0, elo)


def rungs_of(game: Game, position: Any) -> tuple[str, ...]:
    """The rungs that play a game on the board and with the seats of a position, the weakest first."""
    return tuple(rung for rung in RUNGS if rung in _ladder(thinker_of(game, position)))


def strengths_of(game: Game, position: Any) -> tuple[int, ...]:
    """How strong these rungs are, in Elo: as measured, or supposed to stand evenly apart where one was not."""
    thinker = thinker_of(game, position)
    ladder, is_known = _ladder(thinker), is_ours(thinker)
    measured = [ladder[rung][2] if is_known else None for rung in rungs_of(game, position)]
    known = [elo for elo in measured if elo is not None]
    return tuple(known) if len(known) == len(measured) else tuple(_APART * each for each in range(len(measured)))


_APART: Final = 275
"""Elo between two neighbours, as long as nobody has measured it."""


def _ladder(thinker: Thinker) -> Mapping[str, tuple[int | float, float, int | None]]:
    return _BY_SEARCH if thinker is cast(Thinker, uct) else _WITH_KNOWLEDGE


_MOST_TRIED: Final = 200
"""The most moves that are tried for one that wins at once, where the thought itself is shortened."""


def move_of(level: Level, game: Game, position: Any, seed: int, iterations: int) -> tuple[Move, int]:
    """The move that a robot of a level makes with at most `iterations`, and how many it took.

    Somebody is to move in the position. Where the iterations are fewer than the level's, a win that one move
    brings is taken all the same.
    """
    if iterations < level.iterations:
        winning = _winning_move(game, position)
        if winning is not None:
            return winning, 0
    thought = level.thinker.think(game, position, seed, iterations)
    return chosen(thought, level.temperature, seed), thought.iterations


def _winning_move(game: Game, position: Any) -> Move | None:
    """A move that wins at once, and alone."""
    seat = game.to_move(position)
    for move in islice(game.moves(position), _MOST_TRIED):
        outcome = game.outcome(game.play(position, move)[0])
        if outcome is not None and seat is not None and outcome.ranks[seat] == 1 and outcome.ranks.count(1) == 1:
            return move
    return None


def chosen(thought: Thought, temperature: float | Looseness, seed: int) -> Move:
    """The move that a robot makes of a thought: the best candidate, or by chance another that it likes.

    What is proven is played, and what has always lost is not.
    """
    candidates = thought.candidates
    if not temperature or len(candidates) == 1 or thought.is_proven:
        return candidates[0].move
    if isinstance(temperature, Looseness):
        best = _odds(candidates[0].value)
        weights = [(_odds(each.value) / best) ** (1 / temperature.amount) for each in candidates]
    else:
        most = max(each.visits for each in candidates)
        weights = [(each.visits / most) ** (1 / temperature) if each.value else 0.0 for each in candidates]
    left = Dice(seed).below(_FINE) / _FINE * sum(weights)
    for candidate, weight in zip(candidates, weights, strict=True):
        left -= weight
        if left < 0:
            return candidate.move
    return candidates[0].move


def _odds(value: float) -> float:
    return (value + _DOUBT) / (1 - value + _DOUBT)


_DOUBT: Final = 0.01
"""No move is thought to win or lose for certain, so that odds stay finite."""

_FINE: Final = 2**30


ANSWERED_WITHIN: Final = 50.0
"""Seconds that a board is to wait at most: ten less than a minute, since estimates may be wrong."""

CAUGHT_UP_WITHIN: Final = 3.0
"""Seconds in which boards are to be answered that have waited too long already, as after an outage."""

LONGEST: Final = 12.0
"""Seconds that nobody thinks longer about a move, however much time there is."""

FEWEST: Final = 30
"""Iterations that a move gets in any case, unless its level has fewer: they see what is there to be taken."""


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
    """How many of a level's iterations a move gets, if one takes `each` seconds.

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
        """Records that a thought took these seconds of one who waits."""
        self._ends[who] = self.begins(who) + seconds
        self._now += seconds / self._count
