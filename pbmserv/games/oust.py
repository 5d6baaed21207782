"""Oust, by Mark Steere (2007), as he published it: no swap, nothing left out, nothing added."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

from pbmserv.games import boards
from pbmserv.games.board import Board
from pbmserv.games.game import Event, Move, Outcome, Piece, Scene, Seat, two_ranks
from pbmserv.games.groups import EMPTY, group_of, with_stone
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import joined, read_move

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, PLACING, CAPTURING, ENDING = 1, 2, 4, 7

info = Info(
    name="oust",
    title="Oust",
    rules="oust/1",
    sides=(Side("Black", "x"), Side("White", "o")),
    group="territory",
    credit=Credit("Mark Steere", 2007, "marksteeregames.com"),
    example="e5",
    options=(Option("size", "9", ("9", "13", "19"), measure="lines"),),
)

_STONES = tuple((Piece(seat, side.mark),) for seat, side in enumerate(info.sides))


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: `stones` has the seat of each point's stone, 2 where there is none.

    `turn` is None when the game is over. `last` is the point played last, `taken` those where it captured.
    """

    board: Board
    stones: bytes
    turn: Seat | None = 0
    last: int | None = None
    taken: tuple[int, ...] = ()


def start(seats: int, options: Mapping[str, str]) -> Position:
    """The empty board. Raises BadOption for anything but a `size` from `info`."""
    size = int(chosen(info, options)["size"])
    return Position(boards.points(size), bytes([EMPTY]) * size**2)


def to_move(position: Position) -> Seat | None:
    """The seat on turn; None when the game is over."""
    return position.turn


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, in the board's order."""
    if position.turn is None or len(begun) > 1:
        return
    allowed = _allowed(position.board, position.stones, position.turn)
    for cell in begun or allowed:
        if cell in allowed:
            yield (cell,)


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a stone placed, others captured, a forced pass.

    Who has captured is on turn again; so is who has not, where the other side cannot place a stone.
    """
    seat, board, cell = position.turn, position.board, int(move[0])
    assert seat is not None
    taken = _allowed(board, position.stones, seat)[cell]
    stones = with_stone(position.stones, seat, (cell,), taken)
    events = [Event("placed", seat, (cell,))]
    if taken:
        events.append(Event("captured", 1 - seat, taken))
    if taken and 1 - seat not in stones:
        return Position(board, stones, None, cell, taken), tuple(events)
    turn = seat if taken else 1 - seat
    after: Seat | None = turn
    if not _allowed(board, stones, turn):
        if _allowed(board, stones, 1 - turn):
            events.append(Event("passed", turn))
            after = 1 - turn
        else:
            after = None
    return Position(board, stones, after, cell, taken), tuple(events)


def outcome(position: Position) -> Outcome | None:
    """How it ended: who has no stones left has lost, and it is a draw on a board where nobody can place one."""
    if position.turn is not None:
        return None
    if 0 in position.stones and 1 in position.stones:
        return Outcome(two_ranks(None), "draw")
    return Outcome(two_ranks(0 if 0 in position.stones else 1), "bare")


def write(position: Position, move: Move) -> str:
    """The point: `E5`."""
    return joined(position.board, move)


def read(position: Position, text: str) -> Move:
    """The legal move that `text` means."""
    return read_move(text, position.board, partial(moves, position), partial(_why, position), off=THE_BOARD)


def scene(position: Position) -> Scene:
    """What to draw and say of the position."""
    return Scene(
        position.board,
        tuple([() if seat == EMPTY else _STONES[seat] for seat in position.stones]),
        marked=() if position.last is None else (position.last,),
        captured=position.taken,
    )


@lru_cache(maxsize=2**10)
def _allowed(board: Board, stones: bytes, seat: Seat) -> Mapping[int, tuple[int, ...]]:
    """The points where a seat may place a stone, with what it captures there, in the board's order."""
    groups: dict[int, frozenset[int]] = {}

    def group_at(cell: int) -> frozenset[int]:
        if cell not in groups:
            group = group_of(board, stones, cell)
            groups.update(dict.fromkeys(group, group))
        return groups[cell]

    found: dict[int, tuple[int, ...]] = {}
    for cell, owner in enumerate(stones):
        if owner != EMPTY:
            continue
        beside = board.neighbours[cell]
        own = {group_at(each) for each in beside if stones[each] == seat}
        if not own:
            found[cell] = ()
            continue
        joined_cells = {cell}.union(*own)
        around = {each for one in joined_cells for each in board.neighbours[one] if stones[each] == 1 - seat}
        others = {group_at(each) for each in around}
        if others and max(map(len, others)) < len(joined_cells):
            found[cell] = tuple(sorted(each for other in others for each in other))
    return found


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    if position.turn is None:
        return ENDING
    return CAPTURING if len(steps) == 1 and position.stones[int(steps[0])] == EMPTY else PLACING
