"""Who wins an ending of Cephalopod between two, by looking at everything: a second implementation.

It has a board of its own and knows nothing of the search that the robots use. Alpha-beta comes down to this here:
a position is won if one move leads to a lost one. What was proven is remembered.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from pbmserv.games.cephalopod import Position

EMPTY: Final = 0
MOST: Final = 6

Square = int
"""What stands on one: 0 nothing, 1 to 6 a die of the first seat, 7 to 12 one of the second."""

Cells = list[Square]


class Undecided(Exception):
    """There were more positions to look at than were allowed."""


class Ending:
    """A board that is searched to its end."""

    def __init__(self, position: Position, most_nodes: int) -> None:
        self.nodes = 0
        """Positions whose moves were looked at."""
        self._most_nodes = most_nodes
        self._beside = position.board.neighbours
        self._cells: Cells = [
            EMPTY if owner is None else pips + MOST * owner
            for pips, owner in zip(position.pips, position.owners, strict=True)
        ]
        self._mover = position.turn
        self._known: dict[tuple[int, bytes], bool] = {}

    def is_won(self) -> bool:
        """Whether the side to move wins if it plays as well as can be. Raises Undecided."""
        return self._is_won(self._mover)

    def _is_won(self, mover: int) -> bool:
        if EMPTY not in self._cells:
            return 2 * sum(_owner(cell) == mover for cell in self._cells) > len(self._cells)
        key = mover, bytes(self._cells)
        if key in self._known:
            return self._known[key]
        self.nodes += 1
        if self.nodes > self._most_nodes:
            raise Undecided
        lead = self._safe_lead(mover)
        won = lead > 0 if abs(lead) == len(self._cells) else self._has_won_move(mover)
        self._known[key] = won
        return won

    def _has_won_move(self, mover: int) -> bool:
        """Whether a move leads to a position that is lost for the other; the likeliest are tried first."""
        moves = []
        for square, pips, taken in self._moves():
            before = self._make(mover, square, pips, taken)
            known = self._known.get((1 - mover, bytes(self._cells)))
            lead = self._safe_lead(mover)
            self._unmake(square, taken, before)
            if known is False:
                return True
            moves.append((-lead, square, pips, taken))
        moves.sort()
        for _, square, pips, taken in moves:
            before = self._make(mover, square, pips, taken)
            try:
                if not self._is_won(1 - mover):
                    return True
            finally:
                self._unmake(square, taken, before)
        return False

    def _moves(self) -> Iterator[tuple[int, int, tuple[int, ...]]]:
        """The square played, what the die shows there, and the squares taken."""
        for square, cell in enumerate(self._cells):
            if cell == EMPTY:
                dice = [other for other in self._beside[square] if self._cells[other]]
                captures = [
                    (square, shown, taken)
                    for many in range(2, len(dice) + 1)
                    for taken in combinations(dice, many)
                    if (shown := sum(_pips(self._cells[each]) for each in taken)) <= MOST
                ]
                yield from captures or [(square, 1, ())]

    def _make(self, mover: int, square: int, pips: int, taken: tuple[int, ...]) -> list[Square]:
        before = [self._cells[each] for each in taken]
        for each in taken:
            self._cells[each] = EMPTY
        self._cells[square] = pips + MOST * mover
        return before

    def _unmake(self, square: int, taken: tuple[int, ...], before: list[Square]) -> None:
        self._cells[square] = EMPTY
        for each, cell in zip(taken, before, strict=True):
            self._cells[each] = cell

    def _safe_lead(self, side: int) -> int:
        """By how many dice that nobody can ever take a side leads; all squares if it has more than half so."""
        cells, beside = self._cells, self._beside
        safe = {square for square, cell in enumerate(cells) if cell and _pips(cell) == MOST}
        open_ones = [square for square, cell in enumerate(cells) if cell and square not in safe]
        found = True
        while found:
            found = False
            for square in open_ones:
                room = MOST - _pips(cells[square])
                # It can be taken from a square beside it that is or gets empty, with a die that leaves room.
                if square not in safe and all(
                    place in safe
                    or all(
                        other == square or (other in safe and _pips(cells[other]) > room)
                        for other in beside[place]
                    )
                    for place in beside[square]
                ):
                    safe.add(square)
                    found = True
        own = sum(_owner(cells[square]) == side for square in safe)
        if 2 * own > len(cells):
            return len(cells)
        if 2 * (len(safe) - own) > len(cells):
            return -len(cells)
        return 2 * own - len(safe)


def _owner(cell: Square) -> int:
    return (cell - 1) // MOST


def _pips(cell: Square) -> int:
    return (cell - 1) % MOST + 1
