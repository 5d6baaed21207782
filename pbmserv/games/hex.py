"""Hex, by Piet Hein (1942) and, independently of him, John Nash (1948)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

from pbmserv.games.board import Board
from pbmserv.games.game import (
    Credit,
    Event,
    Info,
    Move,
    Option,
    Outcome,
    Piece,
    Scene,
    Seat,
    Side,
    chosen,
    two_ranks,
)
from pbmserv.games.hexagons import rhombus
from pbmserv.games.notation import joined, read_move

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, PLACING, SWAPPING, ENDING = 1, 3, 4, 6

SWAP: Final = "swap"
_EMPTY: Final = 2

info = Info(
    name="hex",
    title="Hex",
    rules="hex/1",
    sides=(Side("Vertical", "V"), Side("Horizontal", "H")),
    credit=Credit("Piet Hein and John Nash", 1942),
    example="c3",
    options=(Option("size", "11", ("11", "13", "14", "19")),),
    words=(SWAP,),
)

_STONES = tuple((Piece(seat, side.mark),) for seat, side in enumerate(info.sides))


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: `stones` has the seat of each cell's stone, 2 where there is none.

    `turn` is None when the game is over. `last` is the cell where the last ply put its stone, and where it came
    from if it was swapped.
    """

    board: Board
    stones: bytes
    turn: Seat | None = 0
    last: tuple[int, ...] = ()


def start(seats: int, options: Mapping[str, str]) -> Position:
    """The empty board. Raises BadOption for anything but a `size` from `info`."""
    size = int(chosen(info, options)["size"])
    return Position(rhombus(size), bytes([_EMPTY]) * size**2)


def to_move(position: Position) -> Seat | None:
    """The seat on turn; None when the game is over."""
    return position.turn


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, in the board's order, and "swap" at the end."""
    if position.turn is None or len(begun) > 1:
        return
    for cell in begun or range(len(position.stones)):
        if isinstance(cell, int) and position.stones[cell] == _EMPTY:
            yield (cell,)
    if begun in ((), (SWAP,)) and _may_swap(position):
        yield (SWAP,)


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a stone placed, or the first one swapped."""
    seat, stones, board = position.turn, bytearray(position.stones), position.board
    assert seat is not None
    if move == (SWAP,):
        (old,) = (cell for cell, owner in enumerate(stones) if owner != _EMPTY)
        new = _mirrored(board, old)
        stones[old] = _EMPTY
        stones[new] = seat
        return Position(board, bytes(stones), 1 - seat, (new, old)), (Event("swapped", seat, (old, new)),)
    cell = int(move[0])
    stones[cell] = seat
    turn = None if _joins(board, stones, cell) else 1 - seat
    return Position(board, bytes(stones), turn, (cell,)), (Event("placed", seat, (cell,)),)


def outcome(position: Position) -> Outcome | None:
    """How it ended; None while somebody is to move. Whoever placed the last stone has won."""
    if position.turn is not None:
        return None
    return Outcome(two_ranks(position.stones[position.last[0]]), "goal")


def write(position: Position, move: Move) -> str:
    """The cell, `C3`, or `swap`."""
    return joined(position.board, move)


def read(position: Position, text: str) -> Move:
    """The legal move that `text` means."""
    found, why = partial(moves, position), partial(_why, position)
    return read_move(text, position.board, found, why, info.words, THE_BOARD)


def scene(position: Position) -> Scene:
    """What to draw and say of the position."""
    return Scene(
        position.board,
        tuple([() if seat == _EMPTY else _STONES[seat] for seat in position.stones]),
        marked=position.last[:1],
        vacated=tuple(cell for cell in position.last[1:] if cell != position.last[0]),
    )


@lru_cache(maxsize=8)
def _edges(board: Board) -> tuple[tuple[frozenset[int], frozenset[int]], ...]:
    """For each seat the two edges that it has to join: rows for Vertical, columns for Horizontal."""
    rows = [frozenset(row.cells) for row in board.layout.rows]
    columns = [frozenset(column) for column in zip(*(row.cells for row in board.layout.rows), strict=True)]
    return (rows[0], rows[-1]), (columns[0], columns[-1])


def _joins(board: Board, stones: bytearray, cell: int) -> bool:
    """Whether the stones connected with the one on a cell touch both edges of its seat."""
    seat, found, todo = stones[cell], {cell}, [cell]
    while todo:
        for each in board.neighbours[todo.pop()]:
            if stones[each] == seat and each not in found:
                found.add(each)
                todo.append(each)
    return all(not edge.isdisjoint(found) for edge in _edges(board)[seat])


def _mirrored(board: Board, cell: int) -> int:
    """The cell with column and row exchanged, where it is to one side what it was to the other: C5 for E3."""
    column, row = divmod(cell, len(board.layout.rows))
    return row * len(board.layout.rows) + column


def _may_swap(position: Position) -> bool:
    """Whether the stone on the board is the first player's only one."""
    return position.turn == 1 and position.stones.count(_EMPTY) == len(position.stones) - 1


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    if position.turn is None:
        return ENDING
    return SWAPPING if SWAP in steps else PLACING
