"""`random`: any legal move, each as likely as any other."""

from typing import Any

from pbmserv.games.game import Game
from pbmserv.robots.chance import pick
from pbmserv.robots.robot import Budget

name = "random"
summary = "plays any legal move; good for learning the rules"
thinking = 1


def plays(game: Game) -> bool:
    """Every game."""
    return True


def choose(game: Game, position: Any, budget: Budget) -> Any:
    """Any of the legal moves."""
    return pick(budget.seed, tuple(game.moves(position)))
