"""The usual answers for games of stones: positions that have the seat of each cell's stone, groups, swaps.

A group are stones of one owner that hang together, from neighbour to neighbour.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pbmserv.games.board import Board
from pbmserv.games.defaults import Cells, scene_of
from pbmserv.games.game import Event, Move, Piece, Scene, Seat
from pbmserv.games.info import Info

EMPTY: Final = 2
"""What stands for no stone, in boards that have the seat of each cell's stone."""

SWAP: Final = "swap"


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: `stones` has the seat of each cell's stone, 2 where there is none.

    `turn` is None when the game is over. `last` are the cells of the last ply, what it placed first, and `taken`
    those where it captured, or turned stones.
    """

    board: Board
    stones: bytes
    turn: Seat | None = 0
    last: Cells = ()
    taken: Cells = ()
    winner: Seat | None = None
    """Who has won, where the stones do not tell."""


def no_stones(board: Board) -> bytes:
    """An empty board."""
    return bytes([EMPTY]) * len(board.names)


def group_of(board: Board, stones: Sequence[int], cell: int) -> frozenset[int]:
    """The cells that hang together with one, this one too: of its stone's owner, or empty if it is."""
    owner, found, todo, neighbours = stones[cell], {cell}, [cell], board.neighbours
    while todo:
        for each in neighbours[todo.pop()]:
            if stones[each] == owner and each not in found:
                found.add(each)
                todo.append(each)
    return frozenset(found)


def groups_of(board: Board, stones: Sequence[int], owner: int) -> Iterator[frozenset[int]]:
    """All groups of one owner, in the board's order."""
    seen: set[int] = set()
    for cell, each in enumerate(stones):
        if each == owner and cell not in seen:
            group = group_of(board, stones, cell)
            seen |= group
            yield group


def with_stone(stones: bytes, seat: int, cells: Sequence[int] = (), gone: Sequence[int] = ()) -> bytes:
    """The board with stones of `seat` on some cells, and others gone."""
    after = bytearray(stones)
    for cell in gone:
        after[cell] = EMPTY
    for cell in cells:
        after[cell] = seat
    return bytes(after)


def placements(position: Any, begun: Move, can_place: Callable[[int], object]) -> Iterator[Move]:
    """The moves that begin so and place one stone where it can be, in the board's order; none at the end."""
    if position.turn is not None and len(begun) < 2:
        for cell in begun or range(len(position.stones)):
            if isinstance(cell, int) and can_place(cell):
                yield (cell,)


def swaps(position: Any, begun: Move) -> Iterator[Move]:
    """The swap, if it begins so, and the stone on the board is the first player's only one."""
    is_first = position.turn == 1 and position.stones.count(EMPTY) == len(position.stones) - 1
    if begun in ((), (SWAP,)) and is_first:
        yield (SWAP,)


def swapped(position: Any, new_place: Callable[[Board, int], int]) -> tuple[bytes, Cells, Event]:
    """The board after the second player has taken over the first stone; its cell now and before; and that."""
    (old,) = (cell for cell, owner in enumerate(position.stones) if owner != EMPTY)
    new = new_place(position.board, old)
    stones = with_stone(position.stones, position.turn, (new,), (old,))
    return stones, (new, old), Event("swapped", position.turn, (old, new) if old != new else (old,))


def mirrored(board: Board, cell: int) -> int:
    """The cell with column and row exchanged, where it is to one side what it was to the other: C5 for E3."""
    column, row = divmod(cell, len(board.layout.rows))
    return row * len(board.layout.rows) + column


def drawer(info: Info, scores: Callable[[Any], Cells] = lambda _: ()) -> Callable[[Any], Scene]:
    """How a game with stones draws a position, with its scores if it has any."""
    pieces: dict[int, tuple[Piece, ...]] = {EMPTY: ()}
    pieces |= {seat: (Piece(seat, side.mark),) for seat, side in enumerate(info.sides)}

    def scene(position: Any) -> Scene:
        """What to draw and say of the position."""
        return scene_of(position, tuple([pieces[seat] for seat in position.stones]), scores(position))

    return scene
