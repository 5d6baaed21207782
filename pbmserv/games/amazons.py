"""Amazons, by Walter Zamkauskas (1988): move, shoot, and keep room to move."""

from collections.abc import Iterable, Iterator, Mapping

from pbmserv.games import boards, defaults
from pbmserv.games.defaults import EMPTY, Position
from pbmserv.games.game import Event, Move, Piece
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import joined

BURNT = "#"

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, OWN_AMAZON, MOVING, SHOOTING, BLOCKED, ENDING = 1, 2, 3, 4, 5, 6

# By size, where White's amazons stand on the left half; the right half and Black's half mirror them.
_LEFT = {10: ("A4", "D1"), 8: ("A3", "C1"), 6: ("A2", "B1")}

info = Info(
    name="amazons",
    title="Amazons",
    rules="amazons/1",
    sides=(Side("White", "W"), Side("Black", "B")),
    group="blocking",
    credit=Credit("Walter Zamkauskas", 1988),
    example="d1-d7/g7",
    options=(Option("size", "10", ("10", "8", "6"), measure="squares"),),
)

_MARKS = tuple(side.mark for side in info.sides)


def start(seats: int, options: Mapping[str, str]) -> Position:
    """Four amazons on each side. Raises BadOption for anything but a `size` from `info`."""
    size = int(chosen(info, options)["size"])
    board = boards.squares(size, size, is_chequered=True)
    cells = [EMPTY] * len(board.names)
    for name in _LEFT[size]:
        column, row = divmod(board.numbers[name], size)
        for aside in (column, size - 1 - column):
            cells[aside * size + row], cells[aside * size + size - 1 - row] = _MARKS
    return Position(board, "".join(cells))


def moves(position: Position, begun: Move = ()) -> Iterator[Move]:
    """The legal moves that begin so, one at a time: the amazon, where it goes, where its arrow lands."""
    cells, rays, own = position.cells, position.board.rays, _MARKS[position.turn]
    if len(begun) > 3:
        return
    for source in begun[:1] or [cell for cell, mark in enumerate(cells) if mark == own]:
        if not isinstance(source, int) or cells[source] != own:
            continue
        left = cells[:source] + EMPTY + cells[source + 1 :]
        for target in _reached(cells, rays[source], begun[1:2]):
            for shot in _reached(left, rays[target], begun[2:3]):
                yield (source, target, shot)


def write(position: Position, move: Move) -> str:
    """The notation of a legal move: `D1-D7/G7`."""
    return f"{joined(position.board, move[:2])}/{joined(position.board, move[2:])}"


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: an amazon moved, and its arrow was placed."""
    source, target, shot = (int(step) for step in move)
    cells = list(position.cells)
    cells[target], cells[source] = cells[source], EMPTY
    cells[shot] = BURNT
    events = (
        Event("moved", position.turn, (source, target)),
        Event("placed", position.turn, (shot,), "burnt"),
    )
    return Position(position.board, "".join(cells), 1 - position.turn, (target, shot, source)), events


def _reached(cells: str, rays: Iterable[tuple[int, ...]], only: Move) -> Iterator[int]:
    """The empty cells in a straight line with nothing between, or of them the only one asked for."""
    for ray in rays:
        if only and only[0] not in ray:
            continue
        for cell in ray:
            if cells[cell] != EMPTY:
                break
            if not only or only[0] == cell:
                yield cell


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    if position.cells[int(steps[0])] != _MARKS[position.turn]:
        return OWN_AMAZON
    if next(moves(position, steps[:1]), None) is None:
        return BLOCKED
    return MOVING if next(moves(position, steps[:2]), None) is None else SHOOTING


to_move, outcome = defaults.mover(moves), defaults.last_mover(moves)
read = defaults.reader(info, moves, _why, ENDING)
scene = defaults.drawer(info, more={BURNT: (Piece(None, BURNT, "burnt"),)})
