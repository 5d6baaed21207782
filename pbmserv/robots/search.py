"""`search`: plays many games to their end in its head, more of those that go well (UCT), in any game.

After L. Kocsis and C. Szepesvari, "Bandit based Monte-Carlo Planning" (2006), for any number of seats: each seat
goes for its own reward. Where there are very many moves a few are looked at first, and more as it goes on.
"""

import math
from dataclasses import dataclass, field
from typing import Any, Final

from pbmserv.games.game import Game, Move, Outcome, Seat, scores_of
from pbmserv.robots.chance import Dice
from pbmserv.robots.robot import Budget

name = "search"
summary = "thinks ahead, in every game"
thinking = 40
"""Positions looked at for each that a plain robot looks at."""

_CURIOSITY: Final = 0.7
_WIDTH: Final = 3.0
_LONGEST: Final = 400
"""Plies of a game in the head; one that goes on after that is left as it stands."""

Rewards = tuple[float, ...]
"""For each seat, from 0 for the last to 1 for the first."""


def plays(game: Game) -> bool:
    """Every game."""
    return True


@dataclass(slots=True)
class _Node:
    """A position, what was tried there, and how it went."""

    position: Any
    mover: Seat | None
    """Who made the move that led here; None at the root."""
    untried: list[Move]
    children: dict[Move, "_Node"] = field(default_factory=dict)
    visits: int = 0
    reward: float = 0.0
    """The sum of what the mover got."""


def choose(game: Game, position: Any, budget: Budget) -> Any:
    """The move that was tried most. It plays until it has looked at so many positions as the budget has nodes."""
    dice = Dice(budget.seed)
    root = _node(game, position, None, dice)
    if len(root.untried) == 1:
        return root.untried[0]
    left = budget.nodes
    while left > 0 or not root.children:
        path = _descend(game, root, dice)
        rewards, plies = _play_out(game, path[-1].position, dice, min(_LONGEST, left - 1))
        left -= 1 + plies
        for node in path:
            node.visits += 1
            if node.mover is not None:
                node.reward += rewards[node.mover]
    return max(root.children.items(), key=lambda each: (each[1].visits, each[1].reward))[0]


def _node(game: Game, position: Any, mover: Seat | None, dice: Dice) -> _Node:
    untried = list(game.moves(position))
    dice.shuffle(untried)
    return _Node(position, mover, untried)


def _descend(game: Game, root: _Node, dice: Dice) -> list[_Node]:
    """The way down to a position that was not looked at before, or where the game is over."""
    path = [root]
    while True:
        node = path[-1]
        is_wide = len(node.children) >= 1 + _WIDTH * math.sqrt(node.visits)
        if node.untried and not is_wide:
            move, mover = node.untried.pop(), game.to_move(node.position)
            child = _node(game, game.play(node.position, move)[0], mover, dice)
            node.children[move] = child
            return [*path, child]
        if not node.children:
            return path
        path.append(_best(node))


def _best(node: _Node) -> _Node:
    known = math.log(node.visits)
    return max(
        node.children.values(),
        key=lambda child: child.reward / child.visits + _CURIOSITY * math.sqrt(known / child.visits),
    )


def _play_out(game: Game, position: Any, dice: Dice, most: int) -> tuple[Rewards, int]:
    """What each seat gets if the game goes on anyhow, for at most so many plies; and how many it took."""
    for ply in range(most):
        outcome = game.outcome(position)
        if outcome is not None:
            return _rewards(outcome), ply
        moves = tuple(game.moves(position))
        position, _ = game.play(position, moves[dice.below(len(moves))])
    return _standing(game, position), max(most, 0)


def _rewards(outcome: Outcome) -> Rewards:
    """Ties share what their ranks get together."""
    last = len(outcome.ranks) - 1
    return tuple(1 - (rank - 1 + (outcome.ranks.count(rank) - 1) / 2) / last for rank in outcome.ranks)


def _standing(game: Game, position: Any) -> Rewards:
    """What a game that goes on is worth: by its scores where it has any."""
    scores = scores_of(game, position)
    if len(scores) != 2 or scores[0] == scores[1]:
        return (0.5,) * (len(scores) or game.info.most_seats)
    return (1.0, 0.0) if scores[0] > scores[1] else (0.0, 1.0)
