"""What is on the board and in the hands in shogi, after each ply, and what there is to draw."""

from dataclasses import dataclass
from typing import Final

from pbmserv.games.board import Board
from pbmserv.games.game import Move, Piece, Scene, Seat
from pbmserv.games.shogi_board import EMPTY, IN_HAND, KINDS, MARKS, PLAIN, PROMOTED, WORDS, attackers

PROMOTE, STAY = "promote", "stay"

PIECES: Final = {
    mark: Piece(seat, KINDS[kind][0] if seat == 0 else KINDS[kind][0].lower(), f"shogi/{KINDS[kind][1]}")
    for seat in (0, 1)
    for kind, mark in zip(KINDS, MARKS[seat], strict=True)
}
"""By the letter that a position has for a piece."""


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: for each cell the letter of its piece, small for White, or a dot.

    `hands` are the pieces that each side has captured, as capital letters. `seen` are the boards and hands before
    this one. `last` is the last ply.
    """

    board: Board
    cells: str
    hands: tuple[str, str] = ("", "")
    turn: Seat = 0
    seen: tuple[str, ...] = ()
    last: Move = ()
    has_captured: bool = False
    """Whether the last ply did."""

    @property
    def now(self) -> str:
        """The board and the hands."""
        return f"{self.cells} {self.hands[0]} {self.hands[1]}"


def scene_of(position: Position) -> Scene:
    """What to draw and say of the position."""
    cells = tuple(step for step in position.last if isinstance(step, int))
    return Scene(
        position.board,
        tuple(() if mark == EMPTY else (PIECES[mark],) for mark in position.cells),
        marked=cells[-1:],
        vacated=cells[:-1],
        captured=cells[-1:] if position.has_captured else (),
        hands=tuple(
            tuple((PIECES[mark if seat == 0 else mark.lower()], hand.count(mark)) for mark in dict.fromkeys(hand))
            for seat, hand in enumerate(position.hands)
        ),
        attacked=attacked_king(position.board, position.cells, position.turn),
    )


def after(position: Position, move: Move) -> tuple[str, tuple[str, str]]:
    """The board and the hands after a move."""
    cells, hands, seat, target = list(position.cells), list(position.hands), position.turn, target_of(move)
    if isinstance(move[0], str):
        mark = WORDS[move[0]]
        hands[seat] = hands[seat].replace(mark, "", 1)
        cells[target] = mark if seat == 0 else mark.lower()
        return "".join(cells), (hands[0], hands[1])
    mark, taken = cells[move[0]], cells[target].upper()
    if taken != EMPTY:
        plain = PLAIN.get(taken, taken)
        hands[seat] = "".join(sorted(hands[seat] + plain, key=IN_HAND.find))
    if move[-1] == PROMOTE:
        promoted = PROMOTED[mark.upper()]
        mark = promoted if seat == 0 else promoted.lower()
    cells[target], cells[move[0]] = mark, EMPTY
    return "".join(cells), (hands[0], hands[1])


def attacked_king(board: Board, cells: str, seat: Seat) -> tuple[int, ...]:
    """The cell of a seat's king, if that is in check."""
    return (cells.find("Kk"[seat]),) if is_attacked(board, cells, seat) else ()


def is_attacked(board: Board, cells: str, seat: Seat) -> bool:
    """Whether the king of a seat is in check; `cells` may have the hands behind them."""
    return bool(attackers(board, cells, seat))


def target_of(move: Move) -> int:
    """The cell where a move, or enough of it, ends."""
    return int(move[1])
