"""What a position is worth in which the game goes on: played to its end anyhow, or by a rule of thumb, a *judge*.

The judges are modules here, one for each family, found by scanning. A module names them by game:
`judges = {"hex": Judge(...)}`. Games without one are played to their end. What a judge says is no rule: a game is
the same without it, and its robots weaker.

Judges see sets of cells as the bits of a number, cell 0 the lowest: many cells at a time, in plain Python.
"""

import importlib
import pkgutil
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

import pbmserv.robots.search.judges
from pbmserv.games.board import Board
from pbmserv.games.game import Game, Move, Outcome, scores_of
from pbmserv.robots.thought import Dice

Rewards = tuple[float, ...]
"""For each seat, from 0 for the last to 1 for the first; ties share what their ranks get together."""

Looked = tuple[Rewards, tuple[int, ...]]
"""What a position is worth; and of a playout the cells that each seat came to own, packed (`bits.packed`)."""

LONGEST: Final = 400
"""Plies of a playout; one that goes on after that is judged as it stands."""


@dataclass(frozen=True, slots=True)
class Judge:
    """How positions of a game are judged."""

    look: Callable[[Game, Any, Dice], Looked]
    """What a position is worth in which somebody is to move."""
    curiosity: float = 0.7
    """How far the search goes after what was seldom tried: the less the surer the judge."""
    likely: Callable[[Any], tuple[list[Move], bool] | None] | None = None
    """The moves worth trying, the best last, and whether these are all that matter, since no other one is legal or
    all others are no better. None where the judge cannot say."""


def likelihood(ahead: float) -> tuple[float, float]:
    """The chances of two seats when the first is ahead by so much: by 1 it wins three games of four.

    >>> likelihood(0), likelihood(1), likelihood(-3)
    ((0.5, 0.5), (0.75, 0.25), (0.125, 0.875))
    """
    first = 0.5 + ahead / (2 + 2 * abs(ahead))
    return first, 1 - first


Covered = dict[int, float]
"""The cells that a side covers, each with the least piece that does."""


def best_gains(
    own: Covered, theirs: Covered, worth_of: Callable[[int], float], twice: float
) -> tuple[float, float]:
    """The two captures that gain most, counting what is taken back (`twice` its worth); 0 where there is none.

    `worth_of` is what there is to capture on a cell, 0 for nothing.
    """
    most = second = 0.0
    for cell, worth in own.items():
        gain = worth_of(cell) - (twice * worth if cell in theirs else 0.0)
        if gain > most:
            most, second = gain, most
        elif gain > second:
            second = gain
    return most, second


def by_playing(game: Game, position: Any, dice: Dice) -> Looked:
    """What comes of it if all play anyhow."""
    for _ in range(LONGEST):
        moves = list(game.moves(position))
        if not moves:
            outcome = game.outcome(position)
            assert outcome is not None
            return outcome.shares, ()
        position, _ = game.play(position, moves[dice.below(len(moves))])
    scores = scores_of(game, position) or (0,) * game.info.least_seats
    ranks = tuple([1 + sum(other > score for other in scores) for score in scores])
    return Outcome(ranks, "exhausted").shares, ()


ANY: Final = Judge(by_playing)
"""The judge of games that have none of their own."""


def judge_of(game: Game) -> Judge:
    """Who judges positions of a game."""
    return _judges().get(game.info.name, ANY)


@lru_cache(maxsize=1)
def _judges() -> Mapping[str, Judge]:
    """All judges by the name of their game."""
    modules = (
        importlib.import_module(f"pbmserv.robots.search.judges.{found.name}")
        for found in pkgutil.iter_modules(pbmserv.robots.search.judges.__path__)
    )
    return MappingProxyType({name: judge for module in modules for name, judge in module.judges.items()})


# sets of cells

Shifts = tuple[tuple[int, int], ...]
"""Steps in some directions: from which cells there is one, and how many numbers on, or back, it leads."""


def bits_of(marks: bytes | str, mark: int | str) -> int:
    """The cells that have this mark.

    >>> bin(bits_of("xo.x", "x")), bin(bits_of(bytes([2, 1, 2]), 1))
    ('0b1001', '0b10')
    """
    text = marks.decode("latin-1") if isinstance(marks, bytes) else marks
    sign = chr(mark) if isinstance(mark, int) else mark
    return int(text.translate(_Only(sign))[::-1], 2)


class _Only(dict[int, str]):
    """A table for `str.translate`: 1 for one sign, 0 for every other one."""

    def __init__(self, sign: str) -> None:
        super().__init__({ord(sign): "1"})

    def __missing__(self, key: int) -> str:
        return "0"


def cells_of(bits: int) -> list[int]:
    """The cells of a set, in order.

    >>> cells_of(0b1001)
    [0, 3]
    """
    return [cell for cell, bit in enumerate(reversed(f"{bits:b}")) if bit == "1"]


@dataclass(frozen=True, slots=True)
class Lines:
    """How the cells of a board lie beside each other."""

    beside: Shifts
    """To all neighbours."""
    ways: tuple[tuple[int, int], ...]
    """One step for each direction of the rays."""


@lru_cache(maxsize=32)
def lines_of(board: Board) -> Lines:
    """The steps on a board of which all cells are numbered evenly: squares, points, a rhombus."""
    ways = tuple(_shifts([ray[:1] for ray in rays]) for rays in zip(*board.rays, strict=True))
    return Lines(_shifts(board.neighbours), tuple(way[0] for way in ways if way))


def _shifts(to: Sequence[Sequence[int]]) -> Shifts:
    found: dict[int, int] = {}
    for cell, targets in enumerate(to):
        for target in targets:
            found[target - cell] = found.get(target - cell, 0) | 1 << cell
    return tuple((cells, step) for step, cells in sorted(found.items()))


def beside(bits: int, shifts: Shifts) -> int:
    """The cells one step from a set."""
    found = 0
    for cells, step in shifts:
        found |= (bits & cells) << step if step > 0 else (bits & cells) >> -step
    return found


def joined_with(bits: int, within: int, shifts: Shifts) -> int:
    """The cells of `within` that hang together with those of a set that are in it."""
    found = news = bits & within
    while news:
        news = beside(news, shifts) & within & ~found
        found |= news
    return found


_FIELD: Final = 4
"""Bytes for each cell in packed numbers."""


def packed(cells: int, count: int) -> int:
    """A number with a field of four bytes for each of `count` cells: 1 where the cell's bit is set.

    >>> unpacked(packed(0b101, 3), 3)
    (1, 0, 1)
    """
    spread = map(_spread().__getitem__, cells.to_bytes(-(-count // 8), "little"))
    return int.from_bytes(b"".join(spread), "little")


def unpacked(number: int, count: int) -> tuple[int, ...]:
    """The first fields of a packed number."""
    whole = number.to_bytes(max(_FIELD * count, -(-number.bit_length() // 8)), "little")
    return struct.unpack_from(f"<{count}I", whole)


@lru_cache(maxsize=1)
def _spread() -> tuple[bytes, ...]:
    """For each byte its bits, a field each."""
    return tuple(struct.pack("<8I", *(byte >> bit & 1 for bit in range(8))) for byte in range(256))
