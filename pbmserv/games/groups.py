"""Groups of stones: those of one owner that hang together, from neighbour to neighbour."""

from collections.abc import Iterator, Sequence
from typing import Final

from pbmserv.games.board import Board

EMPTY: Final = 2
"""What stands for no stone, in boards that have the seat of each cell's stone."""


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
