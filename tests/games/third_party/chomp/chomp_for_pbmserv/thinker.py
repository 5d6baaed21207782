"""A robot that knows chomp: it leaves two equal rows if it can, and does not eat the last piece if it need not."""

from typing import Any

from pbmserv.games.game import Game, Move
from pbmserv.robots.thought import Candidate, Thought, shuffled


def knows(position: Any) -> bool:
    """Any board will do."""
    return True


def think(game: Game, position: Any, seed: int, iterations: int) -> Thought:
    """All moves, those that leave more to go on with before the others."""

    def worth(move: Move) -> float:
        after, _ = game.play(position, move)
        names = {after.board.names[cell] for cell in after.left}
        row = sum(name.endswith("1") for name in names)
        column = sum(name.startswith("A") for name in names)
        if not names:
            return 0.0
        is_two_rows = len(names) == row + column - 1
        return 0.9 if is_two_rows and row == column else 0.5 if "B2" in names else 0.2

    ordered = sorted(shuffled(seed, tuple(game.moves(position))), key=worth, reverse=True)
    return Thought(tuple(Candidate(move, 1, worth(move)) for move in ordered), (), iterations)
