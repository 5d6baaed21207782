"""What a robot makes of the positions of a game: the chances of each seat, the best move, what another one costs.

It is for teaching, so it never plays. How long it thinks is fixed in iterations, and therefore what it finds.
"""

from dataclasses import dataclass
from typing import Any, Final, cast

from pbmserv.games.game import Game, Move, Seat
from pbmserv.robots.levels import level_of, thinker_of
from pbmserv.robots.search import uct
from pbmserv.robots.thought import Thinker, Thought

WITH_KNOWLEDGE: Final = 400
"""Iterations for a position where a thinker knows the game: a tenth of a second, or less."""

AS_MANY_AS: Final = "club"
"""The robot whose iterations are enough in any other game: a quarter of a second."""

DOUBTED: Final = 0.12
"""A move that seems to lose so much is looked at again, and more closely."""

CLOSELY: Final = 2
"""How many times the iterations that takes."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a position is worth."""

    chances: tuple[float, ...]
    """Of each seat, from 0, the last place, to 1, the first one."""

    best: Move | None
    """The best move; None when the game is over."""

    best_value: float
    """The chances of whoever makes it, as they seem at first: rather too high."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A move beside the best one: what either brings to whoever makes it."""

    best: Move
    best_value: float
    played_value: float


def iterations_of(game: Game, position: Any) -> int:
    """How long a position is thought about."""
    if thinker_of(game, position) is not cast(Thinker, uct):
        return WITH_KNOWLEDGE
    level = level_of(AS_MANY_AS, game, position)
    return WITH_KNOWLEDGE if level is None else level.iterations


def estimate(game: Game, position: Any, seed: int, times: float = 1) -> Estimate:
    """What a position is worth, after `times` as many iterations as usual. A finished game needs none."""
    outcome = game.outcome(position)
    if outcome is not None:
        return Estimate(outcome.shares, None, 0.0)
    thought = _thought(game, position, seed, times)
    first = thought.candidates[0]
    return Estimate(_chances(game, position, thought), first.move, first.value)


def compare(game: Game, position: Any, played: Move, before: Estimate, after: Estimate, seed: int) -> Comparison:
    """What a move has cost, from the estimates of the position and of the one that it led to.

    What a search gives the best move at its root is too high, the more so the less it has searched. So where the
    move seems to have cost anything, the better one is followed and judged from there, as the move itself is; and
    where it seems to have cost much, the better one is looked for again, and both are judged more closely.
    """
    seat = game.to_move(position)
    if seat is None or before.best is None:
        raise ValueError("nobody is to move")
    best, value = before.best, after.chances[seat]
    if best == played:
        return Comparison(played, value, value)
    if before.best_value - value < DOUBTED:
        return Comparison(best, max(before.best_value, value), value)
    instead = _after(game, position, best, seat, seed, 1)
    if instead - value >= DOUBTED:
        best = estimate(game, position, seed, CLOSELY).best or best
        if best == played:
            return Comparison(played, value, value)
        instead, value = (_after(game, position, move, seat, seed + 1, CLOSELY) for move in (best, played))
    return Comparison(best, max(instead, value), value)


def _after(game: Game, position: Any, move: Move, seat: Seat, seed: int, times: float) -> float:
    """The chances of a seat after its move."""
    return estimate(game, game.play(position, move)[0], seed, times).chances[seat]


def _thought(game: Game, position: Any, seed: int, times: float) -> Thought:
    iterations = max(1, round(times * iterations_of(game, position)))
    return thinker_of(game, position).think(game, position, seed, iterations)


def _chances(game: Game, position: Any, thought: Thought) -> tuple[float, ...]:
    """What the search expects for each seat; it knows better where it has searched to the end."""
    seat, value = game.to_move(position), thought.candidates[0].value
    if thought.is_proven and len(thought.values) == 2:
        return (value, 1 - value) if seat == 0 else (1 - value, value)
    return thought.values
