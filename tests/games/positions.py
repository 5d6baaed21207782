"""Positions of Cephalopod for the tests: drawn, nearly full, and the figures of the rules."""

from collections.abc import Iterable
from pathlib import Path

from pbmserv.games.boards import squares
from pbmserv.games.cephalopod import Position, moves, play, read, start, write
from pbmserv.games.game import Event
from tests.games.drawing import read_cells

RULES_TEXT = Path(__file__).parents[2] / "templates" / "en" / "rules" / "cephalopod.txt"
OPENING = {"(": 0, "<": 1, "[": 2, "{": 3, "/": 4, "|": 5}

# Each shows a ply, before and after.

CENTRE = """
    ... (1) ...     ... ... ...
    ... ... <1>     ... (2) ...
    ... ... ...     ... ... ...
"""
ALL_FOUR = """
    (1) <1> ...     (1) ... ...
    <1> ... (3)     ... <6> ...
    ... (1) ...     ... ... ...
"""
CHOSEN = """
    (1) ... <4>     ... <2> <4>
    ... (1) ...     ... ... ...
    ... (5) ...     ... (5) ...
"""
TOO_MUCH = """
    (1) ... ...     (1) ... ...
    <3> (2) ...     <3> (2) <1>
    ... (1) <5>     ... (1) <5>
"""
THE_END = """
    (1) (5) <1>     (1) (5) <1>
    <2> <1> (2)     <2> <1> (2)
    (1) <5> <1>     (1) <5> <1>
    (5) (1) <5>     (5) (1) <5>
    (1) <2> ...     (1) <2> (1)
"""
DIAGONAL = """
    (1) ... <1>     (1) ... <1>
    ... ... ...     ... (1) ...
    <1> ... (1)     <1> ... (1)
"""
ONLY_ONE = """
    ... ... ...     ... ... ...
    (1) ... ...     (1) <1> ...
    ... ... ...     ... ... ...
"""
OWN_DICE = """
    ... (2) ...     ... ... ...
    (3) ... ...     ... (5) ...
    ... ... ...     ... ... ...
"""
A_FIVE_AND_A_ONE = """
    ... (5) ...     ... ... ...
    <1> ... (6)     ... <6> (6)
    ... ... ...     ... ... ...
"""


def position_of(rows: list[list[str]], turn: int = 0, seats: int = 2) -> Position:
    """The position with these cells, the top row first."""
    columns, height = len(rows[0]), len(rows)
    cells = [rows[height - 1 - row][column] for column in range(columns) for row in range(height)]
    return Position(
        squares(columns, height, width=3, empty="...", is_spread=True),
        pips=tuple(0 if cell == "..." else int(cell[1]) for cell in cells),
        owners=tuple(None if cell == "..." else OPENING[cell[0]] for cell in cells),
        turn=turn,
        playing=tuple(range(seats)),
    )


def drawn(text: str, turn: int = 0, seats: int = 2) -> Position:
    """The position that a text draws, the top row first."""
    return position_of(read_cells(text), turn, seats)


def play_text(position: Position, text: str) -> tuple[Position, tuple[Event, ...]]:
    """The position after a move as a person types it, and what happened."""
    return play(position, read(position, text))


def texts_of(position: Position) -> list[str]:
    """Every legal move in its notation."""
    return [write(position, move) for move in moves(position)]


def texts_on(position: Position, square: str) -> tuple[str, ...]:
    """The legal moves on one square."""
    return tuple(text for text in texts_of(position) if text.partition("x")[0] == square)


def almost_full(counts: list[int], filler: int, size: str = "5x5") -> Position:
    """A board of sixes with one empty square, A1; once `filler` plays there the seats have `counts` dice."""
    position = start(len(counts), {"size": size})
    owners = [seat for seat, count in enumerate(counts) for _ in range(count - (seat == filler))]
    assert len(owners) == len(position.pips) - 1
    return Position(
        position.board,
        pips=(0, *(6 for _ in owners)),
        owners=(None, *owners),
        turn=filler,
        playing=position.playing,
    )


def eliminated(events: Iterable[Event]) -> list[int]:
    """The seats that were eliminated, in order."""
    return [event.seat for event in events if event.kind == "eliminated"]
