"""Thinks about Cephalopod between two: best-first search with the learned table, then endings to their end."""

from functools import lru_cache
from typing import Any, Final

from pbmserv.games.board import Board
from pbmserv.games.cephalopod import Position
from pbmserv.games.game import Game
from pbmserv.robots.cephalopod.ground import Ground, WindowJudge
from pbmserv.robots.cephalopod.table import table_of
from pbmserv.robots.search import puct
from pbmserv.robots.search.ending import solve
from pbmserv.robots.thought import Candidate, Thought

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
