"""A node of the tree of `uct`: a position, what was tried there, and how it went."""

import struct
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from pbmserv.games.game import Move, Seat
from pbmserv.robots.search.judge import Rewards

_FIELD: Final = 4
"""Bytes for each cell in packed numbers."""


@dataclass(slots=True)
class Node:
    """A position of the tree."""

    position: Any
    turn: Seat | None
    mover: Seat | None
    """Who made the move that led here; None at the root."""
    untried: list[Move] | None = None
    """The likeliest last; None until somebody asks."""
    is_whole: bool = True
    """Whether all legal moves are tried or untried."""
    children: dict[Move, "Node"] = field(default_factory=dict)
    visits: int = 0
    reward: float = 0.0
    """The sum of what the mover got."""
    proven: Rewards | None = None
    """What each seat gets if all play well from here, once that is known."""
    span: int = 0
    """One more than the highest cell that a move begins with."""
    trials: int = 0
    """For each cell, packed, how often it was the own one of the seat on turn in a playout from here."""
    wins: int = 0
    """And how often that was won."""

    def value(self, seat: Seat) -> float:
        """What the mover, who is `seat`, may expect: 0 to 1."""
        return self.proven[seat] if self.proven is not None else self.reward / self.visits

    def likeliest(self) -> Move:
        """Takes the move that should be tried next from the untried ones."""
        untried = self.untried
        assert untried
        if not self.trials or not isinstance(untried[-1][0], int):
            return untried.pop()
        trials, wins = self.cells()
        best, most = 0, -1.0
        for place, move in enumerate(untried):
            step = move[0]
            known = (wins[step] + 1) / (trials[step] + 2) if isinstance(step, int) else 0.5
            if known > most:
                best, most = place, known
        untried[best], untried[-1] = untried[-1], untried[best]
        return untried.pop()

    def cells(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """For each cell the trials and the wins."""
        return unpacked(self.trials, self.span), unpacked(self.wins, self.span)

    def widen_span(self) -> None:
        """Has room for the cells of the untried moves."""
        cells = [move[0] + 1 for move in self.untried or () if isinstance(move[0], int)]
        self.span = max([self.span, *cells])

    def is_lost_so_far(self) -> bool:
        """Whether all moves that were tried are proven to lose."""
        turn = self.turn or 0
        return all(child.proven is not None and child.proven[turn] == 0 for child in self.children.values())

    def prove(self) -> None:
        """Draws from what is proven of the children: one that wins is enough, else all must be known."""
        assert self.turn is not None
        known = [child.proven for child in self.children.values() if child.proven is not None]
        best = max(known, key=lambda rewards: rewards[self.turn or 0])
        if best[self.turn] == 1:
            self.proven = best
        elif not self.untried and self.is_whole and len(known) == len(self.children):
            same = {rewards for rewards in known if rewards[self.turn] == best[self.turn]}
            # Between more than two, who has several best moves decides how the others fare: nothing is known then.
            if len(same) == 1:
                self.proven = best


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
