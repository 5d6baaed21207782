"""Games of making a row: gomoku, four in a row, connect6, five or pairs, tic-tac-toe.

Gomoku, four in a row and tic-tac-toe are traditional. Connect6 is by I-Chen Wu (2003); five or pairs has the rules
of a game by Gary Gabrel (1977), without its trade name. Boards of points leave out the letter I, as in Go.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from string import ascii_uppercase, digits
from typing import Final, Literal

from pbmserv.games import boards, stones
from pbmserv.games.board import Board
from pbmserv.games.boards import NE, SE, E, N
from pbmserv.games.game import Event, Illegal, Move, Outcome, Reason, Scene, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import joined, read_move
from pbmserv.games.stones import EMPTY

# The numbers of the paragraphs in the rules texts that Illegal may quote, the same in all of them. The last one is
# about what is special: dropping, placing two stones, the first stone in the middle.
THE_BOARD, PLACING, ENDING, SPECIAL = 1, 2, 3, 4

ENOUGH_PAIRS: Final = 5


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: `stones` has the seat of each cell's stone, 2 where there is none.

    `turn` is None when the game is over, and `winner` too when nobody has won. `pairs` are those captured by each
    seat. `last` are the cells of the last ply, `taken` those where it captured stones.
    """

    board: Board
    stones: bytes
    turn: Seat | None = 0
    winner: Seat | None = None
    pairs: tuple[int, int] = (0, 0)
    last: tuple[int, ...] = ()
    taken: tuple[int, ...] = ()


@dataclass(frozen=True)
class RowGame:
    """A game that a row of `length` or more wins.

    `special` says what else there is: stones fall to the bottom ("drop"), two are placed in a turn after the first
    one ("two"), pairs are captured and the first stone stands in the middle ("pairs").
    """

    info: Info
    length: int
    columns: int
    rows: int
    special: Literal["", "drop", "two", "pairs"] = ""

    def start(self, seats: int, options: Mapping[str, str]) -> Position:
        """The empty board. Raises BadOption for anything but the options of `info`."""
        size = chosen(self.info, options).get("size")
        columns, rows = (int(size), int(size)) if size else (self.columns, self.rows)
        board = boards.points(columns) if columns > 9 else boards.squares(columns, rows)
        return Position(board, bytes([EMPTY]) * (columns * rows))

    def to_move(self, position: Position) -> Seat | None:
        """The seat on turn; None when the game is over."""
        return position.turn

    def moves(self, position: Position, begun: Move = ()) -> Iterable[Move]:
        """The legal moves that begin so, in the board's order; two stones may be touched in any order."""
        if position.turn is None or len(set(begun)) < len(begun):
            return
        free = self._free(position)
        rest = self._count(position) - len(begun)
        if rest >= 0 and all(step in free for step in begun):
            for more in combinations([cell for cell in free if cell not in begun], rest):
                yield (*begun, *more)

    def play(self, position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
        """The position after a legal move, and what happened: stones placed, others captured."""
        seat, board, stones = position.turn, position.board, bytearray(position.stones)
        assert seat is not None
        cells = tuple(sorted(map(int, move)))
        for cell in cells:
            stones[cell] = seat
        events = [Event("placed", seat, (cell,)) for cell in cells]
        pairs, taken = position.pairs, _taken(board, stones, cells[0]) if self.special == "pairs" else ()
        if taken:
            for cell in taken:
                stones[cell] = EMPTY
            gained = len(taken) // 2
            pairs = (pairs[0] + gained, pairs[1]) if seat == 0 else (pairs[0], pairs[1] + gained)
            events.append(Event("captured", 1 - seat, taken))
        is_won = pairs[seat] >= ENOUGH_PAIRS or self._is_row(board, stones, cells)
        turn = None if is_won or EMPTY not in stones else 1 - seat
        winner = seat if is_won else None
        return Position(board, bytes(stones), turn, winner, pairs, cells, taken), tuple(events)

    def outcome(self, position: Position) -> Outcome | None:
        """How it ended; None while somebody is to move. Scores are captured pairs, where there are any."""
        if position.turn is not None:
            return None
        reason: Reason = "draw" if position.winner is None else "score"
        if self._is_row(position.board, position.stones, position.last):
            reason = "goal"
        return Outcome(two_ranks(position.winner), reason, self.scores(position))

    def scores(self, position: Position) -> tuple[int, ...]:
        """The pairs that each seat has captured; empty where there is nothing to capture."""
        return position.pairs if self.special == "pairs" else ()

    def write(self, position: Position, move: Move) -> str:
        """The cells in the board's order: `H8`, `K10,L11`."""
        return joined(position.board, tuple(sorted(map(int, move))), ",")

    def read(self, position: Position, text: str) -> Move:
        """The legal move that `text` means; where stones fall, the letter or the number of a column is enough."""
        if self.special == "drop":
            text = self._dropped(position, text.strip(" "))
        found, why = partial(self.moves, position), partial(self._why, position)
        return tuple(sorted(map(int, read_move(text, position.board, found, why, off=THE_BOARD))))

    def scene(self, position: Position) -> Scene:
        """What to draw and say of the position."""
        return stones.drawer(self.info, self.scores)(position)

    def _count(self, position: Position) -> int:
        """How many stones are placed in this turn."""
        return 2 if self.special == "two" and position.last else 1

    def _free(self, position: Position) -> list[int]:
        """The cells where a stone may be placed."""
        stones = position.stones
        if self.special == "drop":
            bottoms = range(0, len(stones), self.rows)
            lowest = [stones.find(EMPTY, bottom, bottom + self.rows) for bottom in bottoms]
            return [cell for cell in lowest if cell >= 0]
        if self.special == "pairs" and not position.last:
            return [len(stones) // 2]
        return [cell for cell, seat in enumerate(stones) if seat == EMPTY]

    def _is_row(self, board: Board, stones: bytes | bytearray, cells: tuple[int, ...]) -> bool:
        """Whether one of these cells is in a row that is long enough."""
        return any(
            1
            + _run(stones, board.rays[cell][way], stones[cell])
            + _run(stones, board.rays[cell][way + 4], stones[cell])
            >= self.length
            for cell in cells
            for way in (N, NE, E, SE)
        )

    def _dropped(self, position: Position, text: str) -> str:
        """The cell where a stone dropped into a column comes to lie; any other text as it is."""
        names = position.board.names
        if text in [*digits[1 : self.columns + 1]]:
            text = ascii_uppercase[int(text) - 1]
        if text.isascii() and f"{text.upper()}{self.rows}" in names and len(text) == 1:
            for cell in self._free(position):
                if names[cell][0] == text.upper():
                    return names[cell]
            raise Illegal(ENDING if position.turn is None else PLACING)
        return text

    def _why(self, position: Position, steps: Move) -> int:
        """The rule that forbids a move."""
        if position.turn is None:
            return ENDING
        if len(steps) != self._count(position):
            return SPECIAL if self.special == "two" else PLACING
        is_free = len(set(steps)) == len(steps) and all(position.stones[int(step)] == EMPTY for step in steps)
        return SPECIAL if is_free else PLACING


def _run(stones: bytes | bytearray, ray: tuple[int, ...], seat: Seat) -> int:
    """How many stones of a seat stand at the beginning of a ray."""
    count = 0
    while count < len(ray) and stones[ray[count]] == seat:
        count += 1
    return count


def _taken(board: Board, stones: bytearray, cell: int) -> tuple[int, ...]:
    """The pairs that the stone on a cell encloses together with others of its seat, in the board's order."""
    seat = stones[cell]
    found = [
        ray[:2]
        for ray in board.rays[cell]
        if len(ray) > 2 and stones[ray[0]] == stones[ray[1]] == 1 - seat and stones[ray[2]] == seat
    ]
    return tuple(sorted(each for pair in found for each in pair))


_BLACK_WHITE = (Side("Black", "x"), Side("White", "o"))

games = (
    RowGame(
        Info(
            name="gomoku",
            title="Gomoku",
            rules="gomoku/1",
            sides=_BLACK_WHITE,
            group="rows",
            credit=Credit("traditional", 0),
            example="h8",
            options=(Option("size", "15", ("13", "15", "19"), measure="lines"),),
        ),
        length=5,
        columns=15,
        rows=15,
    ),
    RowGame(
        Info(
            name="four-in-a-row",
            title="Four in a Row",
            rules="four-in-a-row/1",
            sides=(Side("Red", "x"), Side("Yellow", "o")),
            group="rows",
            credit=Credit("traditional", 0),
            example="d1",
            dialect="[a-g1-7]",
        ),
        length=4,
        columns=7,
        rows=6,
        special="drop",
    ),
    RowGame(
        Info(
            name="connect6",
            title="Connect6",
            rules="connect6/1",
            sides=_BLACK_WHITE,
            group="rows",
            credit=Credit("I-Chen Wu", 2003),
            example="k10",
        ),
        length=6,
        columns=19,
        rows=19,
        special="two",
    ),
    RowGame(
        Info(
            name="five-or-pairs",
            title="Five or Pairs",
            rules="five-or-pairs/1",
            sides=_BLACK_WHITE,
            group="rows",
            credit=Credit("Gary Gabrel", 1977),
            example="k10",
        ),
        length=5,
        columns=19,
        rows=19,
        special="pairs",
    ),
    RowGame(
        Info(
            name="tic-tac-toe",
            title="Tic-Tac-Toe",
            rules="tic-tac-toe/1",
            sides=(Side("Cross", "x"), Side("Nought", "o")),
            group="rows",
            credit=Credit("traditional", 0),
            example="b2",
        ),
        length=3,
        columns=3,
        rows=3,
    ),
)
