"""Ultimate tic-tac-toe: nine small boards in a large one, where each move says on which of them the next one is.

A folk game, of unknown origin.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Final

from pbmserv.games import boards, defaults
from pbmserv.games.board import Board, Sheet
from pbmserv.games.game import Event, Move, Outcome, Piece, Reason, Scene, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Side, chosen
from pbmserv.games.notation import joined, read_move

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, PLACING, WHERE, CLOSED, ENDING = 1, 2, 3, 4, 6

EMPTY, FULL = 2, 3
"""Of a cell or a small board: it is nobody's yet; and of a small board: it is full, and nobody's."""

info = Info(
    name="ultimate-tic-tac-toe",
    title="Ultimate Tic-Tac-Toe",
    rules="ultimate-tic-tac-toe/1",
    sides=(Side("Cross", "x"), Side("Nought", "o")),
    credit=Credit("traditional", 0),
    example="e5",
    group="rows",
)

_SIZE: Final = 9
ROWS: Final = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
"""The rows of a board of three by three cells, which are counted upwards, column by column."""

_SMALL: Final = tuple(cell // 27 * 3 + cell % 9 // 3 for cell in range(81))
"""The small board of each cell."""
_PLACE: Final = tuple(cell // 9 % 3 * 3 + cell % 3 for cell in range(81))
"""The place that each cell has on its small board."""
CELLS: Final = tuple(tuple(cell for cell in range(81) if _SMALL[cell] == small) for small in range(9))
"""The cells of each small board, in the order of their places."""


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: `marks` has the seat of each cell, `smalls` that of each small board.

    `turn` is None when the game is over, and `winner` too when nobody has won; `last` is the cell of the last ply.
    """

    marks: bytes = bytes([EMPTY]) * 81
    smalls: bytes = bytes([EMPTY]) * 9
    turn: Seat | None = 0
    winner: Seat | None = None
    last: int | None = None


@lru_cache(maxsize=1)
def _board() -> Board:
    """Nine by nine squares, with lines between the small boards; every second one is shaded."""
    plain = boards.squares(_SIZE, _SIZE)
    head = " " * 7 + "   ".join(" ".join("ABCDEFGHI"[at : at + 3]) for at in (0, 3, 6))
    lines = [head]
    for row in range(_SIZE, 0, -1):
        lines.append(f"    {row}  . . . | . . . | . . .  {row}")
        if row in (7, 4):
            lines.append("       ------+-------+------")
    lines.append(head)
    slots = [
        (9 - row + (8 - row) // 3, 7 + 2 * column + column // 3 * 2) for column in range(9) for row in range(9)
    ]
    return replace(
        plain,
        key="ultimate 9x9",
        sheet=Sheet(tuple(lines), tuple(slots), 1),
        layout=replace(plain.layout, shaded=tuple(cell for cell in range(81) if _SMALL[cell] % 2 == 0)),
    )


def start(seats: int, options: Mapping[str, str]) -> Position:
    """The empty board. Raises BadOption for any option."""
    chosen(info, options)
    return Position()


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The empty cells where a mark may be put, in the board's order."""
    if position.turn is None or len(begun) > 1:
        return ()
    return tuple((cell,) for cell in _open(position) if begun in ((), (cell,)))


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a mark placed, perhaps a small board won by a row."""
    cell, seat = int(move[0]), position.turn
    assert seat is not None
    marks, smalls = bytearray(position.marks), bytearray(position.smalls)
    marks[cell] = seat
    small = _SMALL[cell]
    events = [Event("placed", seat, (cell,))]
    inside = bytes(marks[each] for each in CELLS[small])
    row = _row(inside, _PLACE[cell])
    if row:
        smalls[small] = seat
        events.append(Event("scored", seat, tuple(CELLS[small][place] for place in row), count=1))
    elif EMPTY not in inside:
        smalls[small] = FULL
    is_won = bool(row) and bool(_row(smalls, small))
    turn = None if is_won or EMPTY not in smalls else 1 - seat
    return Position(bytes(marks), bytes(smalls), turn, seat if is_won else None, cell), tuple(events)


def outcome(position: Position) -> Outcome | None:
    """How it ended; None while somebody is to move. Scores are the small boards won."""
    if position.turn is not None:
        return None
    reason: Reason = "draw" if position.winner is None else "goal"
    return Outcome(two_ranks(position.winner), reason, scores(position))


def scores(position: Position) -> tuple[int, ...]:
    """The small boards that each seat has won."""
    return (position.smalls.count(0), position.smalls.count(1))


def write(position: Position, move: Move) -> str:
    """The cell: `E5`."""
    return joined(_board(), move)


def read(position: Position, text: str) -> Move:
    """The legal move that `text` means."""
    return read_move(text, _board(), partial(moves, position), partial(_why, position), off=THE_BOARD)


def scene(position: Position) -> Scene:
    """What to draw and say of the position; rows that won a small board have capitals."""
    rows = {
        CELLS[small][place]
        for small, seat in enumerate(position.smalls)
        if seat < EMPTY
        for place in _won_row(bytes(position.marks[each] for each in CELLS[small]))
    }
    aims = _open_boards(position)
    return Scene(
        _board(),
        tuple(() if seat == EMPTY else (_piece(seat, cell in rows),) for cell, seat in enumerate(position.marks)),
        marked=() if position.last is None else (position.last,),
        scores=scores(position),
        within=CELLS[aims[0]] if len(aims) == 1 else (),
    )


def _piece(seat: Seat, is_in_row: bool) -> Piece:
    mark = info.sides[seat].mark
    return Piece(seat, mark.upper(), "won") if is_in_row else Piece(seat, mark)


def _open_boards(position: Position) -> tuple[int, ...]:
    """The small boards where the next mark may be put; none when the game is over."""
    if position.turn is None:
        return ()
    aim = None if position.last is None else _PLACE[position.last]
    if aim is not None and position.smalls[aim] == EMPTY:
        return (aim,)
    return tuple(small for small, seat in enumerate(position.smalls) if seat == EMPTY)


def _open(position: Position) -> list[int]:
    """The cells where the next mark may be put."""
    free = (cell for small in _open_boards(position) for cell in CELLS[small] if position.marks[cell] == EMPTY)
    return sorted(free)


def _row(marks: bytes | bytearray, place: int) -> tuple[int, ...]:
    """All places in rows of three of one seat that this place is in, with it; empty where there are none."""
    found = {
        each
        for row in ROWS
        if place in row and marks[place] < EMPTY and len({marks[each] for each in row}) == 1
        for each in row
    }
    return tuple(sorted(found))


def _won_row(marks: bytes) -> tuple[int, ...]:
    """The places of all rows of three of one seat."""
    return tuple({each for place in range(9) for each in _row(marks, place)})


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    if position.turn is None:
        return ENDING
    cell = steps[0]
    if len(steps) > 1 or not isinstance(cell, int) or position.marks[cell] != EMPTY:
        return PLACING
    return WHERE if position.smalls[_SMALL[cell]] == EMPTY else CLOSED


to_move = defaults.turn_of
