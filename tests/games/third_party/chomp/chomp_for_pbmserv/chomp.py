"""Chomp, by Frederik Schuh (1952) and David Gale (1974): who has to eat the last piece of chocolate loses."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pbmserv.games import defaults
from pbmserv.games.board import Board
from pbmserv.games.boards import squares
from pbmserv.games.game import Event, Move, Outcome, Piece, Scene, two_ranks
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import starting

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BAR, EATING, ENDING = 1, 2, 3

info = Info(
    name="chomp",
    title="Chomp",
    rules="chomp/1",
    sides=(Side("First", "x"), Side("Second", "o")),
    credit=Credit("David Gale", 1974),
    example="d3",
    options=(Option("size", "5", ("4", "5", "7")),),
    group="blocking",
)


@dataclass(frozen=True, slots=True)
class Position:
    """The bar between two plies: the pieces that are left, whose turn it is, and what was eaten last."""

    board: Board
    left: frozenset[int]
    turn: int = 0
    eaten: tuple[int, ...] = ()


def start(seats: int, options: Mapping[str, str]) -> Position:
    """The whole bar. Raises BadOption for anything but a size."""
    size = int(chosen(info, options)["size"])
    board = squares(size, size - 1)
    return Position(board, frozenset(range(len(board.names))))


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """Any piece that is left can be bitten off."""
    return starting(((cell,) for cell in sorted(position.left)), begun)


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a bite, which takes all pieces to the right of a piece and above it."""
    column, row = _place(position.board, int(move[0]))
    places = {cell: _place(position.board, cell) for cell in sorted(position.left)}
    eaten = tuple(cell for cell, (x, y) in places.items() if x >= column and y >= row)
    after = Position(position.board, position.left.difference(eaten), 1 - position.turn, eaten)
    poisoned = (Event("changed", after.turn, (0,), "poisoned"),) if after.left == {0} else ()
    return after, (Event("captured", position.turn, eaten), *poisoned)


def outcome(position: Position) -> Outcome | None:
    """Whoever ate the last piece has lost, so the player who would be next has won."""
    return None if position.left else Outcome(two_ranks(position.turn), "blocked")


def scene(position: Position) -> Scene:
    """The pieces that are left."""
    piece = (Piece(None, "#", "chocolate"),)
    cells = range(len(position.board.names))
    return Scene(
        position.board, tuple(piece if cell in position.left else () for cell in cells), captured=position.eaten
    )


def _place(board: Board, cell: int) -> tuple[int, int]:
    """The column and the row of a cell."""
    return ord(board.names[cell][0]), int(board.names[cell][1:])


def _why(_: Position, __: Move) -> int:
    """The rule that forbids a move."""
    return EATING


to_move = defaults.mover(moves)
read, write = defaults.reader(info, moves, _why, ENDING), defaults.hyphenated
