"""`greedy`: the move after which it is ahead by most at once, without a thought for what the others do then."""

from typing import Any

from pbmserv.games.game import Game, Seat, scores_of
from pbmserv.robots.chance import pick, shuffled
from pbmserv.robots.robot import Budget

name = "greedy"
summary = "takes whatever gains most at once, and never looks further"

thinking = 1


def plays(game: Game) -> bool:
    """Games with scores: it goes for nothing else."""
    return bool(scores_of(game, game.start(game.info.least_seats, {})))


Worth = tuple[int, int]
"""Whether it wins (1), loses (-1) or neither (0), then by how many points it is ahead of the best other seat."""


def choose(game: Game, position: Any, budget: Budget) -> Any:
    """One of the moves that are worth most; of more moves than the budget has nodes some are not looked at."""
    seat = game.to_move(position)
    if seat is None:
        raise ValueError("nobody is to move")
    looked_at = shuffled(budget.seed, tuple(game.moves(position)))[: max(budget.nodes, 1)]
    worths = [_worth(game, game.play(position, move)[0], seat) for move in looked_at]
    best = max(worths)
    return pick(budget.seed, [move for move, worth in zip(looked_at, worths, strict=True) if worth == best])


def _worth(game: Game, position: Any, seat: Seat) -> Worth:
    outcome = game.outcome(position)
    scores = (scores_of(game, position) if outcome is None else outcome.scores) or (0,) * len(game.info.sides)
    ahead = scores[seat] - max(score for other, score in enumerate(scores) if other != seat)
    if outcome is None or (outcome.ranks[seat] == 1 and outcome.ranks.count(1) > 1):
        return 0, ahead
    return (1 if outcome.ranks[seat] == 1 else -1), ahead
