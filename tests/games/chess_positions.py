"""Positions of chess from the notation of Forsyth and Edwards, and counted trees, for the tests of the family."""

from typing import Any

from pbmserv.games.chess import Chess, Position
from pbmserv.games.chess_moves import BOARD, SIZE, Situation

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


def position_of(game: Chess, text: str, **more: Any) -> Position:
    """The position of a text: `8/8/8/8/8/8/8/K1k5 w - -`; rooks that may castle as `KQkq`, or by their columns."""
    rows, turn, castling, passing, *_ = text.split()
    cells = bytearray(b"." * SIZE * SIZE)
    for count, row in enumerate(rows.split("/"), 1):
        column = 0
        for sign in row:
            if sign.isdigit():
                column += int(sign)
            else:
                cells[column * SIZE + SIZE - count] = ord(sign)
                column += 1
    rights = tuple(sorted(_rook(bytes(cells), sign) for sign in castling.strip("-")))
    at = Situation(bytes(cells), "wb".index(turn), rights)._replace(**more)
    return Position(at if passing == "-" else game.with_passing(at, BOARD.numbers[passing.upper()]))


def _rook(cells: bytes, sign: str) -> int:
    row, mark = (0, b"R") if sign.isupper() else (SIZE - 1, b"r")
    rooks = [column * SIZE + row for column in range(SIZE) if cells[column * SIZE + row] == mark[0]]
    column = {"K": rooks[-1], "Q": rooks[0]}.get(sign.upper())
    return "ABCDEFGH".index(sign.upper()) * SIZE + row if column is None else column


def tree(game: Chess, position: Position, plies: int) -> list[int]:
    """How many games there are of one ply, of two, and so on; the last plies are counted and not played."""

    def count(position: Position, left: int) -> int:
        legal = list(game.moves(position))
        return len(legal) if left == 1 else sum(count(game.play(position, move)[0], left - 1) for move in legal)

    return [count(position, left) for left in range(1, plies + 1)]
