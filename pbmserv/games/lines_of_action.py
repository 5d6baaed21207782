"""Lines of action, by Claude Soucie (1969): bring all your pieces together."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from pbmserv.games import boards, defaults
from pbmserv.games.board import Board
from pbmserv.games.boards import NE, SE, E, N
from pbmserv.games.defaults import EMPTY, Position, cells_in, drawn_by, moved, places
from pbmserv.games.game import Event, Move, Outcome, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Side, chosen
from pbmserv.games.notation import starting

SIZE: Final = 8
QUIET_PLIES: Final = 100

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, OWN_PIECE, DISTANCE, IN_THE_WAY, CAPTURING, ENDING = 1, 2, 3, 4, 5, 7

info = Info(
    name="lines-of-action",
    title="Lines of Action",
    rules="lines-of-action/2",
    sides=(Side("Black", "x"), Side("White", "o")),
    group="connection",
    credit=Credit("Claude Soucie", 1969),
    example="b1-b3",
)

_MARKS = tuple(side.mark for side in info.sides)
_HALF: Final = 4
"""Of the eight directions the other four lead back."""


def start(seats: int, options: Mapping[str, str]) -> Position:
    """Black's pieces above and below, White's on both sides, no corners. Raises BadOption for any option."""
    chosen(info, options)
    side = EMPTY + _MARKS[1] * (SIZE - 2) + EMPTY
    between = _MARKS[0] + EMPTY * (SIZE - 2) + _MARKS[0]
    return Position(boards.squares(SIZE, SIZE, is_chequered=True), side + between * (SIZE - 2) + side)


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, by the piece moved."""
    is_over = position.winner is not None or drawn_by(position, QUIET_PLIES)
    return () if is_over else starting(_moves(position), begun)


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a piece moved, one captured."""
    seat, taken = position.turn, () if position.cells[int(move[1])] == EMPTY else cells_in(move[1:])
    after, events = moved(position, move, taken, () if taken else (*position.seen, position.cells))
    # The side that moved wins if both sides are together now.
    winner = next((each for each in (seat, 1 - seat) if is_together(position.board, after.cells, each)), None)
    return replace(after, winner=winner), events


def outcome(position: Position) -> Outcome | None:
    """How it ended: by pieces that are together, or by no move; None while somebody is to move."""
    if position.winner is not None:
        return Outcome(two_ranks(position.winner), "goal")
    if next(_moves(position), None) is None:
        return Outcome(two_ranks(1 - position.turn), "blocked")
    reason = drawn_by(position, QUIET_PLIES)
    return Outcome(two_ranks(None), reason) if reason else None


def is_together(board: Board, cells: str, seat: Seat) -> bool:
    """Whether all pieces of a side hang together, straight or diagonally."""
    left = {cell for cell, mark in enumerate(cells) if mark == _MARKS[seat]}
    todo = [left.pop()] if left else []
    while todo:
        for ray in board.rays[todo.pop()]:
            if ray and ray[0] in left:
                left.remove(ray[0])
                todo.append(ray[0])
    return not left


def _distance(position: Position, source: int, way: int) -> int:
    """How many squares a piece goes in a direction: as many as there are pieces on the line."""
    cells, rays = position.cells, position.board.rays[source]
    line = (*rays[way], *rays[(way + _HALF) % len(rays)])
    return 1 + sum([cells[cell] != EMPTY for cell in line])


def _moves(position: Position) -> Iterator[Move]:
    cells, own, other = position.cells, _MARKS[position.turn], _MARKS[1 - position.turn]
    for source in places(cells, own):
        rays = position.board.rays[source]
        for line in (N, NE, E, SE):
            distance = _distance(position, source, line)
            for way in (line, line + _HALF):
                path = rays[way][:distance]
                is_free = len(path) == distance and other not in [cells[cell] for cell in path[:-1]]
                if is_free and cells[path[-1]] != own:
                    yield (source, path[-1])


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    source, target = int(steps[0]), int(steps[-1])
    if position.cells[source] != _MARKS[position.turn]:
        return OWN_PIECE
    for way, ray in enumerate(position.board.rays[source]):
        if target in ray and ray.index(target) + 1 == _distance(position, source, way) and len(steps) == 2:
            return CAPTURING if position.cells[target] == _MARKS[position.turn] else IN_THE_WAY
    return DISTANCE


to_move = defaults.mover(moves)
read, write = defaults.reader(info, moves, _why, ENDING), defaults.with_captures
scene = defaults.drawer(info)
