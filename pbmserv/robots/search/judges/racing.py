"""Wall race and star halma: how far each side still has to go."""

from functools import lru_cache
from itertools import chain
from math import exp
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games.game import Game, Move, Seat
from pbmserv.games.halma import BOARD, EMPTY, goal_of, moves
from pbmserv.games.walls import ACROSS, OUTSIDE, UPRIGHT, Blocks, Position, is_free, layers_to, steps_of
from pbmserv.games.walls import goal_of as edge_of_goal
from pbmserv.robots.search.judges import Judge, Looked
from pbmserv.robots.thought import Dice

_STEP, _WALL, _TURN = 0.55, 0.12, 0.5
"""What a step, a wall in hand and the turn, counted in steps, are worth."""


def _race(_: Game, position: Any, __: Dice) -> Looked:
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


def _steps_and_walls(position: Any) -> tuple[list[Move], bool] | None:
    """Steps, the shortest way last, and walls across a shortest way of any other pawn."""
    turn = position.turn
    ahead = layers_to(edge_of_goal(position, turn), position.north, position.east, position.pawns[turn])
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
    return len(layers_to(edge_of_goal(position, seat), position.north, position.east, position.pawns[seat])) - 1


_A_ROW: Final = 0.12
_A_TURN: Final = 2.0
"""What a row on the way is worth, and how many rows the turn is."""
_MOST: Final = 16
"""The most moves that are tried, those that lead furthest."""
_LAST: Final = 3
"""When this many pieces or fewer are on their way, a move is not judged by where it leads alone."""


@lru_cache(maxsize=32)
def _ways(seats: int, seat: Seat) -> tuple[float, ...]:
    """How far each cell is on the way to the outermost cell of the goal; what is aside is a little less far."""
    places, goal = BOARD.layout.places, goal_of(seats, seat)
    middle = BOARD.layout.size[0] / 2, BOARD.layout.size[1] / 2

    def across(cell: int) -> tuple[float, float]:
        x, y = places[cell]
        return (x - middle[0]) / 2, (y - middle[1]) * 0.433

    tip = max(goal, key=lambda cell: sum(each**2 for each in across(cell)))
    ahead = across(tip)
    length = sum(each**2 for each in ahead) ** 0.5
    found = []
    for cell in range(len(BOARD.names)):
        x, y = across(cell)
        along = (x * ahead[0] + y * ahead[1]) / length
        aside = abs(x * ahead[1] - y * ahead[0]) / length
        found.append((along - 0.15 * aside) / 0.866 + (1.0 if cell in goal else 0.0))
    return tuple(found)


def _pieces_ahead(_: Game, position: Any, __: Dice) -> Looked:
    """The likelier to win the further a side is; those behind share the rest."""
    seats = len(position.turns)
    ahead = [_ahead(position.pieces, seats, seat) for seat in range(seats)]
    ahead[position.turn] += _A_TURN
    most = max(ahead)
    worth = [0.0 if seat in position.gone else exp(_A_ROW * (ahead[seat] - most)) for seat in range(seats)]
    total, rest = sum(worth), (seats / 2 - 1) / (seats - 1)
    return tuple([each / total * (1 - rest) + rest for each in worth]), ()


def _furthest(position: Any) -> tuple[list[Move], bool] | None:
    """The moves that lead furthest, the best last."""
    pieces, seats, turn = position.pieces, len(position.turns), position.turn
    way = _ways(seats, turn)
    every = list(moves(position))
    if len(_on_the_way(pieces, seats, turn)) > _LAST:
        return sorted(every, key=lambda move: way[int(move[1])] - way[int(move[0])])[-_MOST:], False

    def ahead(move: Move) -> float:
        after = bytearray(pieces)
        after[int(move[0])], after[int(move[1])] = EMPTY, turn
        return _ahead(after, seats, turn)

    return sorted(every, key=ahead), False


def _ahead(pieces: bytes | bytearray, seats: int, seat: Seat) -> float:
    """How far on their way the pieces of a seat are, and how near to a hole in the goal those outside it."""
    way, holes, steps = _ways(seats, seat), _holes(pieces, seats, seat), _steps()
    found = sum([way[cell] for cell, each in enumerate(pieces) if each == seat])
    if holes:
        for cell in _on_the_way(pieces, seats, seat):
            near = steps[cell]
            found -= 1 + min([near[hole] for hole in holes])
    return found


def _holes(pieces: bytes | bytearray, seats: int, seat: Seat) -> list[int]:
    """The cells of a seat's goal where it has no piece."""
    return [cell for cell in goal_of(seats, seat) if pieces[cell] != seat]


def _on_the_way(pieces: bytes | bytearray, seats: int, seat: Seat) -> list[int]:
    """The cells of a seat's pieces that are not in its goal yet."""
    goal = goal_of(seats, seat)
    return [cell for cell, each in enumerate(pieces) if each == seat and cell not in goal]


@lru_cache(maxsize=1)
def _steps() -> tuple[tuple[int, ...], ...]:
    """How many steps it is from each cell to each other one on the empty board."""
    found = []
    for begin in range(len(BOARD.names)):
        steps, queue = {begin: 0}, [begin]
        for cell in queue:
            for beside in BOARD.neighbours[cell]:
                if beside not in steps:
                    steps[beside] = steps[cell] + 1
                    queue.append(beside)
        found.append(tuple(steps[cell] for cell in range(len(BOARD.names))))
    return tuple(found)


judges: Final = MappingProxyType(
    {
        "wall-race": Judge(_race, curiosity=0.3, likely=_steps_and_walls),
        "star-halma": Judge(_pieces_ahead, curiosity=0.3, likely=_furthest),
    }
)
