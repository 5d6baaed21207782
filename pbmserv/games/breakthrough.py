"""Breakthrough, by Dan Troyka (2000): a race of pawns to the other side."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

from pbmserv.games import boards
from pbmserv.games.board import Board
from pbmserv.games.boards import NE, NW, SE, SW, N, S
from pbmserv.games.game import Event, Move, Outcome, Piece, Scene, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import joined, read_move, starting

ROWS_OF_MEN = 2
EMPTY = "."

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, OWN_MAN, FORWARDS, CAPTURING, ENDING = 1, 2, 3, 4, 5

info = Info(
    name="breakthrough",
    title="Breakthrough",
    rules="breakthrough/1",
    sides=(Side("White", "o"), Side("Black", "x")),
    group="race",
    credit=Credit("Dan Troyka", 2000),
    example="d2-d3",
    options=(Option("size", "8", ("8", "6"), measure="squares"),),
)

_MARKS = tuple(side.mark for side in info.sides)
_CELLS = {EMPTY: ()} | {mark: (Piece(seat, mark),) for seat, mark in enumerate(_MARKS)}


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: for each cell the mark of its man, or a dot. `last` is the last ply."""

    board: Board
    cells: str
    turn: Seat = 0
    last: Move = ()
    has_captured: bool = False
    """Whether the last ply did."""


def start(seats: int, options: Mapping[str, str]) -> Position:
    """Two rows of men on each side. Raises BadOption for anything but a `size` from `info`."""
    size = int(chosen(info, options)["size"])
    column = "o" * ROWS_OF_MEN + EMPTY * (size - 2 * ROWS_OF_MEN) + "x" * ROWS_OF_MEN
    return Position(boards.squares(size, size, is_chequered=True), column * size)


def to_move(position: Position) -> Seat | None:
    """The seat on turn; None when the game is over. Whoever is on turn has a move: the foremost man's."""
    return position.turn if outcome(position) is None else None


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, by the man moved."""
    return () if to_move(position) is None else starting(_moves(position), begun)


def read(position: Position, text: str) -> Move:
    """The legal move that `text` means."""
    return read_move(text, position.board, partial(moves, position), partial(_why, position))


def write(position: Position, move: Move) -> str:
    """The notation of a legal move: `D2-D3`, or `D2xE3` for one that captures."""
    return joined(position.board, move, "-" if position.cells[int(move[1])] == EMPTY else "x")


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a man moved, a man captured."""
    seat, (source, target) = position.turn, (int(step) for step in move)
    events = [Event("moved", seat, (source, target))]
    has_captured = position.cells[target] != EMPTY
    if has_captured:
        events.append(Event("captured", 1 - seat, (target,)))
    cells = list(position.cells)
    cells[source], cells[target] = EMPTY, _MARKS[seat]
    return Position(position.board, "".join(cells), 1 - seat, move, has_captured), tuple(events)


def outcome(position: Position) -> Outcome | None:
    """How it ended: by a man on the far row, or by no man left; None while somebody is to move."""
    size = len(position.board.layout.rows)
    for seat, far in ((0, position.cells[size - 1 :: size]), (1, position.cells[::size])):
        if _MARKS[seat] in far:
            return Outcome(two_ranks(seat), "goal")
        if _MARKS[1 - seat] not in position.cells:
            return Outcome(two_ranks(seat), "bare")
    return None


def scene(position: Position) -> Scene:
    """What to draw and say of the position."""
    source, target = (int(step) for step in position.last or (0, 0))
    return Scene(
        position.board,
        tuple(_CELLS[mark] for mark in position.cells),
        marked=(target,) if position.last else (),
        vacated=(source,) if position.last else (),
        captured=(target,) if position.has_captured else (),
    )


@lru_cache(maxsize=8)
def _ways(board: Board, seat: Seat) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """Of each cell the one straight ahead and those diagonally ahead, as far as there are any."""
    straight, aside = ((N,), (NW, NE)) if seat == 0 else ((S,), (SW, SE))
    return tuple(
        (
            tuple(rays[way][0] for way in straight if rays[way]),
            tuple(rays[way][0] for way in aside if rays[way]),
        )
        for rays in board.rays
    )


def _moves(position: Position) -> Iterable[Move]:
    cells, own, ways = position.cells, _MARKS[position.turn], _ways(position.board, position.turn)
    source = cells.find(own)
    while source >= 0:
        straight, aside = ways[source]
        for target in straight:
            if cells[target] == EMPTY:
                yield (source, target)
        for target in aside:
            if cells[target] != own:
                yield (source, target)
        source = cells.find(own, source + 1)


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    if to_move(position) is None:
        return ENDING
    source, target = int(steps[0]), int(steps[-1])
    if position.cells[source] != _MARKS[position.turn]:
        return OWN_MAN
    straight, _ = _ways(position.board, position.turn)[source]
    is_in_the_way = target in straight and position.cells[target] == _MARKS[1 - position.turn]
    return CAPTURING if is_in_the_way else FORWARDS
