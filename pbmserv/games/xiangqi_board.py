"""The board of xiangqi and how its pieces go there, whatever becomes of a general."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pbmserv.games.board import Board
from pbmserv.games.boards import DIAGONAL, ORTHOGONAL, E, N, S, W
from pbmserv.games.game import Seat
from pbmserv.games.kinds import XIANGQI

EMPTY: Final = "."
COLUMNS, ROWS = 9, 10
HALF: Final = ROWS // 2
KINDS: Final = {letter: word for word, letter in XIANGQI.items()}
"""The words of the pieces by letter."""

MARKS: Final = ("".join(KINDS), "".join(KINDS).lower())
"""The letters of the pieces, by seat."""

Pairs = tuple[tuple[tuple[int, int], ...], ...]
"""Of each point, pairs of a point that must be empty and of the one behind it."""


@dataclass(frozen=True, slots=True)
class Ways:
    """Where pieces may go on a board, by seat where that matters, and by point."""

    lines: tuple[tuple[tuple[int, ...], ...], ...]
    generals: tuple[tuple[int, ...], ...]
    advisors: tuple[tuple[int, ...], ...]
    elephants: tuple[Pairs, Pairs]
    horses: Pairs
    riders: Pairs
    """From where a horse attacks a point: its leg, and it."""
    soldiers: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]
    zones: tuple[frozenset[int], ...]
    """What a piece must have come to, or gone from, to open the general on this point to an attack."""


def is_attacked(board: Board, cells: str, seat: Seat) -> bool:
    """Whether the general of a seat can be captured, or faces the other one."""
    ways, theirs = ways_of(board), tuple(MARKS[1 - seat])
    general, horse, chariot, cannon, soldier = theirs[0], *theirs[3:]
    home = cells.find(MARKS[seat][0])
    for line in ways.lines[home]:
        screens = 0
        for cell in line:
            mark = cells[cell]
            if mark == EMPTY:
                continue
            if mark == cannon if screens else mark in (chariot, general):
                return True
            screens += 1
            if screens > 1:
                break
    if any(
        cells[source] == soldier and home in ways.soldiers[1 - seat][source] for source in board.neighbours[home]
    ):
        return True
    return any(cells[source] == horse and cells[leg] == EMPTY for leg, source in ways.riders[home])


@lru_cache(maxsize=2)
def ways_of(board: Board) -> Ways:
    """Where pieces may go on a board."""
    every = range(len(board.names))
    horses, elephants = [], []
    for rays in board.rays:
        elephants.append([(rays[way][0], rays[way][1]) for way in DIAGONAL if len(rays[way]) > 1])
        ahead = [(rays[way][0], way) for way in ORTHOGONAL if rays[way]]
        aside = [(leg, board.rays[leg][(way + turn) % 8][:1]) for leg, way in ahead for turn in (-1, 1)]
        horses.append([(leg, ray[0]) for leg, ray in aside if ray])
    halves = [{cell for cell in every if (cell % ROWS < HALF) == (seat == 0)} for seat in (0, 1)]
    palaces = {cell for cell in every if 3 <= cell // ROWS <= 5 and cell % ROWS not in range(3, 7)}
    riders: list[list[tuple[int, int]]] = [[] for _ in every]
    for source, found in enumerate(horses):
        for leg, target in found:
            riders[target].append((leg, source))
    return Ways(
        tuple(tuple(rays[way] for way in ORTHOGONAL if rays[way]) for rays in board.rays),
        _near(board, ORTHOGONAL, palaces),
        _near(board, DIAGONAL, palaces),
        (_on(elephants, halves[0]), _on(elephants, halves[1])),
        tuple(map(tuple, horses)),
        tuple(map(tuple, riders)),
        (_ahead(board, 0, halves[0]), _ahead(board, 1, halves[1])),
        tuple(
            frozenset(
                [cell for way in ORTHOGONAL for cell in rays[way]]
                + [rays[way][0] for way in DIAGONAL if rays[way]]
            )
            for rays in board.rays
        ),
    )


def _near(board: Board, directions: tuple[int, ...], places: set[int]) -> tuple[tuple[int, ...], ...]:
    """Of each point those a step away in these directions that are among the places."""
    return tuple(
        tuple(rays[way][0] for way in directions if rays[way] and rays[way][0] in places) for rays in board.rays
    )


def _on(pairs: list[list[tuple[int, int]]], places: set[int]) -> Pairs:
    return tuple(tuple(pair for pair in found if pair[1] in places) for found in pairs)


def _ahead(board: Board, seat: Seat, own_half: set[int]) -> tuple[tuple[int, ...], ...]:
    """Where a soldier goes: ahead, and beyond the river aside."""
    forward = S if seat else N
    return tuple(
        tuple(rays[way][0] for way in ((forward,) if cell in own_half else (forward, W, E)) if rays[way])
        for cell, rays in enumerate(board.rays)
    )


def targets(ways: Ways, cells: str, seat: Seat, source: int, guards: bool = False) -> Iterator[int]:
    """Where the piece on a point may go, whatever becomes of its general; also the own pieces that it `guards`."""
    own, kind = "" if guards else MARKS[seat], cells[source].upper()
    if kind in "RC":
        yield from _along(ways.lines[source], cells, own, kind == "C")
    elif kind in "HE":
        pairs = ways.horses if kind == "H" else ways.elephants[seat]
        yield from (target for over, target in pairs[source] if cells[over] == EMPTY and cells[target] not in own)
    else:
        steps = ways.generals if kind == "G" else ways.advisors if kind == "A" else ways.soldiers[seat]
        yield from (target for target in steps[source] if cells[target] not in own)


def _along(lines: tuple[tuple[int, ...], ...], cells: str, own: str, has_to_jump: bool) -> Iterator[int]:
    """Where a chariot goes, or a cannon, which jumps over one piece to capture another."""
    for line in lines:
        is_over = not has_to_jump
        for cell in line:
            mark = cells[cell]
            if mark == EMPTY:
                if is_over == (not has_to_jump):
                    yield cell
            elif is_over:
                if mark not in own:
                    yield cell
                break
            else:
                is_over = True


def moved(cells: str, source: int, target: int) -> str:
    """The board after a piece has gone from one point to another."""
    after = list(cells)
    after[target], after[source] = after[source], EMPTY
    return "".join(after)
