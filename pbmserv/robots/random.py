"""`random`: any legal move, each as likely as any other."""

from typing import Any

from pbmserv.games.game import Game
from pbmserv.robots.chance import pick
from pbmserv.robots.thought import Candidate, Thought


def think(game: Game, position: Any, seed: int, iterations: int) -> Thought:
    """Any of the legal moves, of which nothing is expected."""
    move = pick(seed, tuple(game.moves(position)))
    return Thought((Candidate(move, 1, 0.5),), (), 1)
