"""Wall race: how many steps each pawn still needs, and how many walls its player has left."""

from itertools import chain
from math import exp
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games.game import Game, Move, Seat
from pbmserv.games.walls import ACROSS, OUTSIDE, UPRIGHT, Blocks, Position, goal_of, is_free, layers_to, steps_of
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.judge import Judge, Looked

_STEP, _WALL, _TURN = 0.55, 0.12, 0.5
"""What a step, a wall in hand and the turn, counted in steps, are worth."""


def _look(_: Game, position: Any, __: Dice) -> Looked:
    """The likelier to win the fewer steps a pawn needs; who stays behind shares the rest."""
    worth = []
    for seat, pawn in enumerate(position.pawns):
        if pawn == OUTSIDE:
            worth.append(0.0)
            continue
        ahead = (position.turn == seat) * _TURN - _distance(position, seat)
        worth.append(exp(_STEP * ahead + _WALL * position.hands[seat]))
    seats, total = len(worth), sum(worth)
    rest = (seats / 2 - 1) / (seats - 1)
    return tuple([each / total * (1 - rest) + rest for each in worth]), ()


def _likely(position: Any) -> tuple[list[Move], bool] | None:
    """Steps, the shortest way last, and walls across a shortest way of any other pawn."""
    turn = position.turn
    ahead = layers_to(goal_of(position, turn), position.north, position.east, position.pawns[turn])
    steps = sorted(steps_of(position, turn), key=lambda cell: -_layer(ahead, cell))
    walls: list[Move] = []
    if position.hands[turn]:
        blocks = Blocks(position)
        found = blocks.across_ways(seat for seat in range(len(position.pawns)) if seat != turn)
        walls = [
            (cell, way)
            for way in (ACROSS, UPRIGHT)
            for cell in range(81)
            if found[way] >> cell & 1 and is_free(position, cell, way) and not blocks.cuts_off(cell, way)
        ]
    return list(chain(walls, ((cell,) for cell in steps))), False


def _layer(layers: list[int], cell: int) -> int:
    """How many steps a cell is from the goal, as far as that was looked at."""
    return next((steps for steps, cells in enumerate(layers) if cells >> cell & 1), len(layers))


def _distance(position: Position, seat: Seat) -> int:
    return len(layers_to(goal_of(position, seat), position.north, position.east, position.pawns[seat])) - 1


judges: Final = MappingProxyType({"wall-race": Judge(_look, curiosity=0.3, likely=_likely)})
