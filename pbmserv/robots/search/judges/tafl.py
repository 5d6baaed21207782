"""Tafl: men, the king's ways out, in one move and in two, and how closely he is beset."""

from functools import partial
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games.boards import ORTHOGONAL
from pbmserv.games.defaults import EMPTY
from pbmserv.games.game import Move
from pbmserv.games.tafl import ATTACKER, DEFENDER, DEFENDERS, KING, MEN, Tafl, games
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.judge import Judge, Looked, likelihood

_WAY_OUT: Final = 0.35
"""A cell from which the king can escape by his next move."""
_FREEDOM: Final = 0.03
_BESET: Final = 0.3
_MEN: Final = 5.0
"""What all men of a side are worth."""
_ESCAPES: Final = 20.0


def _look(game: Any, position: Any, _: Dice) -> Looked:
    """The king escapes if he may move and sees a goal, or sees two of them in any case."""
    cells, board = position.cells, position.board
    home, goals = cells.find(KING), game.goals(board)
    at_once = _reached(board, cells, home)
    seen = len(goals.intersection(at_once))
    if seen and (position.turn == DEFENDERS or seen > 1):
        ahead = _ESCAPES
    else:
        beset = len([cell for cell in board.neighbours[home] if cells[cell] == ATTACKER])
        soon = [cell for cell in at_once if goals.intersection(_reached(board, cells, cell))]
        start = "".join(game.rows)
        men = cells.count(DEFENDER) / start.count(DEFENDER) - cells.count(ATTACKER) / start.count(ATTACKER)
        ahead = _MEN * men + _WAY_OUT * min(len(soon), 6) + 2 * seen + _FREEDOM * len(at_once) - _BESET * beset
    defenders, attackers = likelihood(ahead)
    return (attackers, defenders), ()


def _reached(board: Any, cells: str, source: int) -> list[int]:
    """Where the king could go from a cell."""
    found = []
    for way in ORTHOGONAL:
        for cell in board.rays[source][way]:
            if cells[cell] != EMPTY and cells[cell] != KING:
                break
            found.append(cell)
    return found


def _likely(game: Tafl, position: Any) -> tuple[list[Move], bool]:
    """A move that wins alone, or all moves, those that capture and those near the king last."""
    turn, board, theirs = position.turn, position.board, MEN[1 - position.turn]
    home, goals = position.cells.find(KING), game.goals(board)
    near = {*board.neighbours[home], *(cell for ray in board.rays[home] for cell in ray)}
    ranked: list[tuple[int, int, Move]] = []
    for move in game.moves(position):
        target = int(move[1])
        if turn == DEFENDERS and move[0] == home:
            if target in goals:
                return [move], True
            rank = 1 + 2 * bool(goals.intersection(_reached(board, position.cells, target)))
        else:
            rank = int(target in near)
        if any(position.cells[cell] in theirs for cell in board.neighbours[target]):
            after, events = game.play(position, move)
            if KING not in after.cells:
                return [move], True
            rank += 3 * (len(events) - 1)
        ranked.append((rank, (target * 7919 + len(ranked)) % len(position.cells), move))
    ranked.sort(key=lambda each: each[:2])
    return [move for _, _, move in ranked], True


judges: Final = MappingProxyType({game.info.name: Judge(_look, 0.3, partial(_likely, game)) for game in games})
