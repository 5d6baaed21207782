"""Thinks about Cephalopod between two: best-first search with the learned table, then endings to their end.

An ending is searched by alpha-beta with two values and a table of the positions that are decided. Moves after
which the other side has least for good come first, then those that the game's knowledge likes, so mostly the first
one it looks at wins.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Protocol

from pbmserv.games.board import Board
from pbmserv.games.cephalopod import Position
from pbmserv.games.game import Game
from pbmserv.robots.cephalopod.ground import Ground, WindowJudge
from pbmserv.robots.cephalopod.table import table_of
from pbmserv.robots.search import puct
from pbmserv.robots.search.puct import LOST, WON, Knowledge
from pbmserv.robots.thought import Candidate, Thought


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


ENDING_FROM: Final = 5000
"""Whoever thinks for fewer iterations does not search endings to their end."""

NODES_AN_ITERATION: Final = 12
"""Positions of an ending that are looked at for each iteration of the search before it."""

LATE: Final = 20
"""An ending may begin with so many pips for ten squares: some 20 to 40 plies before the last one."""


def knows(position: Any) -> bool:
    """Whether the table covers a position: one with two seats."""
    return len(position.playing) == 2 and not position.gone


def think(game: Game, position: Any, seed: int, iterations: int) -> Thought:
    """The thought about a position that it `knows`, in which somebody is to move."""
    judge = judge_for(position)
    ground = judge.ground(position)
    root = puct.search(judge, ground, iterations, seed)
    thought = puct.thought(root, position.turn)
    if not thought.is_proven and iterations >= ENDING_FROM and 10 * ground.pips >= LATE * len(ground.squares):
        thought = _to_the_end(judge, ground, thought, iterations * NODES_AN_ITERATION)
    return thought


def _to_the_end(judge: WindowJudge, ground: Ground, thought: Thought, nodes: int) -> Thought:
    """The thought with what is certain, if so many nodes suffice to find it out."""
    ending = solve(judge, ground, nodes)
    if ending.worth is None:
        return thought
    values = (ending.worth, 1 - ending.worth) if ground.turn == 0 else (1 - ending.worth, ending.worth)
    if ending.move is None:
        # All moves lose; the one that the search likes best is hardest to answer.
        lost = tuple(Candidate(each.move, each.visits, puct.LOST) for each in thought.candidates)
        return Thought(lost, values, thought.iterations, True)
    best = next(each for each in thought.candidates if each.move == ending.move)
    others = tuple(each for each in thought.candidates if each.move != ending.move)
    return Thought((Candidate(best.move, best.visits, puct.WON), *others), values, thought.iterations, True)


def judge_for(position: Position) -> WindowJudge:
    """Who judges positions on the board of this one."""
    return _judge(position.board)


@lru_cache(maxsize=8)
def _judge(board: Board) -> WindowJudge:
    # The first column is A.
    rows = sum(name.startswith("A") for name in board.names)
    columns = len(board.names) // rows
    return WindowJudge(columns, rows, table_of(columns, rows))
