"""Oust, by Mark Steere (2007), as he published it: no swap, nothing left out, nothing added."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from pbmserv.games import boards, defaults, stones
from pbmserv.games.board import Board
from pbmserv.games.defaults import next_turn
from pbmserv.games.game import Event, Move, Outcome, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.stones import EMPTY, Position, group_of, no_stones, placements, with_stone

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


def start(seats: int, options: Mapping[str, str]) -> Position:
    """The empty board. Raises BadOption for anything but a `size` from `info`."""
    size = int(chosen(info, options)["size"])
    return Position(board := boards.points(size), no_stones(board))


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, in the board's order."""
    if position.turn is None:
        return ()
    return placements(position, begun, _allowed(position.board, position.stones, position.turn).__contains__)


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
        return Position(board, stones, None, (cell,), taken), tuple(events)
    turn, passed = next_turn(1 - seat if taken else seat, lambda each: bool(_allowed(board, stones, each)))
    return Position(board, stones, turn, (cell,), taken), (*events, *passed)


def outcome(position: Position) -> Outcome | None:
    """How it ended: who has no stones left has lost, and it is a draw on a board where nobody can place one."""
    if position.turn is not None:
        return None
    if 0 in position.stones and 1 in position.stones:
        return Outcome(two_ranks(None), "draw")
    return Outcome(two_ranks(0 if 0 in position.stones else 1), "bare")


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
    return CAPTURING if len(steps) == 1 and position.stones[int(steps[0])] == EMPTY else PLACING


to_move = defaults.turn_of
read, write = defaults.reader(info, moves, _why, ENDING), defaults.hyphenated
scene = stones.drawer(info)
