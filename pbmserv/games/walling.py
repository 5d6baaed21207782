"""Where pawns can go and walls can stand in wall race.

What walls block is kept as bits, one for each cell from which a step up, or to the right, is blocked; the edge of
the board blocks likewise. A wall has the name of the lower left one of the four cells that it touches.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pbmserv.games.game import Seat

SIZE: Final = 9
ACROSS, UPRIGHT = "horizontal", "vertical"
OUTSIDE: Final = -1
"""Where the pawn of a player is who has left."""

CELLS: Final = range(SIZE * SIZE)
_TOP: Final = sum(1 << cell for cell in CELLS if cell % SIZE == SIZE - 1)
_BOTTOM: Final = _TOP >> SIZE - 1
_LEFT: Final = (1 << SIZE) - 1
_RIGHT: Final = _LEFT << SIZE * (SIZE - 1)
_GOALS: Final = (_TOP, _RIGHT, _BOTTOM, _LEFT)
"""By the edge where a pawn starts, clockwise from the lower one."""


@dataclass(frozen=True, slots=True)
class Wall:
    """A wall on the board: whose it is, the cell that names it, and its direction."""

    seat: Seat
    cell: int
    way: str


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: the cell of each seat's pawn, -1 when it has left; walls, the oldest first.

    `across` and `upright` have a bit for the cell of each wall, `hands` the walls left. `quiet` counts the plies
    since the last wall; `gone` are those who left, the first one first; `last` is where a pawn went from and to.
    """

    pawns: tuple[int, ...]
    hands: tuple[int, ...]
    walls: tuple[Wall, ...] = ()
    across: int = 0
    upright: int = 0
    turn: Seat | None = 0
    quiet: int = 0
    gone: tuple[Seat, ...] = ()
    last: tuple[int, ...] = ()

    @property
    def north(self) -> int:
        """The cells from which a step up is blocked."""
        return _TOP | self.across | self.across << SIZE

    @property
    def east(self) -> int:
        """The cells from which a step to the right is blocked."""
        return _RIGHT | self.upright | self.upright << 1


def goal_of(position: Position, seat: Seat) -> int:
    """The cells, as bits, that a seat's pawn has to reach."""
    return _GOALS[edge_of(len(position.pawns), seat)]


def edge_of(seats: int, seat: Seat) -> int:
    """From which edge a seat comes, clockwise from the lower one: two sit face to face."""
    return 2 * seat if seats == 2 else seat


def steps_of(position: Position, seat: Seat) -> list[int]:
    """Where a seat's pawn can go, in the board's order: beside it, or over another pawn, or past it."""
    cell, found = position.pawns[seat], set[int]()
    ways = _ways(position)
    for way, (step, blocked) in enumerate(ways):
        beside = cell + step
        if blocked >> cell & 1:
            continue
        if beside not in position.pawns:
            found.add(beside)
        elif not blocked >> beside & 1 and beside + step not in position.pawns:
            found.add(beside + step)
        else:
            aside = (ways[(way + turn) % 4] for turn in (1, 3))
            found.update(beside + step for step, wall in aside if not wall >> beside & 1)
    return sorted(found.difference(position.pawns))


def _ways(position: Position) -> tuple[tuple[int, int], ...]:
    """For each direction, clockwise from up, the step and the cells from which it is blocked."""
    north, east = position.north, position.east
    return (1, north), (SIZE, east), (-1, north << 1 | _BOTTOM), (-SIZE, east << SIZE | _LEFT)


def layers_to(goal: int, north: int, east: int, pawn: int) -> list[int]:
    """The cells, as bits, that are one step from a goal, two steps, ... until the pawn's is among them.

    Each layer has those before it, too, and pawns are in nobody's way. Without a way the last one lacks the pawn.
    """
    layers, seen, aim = [goal], goal, 1 << pawn
    open_up, open_right = ~north, ~east
    while not seen & aim:
        more = (
            seen
            | (seen & open_up) << 1
            | seen >> 1 & open_up
            | (seen & open_right) << SIZE
            | seen >> SIZE & open_right
        )
        if more == seen:
            break
        seen = more
        layers.append(seen)
    return layers


class Blocks:
    """Where walls can stand: a shortest way of each pawn is found once, and only walls across it are tried."""

    def __init__(self, position: Position) -> None:
        self._position = position
        self._ways: dict[str, int] | None = None

    def can_stand(self, cell: int, way: str) -> bool:
        """Whether a wall can stand there: it is free, and no pawn's way to its goal is cut off."""
        return is_free(self._position, cell, way) and not self.cuts_off(cell, way)

    def cuts_off(self, cell: int, way: str) -> bool:
        """Whether a wall in a free place would leave some pawn without a way."""
        if self._ways is None:
            self._ways = self.across_ways(range(len(self._position.pawns)))
        if not self._ways[way] >> cell & 1:
            return False
        position = self._position
        north = position.north | (way == ACROSS) * ((1 << cell) | 1 << cell + SIZE)
        east = position.east | (way == UPRIGHT) * ((1 << cell) | 1 << cell + 1)
        return any(
            not layers_to(goal_of(position, seat), north, east, pawn)[-1] >> pawn & 1
            for seat, pawn in enumerate(position.pawns)
            if pawn != OUTSIDE
        )

    def across_ways(self, seats: Iterable[Seat]) -> dict[str, int]:
        """The walls, as bits of the cells that name them, across a shortest way of the pawn of one of these."""
        position, found = self._position, {ACROSS: 0, UPRIGHT: 0}
        ways = _ways(position)
        for seat in seats:
            pawn = position.pawns[seat]
            if pawn == OUTSIDE:
                continue
            layers = layers_to(goal_of(position, seat), position.north, position.east, pawn)
            for closer in reversed(layers[:-1]):
                step = next(step for step, wall in ways if not wall >> pawn & 1 and closer >> pawn + step & 1)
                low = min(pawn, pawn + step)
                if abs(step) == 1:
                    found[ACROSS] |= 1 << low | (1 << low >> SIZE)
                else:
                    found[UPRIGHT] |= 1 << low | (1 << low >> 1)
                pawn += step
        return found


def is_free(position: Position, cell: int, way: str) -> bool:
    """Whether a wall in this place would be on the board, and lie over or across no other one."""
    if cell % SIZE == SIZE - 1 or cell >= SIZE * (SIZE - 1):
        return False
    bit = 1 << cell
    if way == ACROSS:
        return not (position.across & (bit | bit << SIZE | bit >> SIZE) or position.upright & bit)
    return not (position.upright & (bit | bit << 1 | bit >> 1) or position.across & bit)
