"""`greedy`: the move after which it is ahead by most at once, without a thought for what the others do then.

Nobody plays against it: other robots are measured by it.
"""

from typing import Any

from pbmserv.games.game import Game, Move, Seat, scores_of
from pbmserv.robots.thought import Candidate, Thought, pick, shuffled

Worth = tuple[int, int]
"""Whether it wins (1), loses (-1) or neither (0), then by how many points it is ahead of the best other seat."""


def think(game: Game, position: Any, seed: int, iterations: int) -> Thought:
    """One of the moves that are worth most at once; of more moves than iterations some are not looked at."""
    return Thought(
        (Candidate(pick(seed, best_at_once(game, position, seed, iterations)), 1, 0.5),), (), iterations
    )


def best_at_once(game: Game, position: Any, seed: int, most: int) -> list[Move]:
    """The moves that gain most at once; of more than `most` some, chosen by the seed, are not looked at."""
    seat = game.to_move(position)
    if seat is None:
        raise ValueError("nobody is to move")
    looked_at = shuffled(seed, tuple(game.moves(position)))[: max(most, 1)]
    worths = [_worth(game, game.play(position, move)[0], seat) for move in looked_at]
    best = max(worths)
    return [move for move, worth in zip(looked_at, worths, strict=True) if worth == best]


def _worth(game: Game, position: Any, seat: Seat) -> Worth:
    outcome = game.outcome(position)
    scores = (scores_of(game, position) if outcome is None else outcome.scores) or (0,) * len(game.info.sides)
    ahead = scores[seat] - max(score for other, score in enumerate(scores) if other != seat)
    if outcome is None or (outcome.ranks[seat] == 1 and outcome.ranks.count(1) > 1):
        return 0, ahead
    return (1 if outcome.ranks[seat] == 1 else -1), ahead
