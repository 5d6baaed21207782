"""A toy: a whole second game in one file. Whoever fills the last of nine squares in a row wins.

In a turn one takes the first free square, written as it is, or passes, which nobody may do twice running.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from pbmserv.games.boards import squares
from pbmserv.games.game import Event, Move, Outcome, Piece, Scene, Seat
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import joined, read_move, starting

info = Info(
    name="ninerows",
    title="Nine Rows",
    rules="ninerows/1",
    least_seats=2,
    most_seats=3,
    sides=(Side("Black", "b"), Side("White", "w"), Side("Red", "r")),
    options=(Option("length", "9", ("3", "9")),),
    credit=Credit("Nobody", 2026, "example.org"),
    example="a1",
    words=("pass",),
)


@dataclass(frozen=True, slots=True)
class Position:
    """Who stands on each square taken, whose turn it is, who is still playing."""

    length: int
    taken: tuple[Seat, ...]
    turn: Seat
    playing: tuple[Seat, ...]
    seats: int
    passed: bool = False


def start(seats: int, options: Mapping[str, str]) -> Position:
    """Nothing taken."""
    return Position(int(chosen(info, options)["length"]), (), 0, tuple(range(seats)), seats)


def to_move(position: Position) -> Seat | None:
    """The seat on turn."""
    return None if _is_over(position) else position.turn


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The next square, and passing."""
    if not _is_over(position):
        passing: tuple[Move, ...] = () if position.passed else (("pass",),)
        yield from starting(((len(position.taken),), *passing), begun)


def read(position: Position, text: str) -> Move:
    """One of them."""
    board = squares(1, position.length)
    return read_move(text, board, lambda begun: moves(position, begun), lambda _: 1, info.words)


def write(position: Position, move: Move) -> str:
    """As it is."""
    return joined(squares(1, position.length), move)


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The turn goes round."""
    seat = position.turn
    later = [each for each in position.playing if each > seat]
    after = replace(position, turn=(later or position.playing)[0], passed=move == ("pass",))
    if move == ("pass",):
        return after, (Event("passed", seat),)
    return replace(after, taken=(*position.taken, seat)), (Event("placed", seat, (len(position.taken),)),)


def leave(position: Position, seat: Seat) -> tuple[Position, tuple[Event, ...]]:
    """What a seat took stays."""
    playing = tuple(each for each in position.playing if each != seat)
    turn = position.turn if position.turn != seat else next((each for each in playing if each > seat), playing[0])
    return replace(position, playing=playing, turn=turn), (Event("left", seat),)


def outcome(position: Position) -> Outcome | None:
    """The last to take a square wins, or who is alone."""
    if not _is_over(position):
        return None
    alone = len(position.playing) == 1
    winner = position.playing[0] if alone else position.taken[-1]
    ranks = tuple(1 if seat == winner else 2 for seat in range(position.seats))
    return Outcome(ranks, "alone" if alone else "score", _scores(position))


def scene(position: Position) -> Scene:
    """A row."""
    stands = [*position.taken, *[None] * (position.length - len(position.taken))]
    cells = tuple(() if seat is None else (Piece(seat, info.sides[seat].mark),) for seat in stands)
    return Scene(squares(1, position.length), cells, scores=_scores(position))


def _scores(position: Position) -> tuple[int, ...]:
    return tuple(position.taken.count(seat) for seat in range(position.seats))


def _is_over(position: Position) -> bool:
    return len(position.playing) == 1 or len(position.taken) == position.length
