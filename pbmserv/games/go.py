"""Go, traditional, with rules that a server can apply to the letter: area scoring of the board as it stands, no
suicide, and no board that was there before.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from pbmserv.games import boards
from pbmserv.games.board import Board
from pbmserv.games.game import Event, Move, Outcome, Piece, Scene, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import joined, read_move

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, PLACING, SUICIDE, REPEATING, ENDING = 1, 3, 6, 7, 8

PASSES: Final = "pass"
KOMI: Final = 7
"""Points that White has for moving second; White wins ties besides, so that it is the usual seven and a half."""

_EMPTY: Final = 2
_LONGEST: Final = 3
"""A game has at most so many plies for each point of the board."""

info = Info(
    name="go",
    title="Go",
    rules="go/1",
    sides=(Side("Black", "x"), Side("White", "o")),
    group="territory",
    credit=Credit("traditional", 0),
    example="e5",
    options=(Option("size", "19", ("9", "13", "19"), measure="lines"),),
    words=(PASSES,),
)

_STONES = tuple((Piece(seat, side.mark),) for seat, side in enumerate(info.sides))


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: `stones` has the seat of each point's stone, 2 where there is none.

    `seen` are all boards up to this one. `passes` counts those in a row up to now. `turn` is None when the game is
    over. `last` is the point played last, then those where stones were captured.
    """

    board: Board
    stones: bytes
    seen: frozenset[bytes] = field(repr=False)
    turn: Seat | None = 0
    passes: int = 0
    plies: int = 0
    last: tuple[int, ...] = ()


def start(seats: int, options: Mapping[str, str]) -> Position:
    """The empty board. Raises BadOption for anything but a `size` from `info`."""
    size = int(chosen(info, options)["size"])
    stones = bytes([_EMPTY]) * size**2
    return Position(boards.points(size), stones, frozenset([stones]))


def to_move(position: Position) -> Seat | None:
    """The seat on turn; None when the game is over."""
    return position.turn


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, in the board's order, and "pass" at the end."""
    if position.turn is None or len(begun) > 1:
        return
    for cell in begun or range(len(position.stones)):
        if isinstance(cell, int) and _refusal(position, position.turn, cell) is None:
            yield (cell,)
    if begun in ((), (PASSES,)):
        yield (PASSES,)


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a stone placed, others captured, or a pass."""
    seat, board, plies = position.turn, position.board, position.plies + 1
    assert seat is not None
    turn = None if plies == _LONGEST * len(position.stones) else 1 - seat
    if move == (PASSES,):
        passes = position.passes + 1
        after = None if passes == 2 else turn
        return Position(board, position.stones, position.seen, after, passes, plies), (Event("passed", seat),)
    cell = int(move[0])
    taken = _taken(board, position.stones, seat, cell)
    stones = _after(position.stones, seat, cell, taken)
    events = [Event("placed", seat, (cell,))]
    if taken:
        events.append(Event("captured", 1 - seat, taken))
    return Position(board, stones, position.seen | {stones}, turn, 0, plies, (cell, *taken)), tuple(events)


def outcome(position: Position) -> Outcome | None:
    """How it ended; None while somebody is to move."""
    if position.turn is not None:
        return None
    black, white = points = scores(position)
    return Outcome(two_ranks(0 if black > white else 1), "score", points)


def scores(position: Position) -> tuple[int, ...]:
    """Stones, and empty points that only they reach, of each seat as the board stands; White's with komi."""
    stones, board, seen = position.stones, position.board, set[int]()
    points = [stones.count(0), KOMI + stones.count(1)]
    for cell, owner in enumerate(stones):
        if owner == _EMPTY and cell not in seen:
            region, borders = {cell}, set[int]()
            todo = [cell]
            while todo:
                for each in board.neighbours[todo.pop()]:
                    if stones[each] != _EMPTY:
                        borders.add(stones[each])
                    elif each not in region:
                        region.add(each)
                        todo.append(each)
            seen |= region
            if len(borders) == 1:
                points[borders.pop()] += len(region)
    return tuple(points)


def write(position: Position, move: Move) -> str:
    """The point, `E5`, or `pass`."""
    return joined(position.board, move)


def read(position: Position, text: str) -> Move:
    """The legal move that `text` means."""
    found, why = partial(moves, position), partial(_why, position)
    return read_move(text, position.board, found, why, info.words, THE_BOARD)


def scene(position: Position) -> Scene:
    """What to draw and say of the position."""
    return Scene(
        position.board,
        tuple([() if seat == _EMPTY else _STONES[seat] for seat in position.stones]),
        marked=position.last[:1],
        captured=position.last[1:],
        scores=scores(position),
    )


def _chain(board: Board, stones: bytes, cell: int, but: int) -> list[int]:
    """The chain of the stone on a cell; empty when it has a liberty other than `but`."""
    owner, found, todo = stones[cell], {cell}, [cell]
    while todo:
        for each in board.neighbours[todo.pop()]:
            if stones[each] == owner:
                if each not in found:
                    found.add(each)
                    todo.append(each)
            elif stones[each] == _EMPTY and each != but:
                return []
    return list(found)


def _taken(board: Board, stones: bytes, seat: Seat, cell: int) -> tuple[int, ...]:
    """What a stone of `seat` on an empty point captures, in the board's order."""
    found: set[int] = set()
    for each in board.neighbours[cell]:
        if stones[each] == 1 - seat and each not in found:
            found.update(_chain(board, stones, each, cell))
    return tuple(sorted(found))


def _after(stones: bytes, seat: Seat, cell: int, taken: tuple[int, ...]) -> bytes:
    """The board with a stone placed, and others gone."""
    after = bytearray(stones)
    after[cell] = seat
    for each in taken:
        after[each] = _EMPTY
    return bytes(after)


def _refusal(position: Position, seat: Seat, cell: int) -> int | None:
    """The rule that forbids a stone on a point; None where it may be placed."""
    stones, board = position.stones, position.board
    if stones[cell] != _EMPTY:
        return PLACING
    taken = _taken(board, stones, seat, cell)
    beside = board.neighbours[cell]
    if not taken and all(
        stones[each] == 1 - seat or (stones[each] == seat and _chain(board, stones, each, cell)) for each in beside
    ):
        return SUICIDE
    return REPEATING if _after(stones, seat, cell, taken) in position.seen else None


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    if position.turn is None:
        return ENDING
    if len(steps) > 1 or not isinstance(steps[0], int):
        return PLACING
    return _refusal(position, position.turn, steps[0]) or PLACING
