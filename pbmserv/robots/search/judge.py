"""What a position is worth in which the game goes on: played to its end anyhow, or by a rule of thumb."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from pbmserv.games.game import Game, Move, scores_of
from pbmserv.robots.chance import Dice

Rewards = tuple[float, ...]
"""For each seat, from 0 for the last to 1 for the first; ties share what their ranks get together."""

Looked = tuple[Rewards, tuple[int, ...]]
"""What a position is worth; and of a playout the cells that each seat came to own, packed (`bits.packed`)."""

LONGEST: Final = 400
"""Plies of a playout; one that goes on after that is judged as it stands."""


@dataclass(frozen=True, slots=True)
class Judge:
    """How positions of a game are judged."""

    look: Callable[[Game, Any, Dice], Looked]
    """What a position is worth in which somebody is to move."""
    curiosity: float = 0.7
    """How far the search goes after what was seldom tried: the less the surer the judge."""
    likely: Callable[[Any], tuple[list[Move], bool] | None] | None = None
    """The moves worth trying, the best last, and whether these are all that matter, since no other one is legal or
    all others are no better. None where the judge cannot say."""


def rewards_of(ranks: tuple[int, ...]) -> Rewards:
    """What ranks are worth.

    >>> rewards_of((1, 2)), rewards_of((1, 1)), rewards_of((2, 1, 2))
    ((1.0, 0.0), (0.5, 0.5), (0.25, 1.0, 0.25))
    """
    last = len(ranks) - 1
    return tuple([1.0 - (rank - 1 + (ranks.count(rank) - 1) / 2) / last for rank in ranks])


def likelihood(ahead: float) -> tuple[float, float]:
    """The chances of two seats when the first is ahead by so much: by 1 it wins three games of four.

    >>> likelihood(0), likelihood(1), likelihood(-3)
    ((0.5, 0.5), (0.75, 0.25), (0.125, 0.875))
    """
    first = 0.5 + ahead / (2 + 2 * abs(ahead))
    return first, 1 - first


def by_playing(game: Game, position: Any, dice: Dice) -> Looked:
    """What comes of it if all play anyhow."""
    for _ in range(LONGEST):
        moves = list(game.moves(position))
        if not moves:
            outcome = game.outcome(position)
            assert outcome is not None
            return rewards_of(outcome.ranks), ()
        position, _ = game.play(position, moves[dice.below(len(moves))])
    scores = scores_of(game, position) or (0,) * game.info.least_seats
    return rewards_of(tuple([1 + sum(other > score for other in scores) for score in scores])), ()


ANY: Final = Judge(by_playing)
"""The judge of games that have none of their own."""
