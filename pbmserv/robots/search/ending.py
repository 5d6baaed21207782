"""Endings searched to their end: who wins if both play as well as can be, for two seats of whom one wins.

Alpha-beta with two values and a table of the positions that are decided. Moves after which the other side has
least for good come first, then those that the game's knowledge likes, so mostly the first one it looks at wins.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol

from pbmserv.robots.search.puct import LOST, WON, Knowledge


class Recalled(Knowledge, Protocol):
    """Knowledge of positions that can be told apart."""

    def key(self, position: Any) -> Hashable:
        """The same for two positions exactly if the same can happen in both."""

    def foresee(self, position: Any) -> float:
        """What is certain already, for the side to move: exactly WON or LOST where the game is settled by it.

        Else in between, the higher the more the side has for good.
        """


@dataclass(frozen=True, slots=True)
class Ending:
    """What is certain of a position."""

    worth: float | None
    """WON or LOST for the side to move; None where the nodes did not suffice."""
    move: Any
    """A move that wins; None where there is none, or none was found."""
    nodes: int
    """Positions that were looked at."""


def solve(knowledge: Recalled, position: Any, nodes: int) -> Ending:
    """Who wins, if that can be found out by looking at no more positions than `nodes`."""
    solver = _Solver(knowledge, nodes)
    try:
        move = solver.winning_move(position)
    except _TooLong:
        return Ending(None, None, nodes)
    return Ending(LOST if move is None else WON, move, nodes - solver.left)


class _TooLong(Exception):
    """All nodes were looked at."""


@dataclass(slots=True)
class _Solver:
    """One search: what is decided so far, and how many positions it may still look at."""

    knowledge: Recalled
    left: int
    decided: dict[Hashable, bool]

    def __init__(self, knowledge: Recalled, nodes: int) -> None:
        self.knowledge = knowledge
        self.left = nodes
        self.decided = {}

    def winning_move(self, position: Any) -> Any:
        """A move that wins; None if there is none."""
        if not self.left:
            raise _TooLong
        self.left -= 1
        knowledge = self.knowledge
        replies: list[tuple[float, float, int, Any, Any, Hashable]] = []
        for worth, move in knowledge.look(position):
            if worth == WON:
                return move
            if worth == LOST:
                continue
            after = knowledge.after(position, move)
            key = knowledge.key(after)
            # A move is the cheaper to decide on if it is known who wins after it.
            known = self.decided.get(key)
            certain = knowledge.foresee(after) if known is None else LOST
            if known is False or (known is None and certain == LOST):
                return move
            if known is None and certain < WON:
                replies.append((certain, -worth, len(replies), move, after, key))
        for _, _, _, move, after, key in sorted(replies):
            if not self._wins(after, key):
                return move
        return None

    def _wins(self, position: Any, key: Hashable) -> bool:
        known = self.decided.get(key)
        if known is None:
            known = self.decided[key] = self.winning_move(position) is not None
        return known
