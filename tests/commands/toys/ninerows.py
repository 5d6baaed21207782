"""A toy: a whole second game in one file. Whoever fills the last of nine squares in a row wins.

In a turn one takes the first free square, written as it is, or passes, which nobody may do twice running.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from pbmserv.games.game import (
    BadOption,
    Cell,
    Credit,
    Event,
    Illegal,
    Info,
    Left,
    Option,
    Outcome,
    Passed,
    Placed,
    Scene,
    Seat,
    Side,
    Unreadable,
)

Move = str

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
    for name, value in options.items():
        if name != "length":
            raise BadOption(name, value)
        if value not in info.options[0].choices:
            raise BadOption(name, value, info.options[0].choices)
    return Position(int(options.get("length", "9")), (), 0, tuple(range(seats)), seats)


def to_move(position: Position) -> Seat | None:
    """The seat on turn."""
    return None if _is_over(position) else position.turn


def moves(position: Position) -> Iterable[Move]:
    """The next square, and passing."""
    if not _is_over(position):
        yield f"A{len(position.taken) + 1}"
        if not position.passed:
            yield "pass"


def read(position: Position, text: str) -> Move:
    """One of them."""
    if text.lower() != "pass" and not (text[:1].lower() == "a" and text[1:].isdigit()):
        raise Unreadable
    found = [move for move in moves(position) if move.lower() == text.lower()]
    if not found:
        raise Illegal(1, tuple(moves(position)))
    return found[0]


def write(position: Position, move: Move) -> str:
    """As it is."""
    return move


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The turn goes round."""
    seat = position.turn
    later = [each for each in position.playing if each > seat]
    after = replace(position, turn=(later or position.playing)[0], passed=move == "pass")
    if move == "pass":
        return after, (Passed(seat),)
    return replace(after, taken=(*position.taken, seat)), (Placed(seat, move, info.sides[seat].mark),)


def leave(position: Position, seat: Seat) -> tuple[Position, tuple[Event, ...]]:
    """What a seat took stays."""
    playing = tuple(each for each in position.playing if each != seat)
    turn = position.turn if position.turn != seat else next((each for each in playing if each > seat), playing[0])
    return replace(position, playing=playing, turn=turn), (Left(seat),)


def outcome(position: Position) -> Outcome | None:
    """The last to take a square wins, or who is alone."""
    if not _is_over(position):
        return None
    alone = len(position.playing) == 1
    winner = position.playing[0] if alone else position.taken[-1]
    ranks = tuple(1 if seat == winner else 2 for seat in range(position.seats))
    return Outcome(ranks, _scores(position), "alone" if alone else "score")


def scene(position: Position) -> Scene:
    """A row."""
    names = [f"A{row + 1}" for row in range(position.length)]
    stands = [*position.taken, *[None] * (position.length - len(position.taken))]
    cells = tuple(
        (Cell(name, "." if seat is None else info.sides[seat].mark, seat, None, ()),)
        for name, seat in zip(names, stands, strict=True)
    )
    rows = tuple(str(row + 1) for row in range(position.length))
    return Scene(("A",), rows, 1, cells, (), (), _scores(position))


def _scores(position: Position) -> tuple[int, ...]:
    return tuple(position.taken.count(seat) for seat in range(position.seats))


def _is_over(position: Position) -> bool:
    return len(position.playing) == 1 or len(position.taken) == position.length
