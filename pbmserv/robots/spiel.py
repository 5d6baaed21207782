"""The search of `open_spiel` (extra `spiel`), many times faster than Python, where it plays better than ours does.

Its search begins at a state, ours at a position without a history, so it can serve only games whose positions can
be set up there. Measured at equal time that leaves Four in a Row: its playouts by chance lose to our judges in
Hex, Go and Gomoku (docs/robots.md), and in the others a state is not to be had without the moves that led to it.
That the rules are the same is tested ply by ply with `tests/games/second_engine.py`.
"""

import importlib
import importlib.util
import json
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games.game import Game, Move
from pbmserv.robots.thought import Candidate, Thought

PLAYOUTS: Final = MappingProxyType({"four-in-a-row": 200_000})
"""The games it serves, and how many playouts are some two seconds, at 140,000 a second."""

_CURIOSITY: Final = 1.4
_MEMORY: Final = 200
"""Megabytes of its tree."""

_MARKS: Final = "xo."
"""Of the first and the second seat, and of an empty cell."""


def is_installed() -> bool:
    """Whether there is an `open_spiel` here."""
    return importlib.util.find_spec("pyspiel") is not None


def serves(game: Game) -> bool:
    """Whether it is installed, and plays this game better than our own search."""
    return game.info.name in PLAYOUTS and is_installed()


def think(game: Game, position: Any, seed: int, iterations: int) -> Thought:
    """The moves by how often its search tried them, what is proven first; an iteration is a playout."""
    pyspiel: Any = importlib.import_module("pyspiel")
    state = _loaded().new_initial_state(_board(position))
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed % 2**31)
    bot = pyspiel.MCTSBot(_loaded(), evaluator, _CURIOSITY, max(iterations, 2), _MEMORY, True, seed % 2**31, False)
    root = bot.mcts_search(state)
    ours = {column_action(position, move): move for move in game.moves(position)}
    found: list[tuple[float, Candidate]] = []
    for child in root.children:
        proven = float(child.outcome[child.player]) if child.outcome else None
        if proven is None and not child.explore_count:
            continue
        worth = child.total_reward / child.explore_count if proven is None else proven
        move = ours[state.action_to_string(child.player, child.action)]
        found.append((proven or 0.0, Candidate(move, child.explore_count, (worth + 1) / 2)))
    found.sort(key=lambda each: (each[0], each[1].visits, each[1].value), reverse=True)
    own = found[0][1].value
    values = (own, 1 - own) if position.turn == 0 else (1 - own, own)
    return Thought(tuple(each for _, each in found), values, root.explore_count, bool(root.outcome))


def column_action(position: Any, move: Move) -> str:
    """What it calls a move: `x3`, a disc of the first side in the fourth column."""
    return f"{_MARKS[position.turn]}{int(move[0]) // _height(position)}"


def _board(position: Any) -> str:
    """The position as its JSON has it: the lowest row first."""
    height = _height(position)
    marks = [_MARKS[stone] for stone in position.stones]
    rows = [marks[row::height] for row in range(height)]
    return json.dumps({"board": rows, "current_player": _MARKS[position.turn], "is_terminal": False, "winner": ""})


def _height(position: Any) -> int:
    return len(position.board.layout.rows)


@lru_cache(maxsize=1)
def _loaded() -> Any:
    return importlib.import_module("pyspiel").load_game("connect_four")
