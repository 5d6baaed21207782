"""Halma on a star, after George Howard Monks (1883): pieces step and hop to the other side.

Nothing is captured, so where a hop leads is all that matters: a move is the first and the last cell. Who stays at
home cannot keep others from winning for ever, and a game has a last round.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from pbmserv.games import defaults
from pbmserv.games.game import Event, Move, Outcome, Piece, Reason, Scene, Seat
from pbmserv.games.hexagons import star, tips_of_star
from pbmserv.games.info import Credit, Info, Side, chosen
from pbmserv.games.notation import joined, read_move

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, PIECES, MOVING, ENDING = 1, 3, 4, 7

EMPTY: Final = 9
PATIENCE: Final = 50
"""From this turn of a player on, pieces of others count as if they were the player's own where these should be."""
ROUNDS: Final = 120

BOARD: Final = star(5)
TIPS: Final = tips_of_star(5)
SEATED: Final = {2: (0, 3), 3: (0, 2, 4), 4: (0, 1, 3, 4), 5: (0, 1, 2, 3, 4), 6: (0, 1, 2, 3, 4, 5)}
"""By the number of players, the tips where they start, clockwise from the upper one."""

_HOPS: Final = tuple(tuple(ray[:2] for ray in rays if len(ray) > 1) for rays in BOARD.rays)
"""Of each cell the pairs of the one that a piece may hop over, and the one where it lands."""

info = Info(
    name="star-halma",
    title="Star Halma",
    rules="star-halma/1",
    sides=(
        Side("Red", "R"),
        Side("Blue", "B"),
        Side("Green", "G"),
        Side("Yellow", "Y"),
        Side("White", "W"),
        Side("Black", "K"),
    ),
    group="race",
    credit=Credit("George Howard Monks", 1883),
    example="g4-g5",
    most_seats=6,
)


@dataclass(frozen=True, slots=True)
class Position:
    """The star between two plies: `pieces` has the seat of each cell's piece, 9 where there is none.

    `turns` counts those that each seat has had, `gone` are those who left, the first one first, `last` is the last
    move. `turn` is None when the game is over, and `winner` too when nobody has filled a tip.
    """

    pieces: bytes
    turns: tuple[int, ...]
    turn: Seat | None = 0
    winner: Seat | None = None
    gone: tuple[Seat, ...] = ()
    last: tuple[int, ...] = ()


def goal_of(seats: int, seat: Seat) -> tuple[int, ...]:
    """The tip opposite to the one where a seat starts."""
    return TIPS[(SEATED[seats][seat] + 3) % 6]


def start(seats: int, options: Mapping[str, str]) -> Position:
    """Each player's ten pieces in a tip. Raises BadOption for any option."""
    chosen(info, options)
    pieces = bytearray([EMPTY]) * len(BOARD.names)
    for seat, tip in enumerate(SEATED[seats]):
        for cell in TIPS[tip]:
            pieces[cell] = seat
    return Position(bytes(pieces), (0,) * seats)


def moves(position: Position, begun: Move = ()) -> Iterator[Move]:
    """The legal moves that begin so: from where, and to where, in the board's order."""
    if position.turn is None or len(begun) > 2:
        return
    cells: Iterable[int] = (int(begun[0]),) if begun else range(len(BOARD.names))
    for cell in cells:
        if position.pieces[cell] == position.turn:
            for target in _targets(position.pieces, cell):
                if begun[1:] in ((), (target,)):
                    yield (cell, target)


def _targets(pieces: bytes, cell: int) -> list[int]:
    """Where a piece can go, in order: beside it, or by hops over one piece each."""
    found = {beside for beside in BOARD.neighbours[cell] if pieces[beside] == EMPTY}
    landed, queue = {cell}, [cell]
    while queue:
        for over, target in _HOPS[queue.pop()]:
            if over != cell and pieces[over] != EMPTY and pieces[target] == EMPTY and target not in landed:
                landed.add(target)
                queue.append(target)
    return sorted((found | landed) - {cell})


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a piece moved, perhaps others passed."""
    seat = position.turn
    assert seat is not None
    source, target = (int(step) for step in move)
    pieces = bytearray(position.pieces)
    pieces[source], pieces[target] = EMPTY, seat
    turns = tuple(count + (each == seat) for each, count in enumerate(position.turns))
    after = replace(position, pieces=bytes(pieces), turns=turns, last=(source, target))
    events = [Event("moved", seat, (source, target))]
    if _has_arrived(after, seat):
        return replace(after, turn=None, winner=seat), tuple(events)
    after, passed = _next(after, seat)
    return after, (*events, *passed)


def leave(position: Position, seat: Seat) -> tuple[Position, tuple[Event, ...]]:
    """The position after a player has gone with all pieces, and that."""
    pieces = bytes(EMPTY if each == seat else each for each in position.pieces)
    after = replace(position, pieces=pieces, gone=(*position.gone, seat), last=())
    passed: tuple[Event, ...] = ()
    if len(after.gone) == len(after.turns) - 1:
        after = replace(after, turn=None)
    elif position.turn == seat:
        after, passed = _next(after, seat)
    return after, (Event("left", seat), *passed)


def outcome(position: Position) -> Outcome | None:
    """How it ended; None while somebody is to move. Scores are the pieces in the tip opposite."""
    if position.turn is not None:
        return None
    seats, arrived = range(len(position.turns)), scores(position)
    order = {seat: place - len(seats) for place, seat in enumerate(position.gone)}
    worth = [order.get(seat, 100 if seat == position.winner else arrived[seat]) for seat in seats]
    ranks = tuple(1 + sum(other > each for other in worth) for each in worth)
    reason: Reason = "goal" if position.winner is not None else "score" if ranks.count(1) == 1 else "draw"
    return Outcome(ranks, "alone" if len(position.gone) == len(seats) - 1 else reason, arrived)


def scores(position: Position) -> tuple[int, ...]:
    """How many pieces each seat has in the tip opposite."""
    seats = len(position.turns)
    return tuple(sum(position.pieces[cell] == seat for cell in goal_of(seats, seat)) for seat in range(seats))


def write(position: Position, move: Move) -> str:
    """The first and the last cell: `G4-G5`."""
    return joined(BOARD, move)


def read(position: Position, text: str) -> Move:
    """The legal move that `text` means."""
    return read_move(text, BOARD, partial(moves, position), partial(_why, position), off=THE_BOARD)


def scene(position: Position) -> Scene:
    """What to draw and say of the position."""
    drawn = [(Piece(seat, side.mark),) for seat, side in enumerate(info.sides)]
    return Scene(
        BOARD,
        tuple(() if seat == EMPTY else drawn[seat] for seat in position.pieces),
        marked=position.last[1:],
        vacated=position.last[:1],
        scores=scores(position),
    )


def _has_arrived(position: Position, seat: Seat) -> bool:
    """Whether a seat's pieces fill its goal; after long, whether it is full and one of them is there."""
    there = {position.pieces[cell] for cell in goal_of(len(position.turns), seat)}
    is_late = position.turns[seat] >= PATIENCE
    return there == {seat} or (is_late and seat in there and EMPTY not in there)


def _next(position: Position, seat: Seat) -> tuple[Position, tuple[Event, ...]]:
    """The position with the next seat on turn, and the passes before it; over after the last round."""
    turns, passed, count = list(position.turns), list[Event](), len(position.turns)
    for each in ((seat + step) % count for step in range(1, count + 1)):
        if each in position.gone:
            continue
        if turns[each] >= ROUNDS:
            break
        if _can_move(position.pieces, each):
            return replace(position, turns=tuple(turns), turn=each), tuple(passed)
        turns[each] += 1
        passed.append(Event("passed", each))
    return replace(position, turns=tuple(turns), turn=None), tuple(passed)


def _can_move(pieces: bytes, seat: Seat) -> bool:
    """Whether any piece of a seat can go anywhere."""
    cell = pieces.find(seat)
    while cell >= 0 and not _targets(pieces, cell):
        cell = pieces.find(seat, cell + 1)
    return cell >= 0


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    if position.turn is None:
        return ENDING
    is_own = position.pieces[int(steps[0])] == position.turn
    return MOVING if is_own else PIECES


to_move = defaults.turn_of
