"""Random games in ours and in a slow engine written on its own: the same moves, the same boards, the same end."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Protocol

from pbmserv.games.game import Game


class SlowEngine(Protocol):
    """A game in progress, played by texts in lower case; it changes in place."""

    turn: int

    def legal(self) -> set[str]:
        """Every legal move."""

    def play(self, text: str) -> None:
        """Plays one of them."""

    def ranks(self) -> tuple[int, ...] | None:
        """How it ended; None while somebody is to move."""

    def shown(self) -> dict[str, str]:
        """What stands on each cell that is not empty, as it is drawn."""


def play_beside(
    game: Game, options: Mapping[str, str], begin: Callable[[], SlowEngine], plies: int, seed: str = ""
) -> int:
    """Plays games until there were so many plies; returns the number of those that were whole."""
    random, played, count = Random(f"{game.info.name} {options} {seed}"), 0, 0
    while played < plies:
        position: Any = game.start(2, options)
        slow = begin()
        while (outcome := game.outcome(position)) is None:
            assert slow.ranks() is None
            assert game.to_move(position) == slow.turn
            legal = {game.write(position, move).lower(): move for move in game.moves(position)}
            theirs = slow.legal()
            assert legal.keys() == theirs, (legal.keys() ^ theirs, slow.shown())
            text = random.choice(sorted(legal))
            position, _ = game.play(position, legal[text])
            slow.play(text)
            assert shown(game, position) == slow.shown()
            played += 1
            if played == plies:
                return count
        assert outcome.ranks == slow.ranks()
        count += 1
    return count


def shown(game: Game, position: Any) -> dict[str, str]:
    """What stands on each cell that is not empty, as it is drawn."""
    scene = game.scene(position)
    found = zip(scene.board.names, scene.cells, strict=True)
    return {name.lower(): "".join(piece.text for piece in pieces) for name, pieces in found if pieces}
