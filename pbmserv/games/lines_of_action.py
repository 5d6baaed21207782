"""Lines of action, by Claude Soucie (1969): bring all your pieces together."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from pbmserv.games import boards
from pbmserv.games.board import Board
from pbmserv.games.boards import NE, SE, E, N
from pbmserv.games.game import Event, Move, Outcome, Piece, Reason, Scene, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Side, chosen
from pbmserv.games.notation import joined, read_move, starting

SIZE: Final = 8
QUIET_PLIES: Final = 100
EMPTY: Final = "."

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
_CELLS = {EMPTY: ()} | {mark: (Piece(seat, mark),) for seat, mark in enumerate(_MARKS)}
_HALF: Final = 4
"""Of the eight directions the other four lead back."""


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: for each cell the mark of its piece, or a dot.

    `seen` are the boards before this one since the last capture. `last` is the last ply. `winner` is the side
    whose pieces are together, if any's are.
    """

    board: Board
    cells: str
    turn: Seat = 0
    seen: tuple[str, ...] = ()
    last: Move = ()
    has_captured: bool = False
    """Whether the last ply did."""
    winner: Seat | None = None


def start(seats: int, options: Mapping[str, str]) -> Position:
    """Black's pieces above and below, White's on both sides, no corners. Raises BadOption for any option."""
    chosen(info, options)
    side = EMPTY + _MARKS[1] * (SIZE - 2) + EMPTY
    between = _MARKS[0] + EMPTY * (SIZE - 2) + _MARKS[0]
    return Position(boards.squares(SIZE, SIZE, is_chequered=True), side + between * (SIZE - 2) + side)


def to_move(position: Position) -> Seat | None:
    """The seat on turn; None when the game is over."""
    return None if next(iter(moves(position)), None) is None else position.turn


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, by the piece moved."""
    if position.winner is not None or _drawn(position):
        return ()
    return starting(_moves(position), begun)


def read(position: Position, text: str) -> Move:
    """The legal move that `text` means."""
    return read_move(text, position.board, partial(moves, position), partial(_why, position))


def write(position: Position, move: Move) -> str:
    """The notation of a legal move: `B1-B3`, or `D1xA4` for one that captures."""
    return joined(position.board, move, "-" if position.cells[int(move[1])] == EMPTY else "x")


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a piece moved, one captured."""
    seat, (source, target) = position.turn, (int(step) for step in move)
    cells = list(position.cells)
    has_captured = cells[target] != EMPTY
    events = [Event("moved", seat, (source, target))]
    if has_captured:
        events.append(Event("captured", 1 - seat, (target,)))
    cells[source], cells[target] = EMPTY, _MARKS[seat]
    after = "".join(cells)
    # Whoever moves wins if both sides are together now.
    winner = next((each for each in (seat, 1 - seat) if is_together(position.board, after, each)), None)
    seen = () if has_captured else (*position.seen, position.cells)
    return Position(position.board, after, 1 - seat, seen, move, has_captured, winner), tuple(events)


def outcome(position: Position) -> Outcome | None:
    """How it ended: by pieces that are together, or by no move; None while somebody is to move."""
    if position.winner is not None:
        return Outcome(two_ranks(position.winner), "goal")
    if next(_moves(position), None) is None:
        return Outcome(two_ranks(1 - position.turn), "blocked")
    reason: Reason = "exhausted" if len(position.seen) >= QUIET_PLIES else "repeated"
    return Outcome(two_ranks(None), reason) if _drawn(position) else None


def scene(position: Position) -> Scene:
    """What to draw and say of the position."""
    steps = tuple(int(step) for step in position.last)
    return Scene(
        position.board,
        tuple(_CELLS[mark] for mark in position.cells),
        marked=steps[1:],
        vacated=steps[:1],
        captured=steps[1:] if position.has_captured else (),
    )


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


def _drawn(position: Position) -> bool:
    """Whether too long nothing has been captured, or the position is here for the third time."""
    seen = position.seen
    return len(seen) >= QUIET_PLIES or (len(seen) > 7 and seen[-2::-2].count(position.cells) > 1)


def _distance(position: Position, source: int, way: int) -> int:
    """How many squares a piece goes in a direction: as many as there are pieces on the line."""
    cells, rays = position.cells, position.board.rays[source]
    line = (*rays[way], *rays[(way + _HALF) % len(rays)])
    return 1 + sum([cells[cell] != EMPTY for cell in line])


def _moves(position: Position) -> Iterator[Move]:
    cells, own, other = position.cells, _MARKS[position.turn], _MARKS[1 - position.turn]
    source = cells.find(own)
    while source >= 0:
        rays = position.board.rays[source]
        for line in (N, NE, E, SE):
            distance = _distance(position, source, line)
            for way in (line, line + _HALF):
                path = rays[way][:distance]
                is_free = len(path) == distance and other not in [cells[cell] for cell in path[:-1]]
                if is_free and cells[path[-1]] != own:
                    yield (source, path[-1])
        source = cells.find(own, source + 1)


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    if to_move(position) is None:
        return ENDING
    source, target = int(steps[0]), int(steps[-1])
    if position.cells[source] != _MARKS[position.turn]:
        return OWN_PIECE
    for way, ray in enumerate(position.board.rays[source]):
        if target in ray and ray.index(target) + 1 == _distance(position, source, way) and len(steps) == 2:
            return CAPTURING if position.cells[target] == _MARKS[position.turn] else IN_THE_WAY
    return DISTANCE
