"""The usual answers to the nine questions, for games that have nothing of their own to say.

A game takes those that suit it, at the end of its module, each under the question's name: `write = hyphenated`,
`read = reader(info, moves, why, ENDING)`. What it does otherwise it writes itself.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Protocol

from pbmserv.games.board import Board
from pbmserv.games.game import Event, Move, Outcome, Piece, Reason, Scene, Seat, two_ranks
from pbmserv.games.info import Info
from pbmserv.games.notation import joined, read_move

EMPTY: Final = "."
TIMES: Final = 3
"""A position that comes so often is a draw."""

_NOTHING: Final[Mapping[str, tuple[Piece, ...]]] = MappingProxyType({})

Cells = tuple[int, ...]
Events = tuple[Event, ...]
Finder = Callable[[Any, Move], Iterable[Move]]
"""A game's `moves`."""


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: for each cell the mark of what stands there, or that of an empty one."""

    board: Board
    cells: str
    turn: Seat = 0
    last: Move = ()
    """The last ply."""
    taken: Cells = ()
    """Where it captured, or turned pieces."""
    seen: tuple[str, ...] = ()
    """The boards before this one since the last ply that cannot be undone, where a game has to know."""
    winner: Seat | None = None
    """Who has won, where the board does not tell."""


class _Repeated(Protocol):
    @property
    def cells(self) -> Any: ...
    @property
    def seen(self) -> Any: ...


# Who is to move


def turn_of(position: Any) -> Seat | None:
    """The seat on turn, of a position that has None when the game is over."""
    turn: Seat | None = position.turn
    return turn


def mover(moves: Finder) -> Callable[[Any], Seat | None]:
    """How a game that is over when a side cannot move tells whose turn it is."""

    def to_move(position: Any) -> Seat | None:
        """The seat on turn; None when the game is over."""
        return None if next(iter(moves(position, ())), None) is None else turn_of(position)

    return to_move


# How it ended


def last_mover(moves: Finder) -> Callable[[Any], Outcome | None]:
    """How a game ends in which a side that cannot move has lost."""

    def outcome(position: Any) -> Outcome | None:
        """How it ended; None while somebody is to move."""
        is_over = next(iter(moves(position, ())), None) is None
        return Outcome(two_ranks(1 - position.turn), "blocked") if is_over else None

    return outcome


def by_points(points: tuple[int, ...], reason: Reason | None = None) -> Outcome:
    """How a game for two ended that more points win; the same number is a draw."""
    first, second = points
    winner = None if first == second else 0 if first > second else 1
    return Outcome(two_ranks(winner), reason or ("draw" if winner is None else "score"), points)


def times_before(seen: Sequence[Any], now: Any) -> int:
    """How often the position `now` has been before with the same side to move; `seen` are those before it.

    >>> times_before(("a", "b", "a", "c"), "a"), times_before(("a", "b", "c"), "a")
    (2, 0)
    """
    return seen[-2::-2].count(now)


def drawn_by(position: _Repeated, quiet_plies: int) -> Reason | None:
    """Why it is a draw: too long nothing has happened, or the position is here for the third time."""
    if len(position.seen) >= quiet_plies:
        return "exhausted"
    return "repeated" if times_before(position.seen, position.cells) >= TIMES - 1 else None


def checked_for_ever(
    seen: tuple[str, ...], now: str, turn: Seat, is_attacked: Callable[[str, Seat], bool]
) -> Seat | None:
    """The seat whose every ply since the position first came was a check, if not every one of the other's was.

    `turn` is to move now; `is_attacked` tells whether a seat is in check in one of these positions.
    """
    first = next(at for at in range(len(seen) % 2, len(seen), 2) if seen[at] == now)
    after = (*seen[first + 1 :], now)
    guilty = [
        seat
        for seat, plies in ((turn, after[::2]), (1 - turn, after[1::2]))
        if all(is_attacked(each, 1 - seat) for each in plies)
    ]
    return guilty[0] if len(guilty) == 1 else None


def ended_by_repetition(guilty: Seat | None) -> Outcome:
    """A draw, or lost by the seat that gave check for ever."""
    return Outcome(two_ranks(None), "repeated") if guilty is None else Outcome(two_ranks(1 - guilty), "perpetual")


# Reading and writing


def reader(info: Info, moves: Finder, why: Callable[[Any, Move], int], ending: int) -> Callable[[Any, str], Move]:
    """How a game reads moves: `why` gives the number of the rule that forbids one, `ending` that of the end."""

    def read(position: Any, text: str) -> Move:
        """The legal move that `text` means."""

        def rule(steps: Move) -> int:
            return ending if next(iter(moves(position, ())), None) is None else why(position, steps)

        return read_move(text, position.board, partial(moves, position), rule, info.words)

    return read


def hyphenated(position: Any, move: Move) -> str:
    """The names of the cells: `C3-C4`, or of the only one: `C3`."""
    return joined(position.board, move)


def with_captures(position: Position, move: Move) -> str:
    """Where a piece goes from and to: `D2-D3`, or `D2xE3` if something stands there."""
    return joined(position.board, move, "-" if position.cells[int(move[1])] == EMPTY else "x")


# Playing


def places(cells: str, mark: str) -> Iterator[int]:
    """Where this mark is; quicker than a look at every cell."""
    place = cells.find(mark)
    while place >= 0:
        yield place
        place = cells.find(mark, place + 1)


def cells_in(move: Sequence[int | str] | None) -> Cells:
    """The cells that a move touches, without words."""
    return tuple([step for step in move or () if isinstance(step, int)])


def moved(
    position: Position, move: Move, taken: Cells = (), seen: tuple[str, ...] = ()
) -> tuple[Position, Events]:
    """The position after a piece has gone along a move, and captured on some cells, and that."""
    seat, cells, steps = position.turn, list(position.cells), cells_in(move)
    mark = cells[steps[0]]
    for cell in (steps[0], *taken):
        cells[cell] = EMPTY
    cells[steps[-1]] = mark
    events = [Event("moved", seat, steps)]
    if taken:
        events.append(Event("captured", 1 - seat, taken))
    return Position(position.board, "".join(cells), 1 - seat, move, taken, seen), tuple(events)


def next_turn(seat: Seat, can_move: Callable[[Seat], bool]) -> tuple[Seat | None, Events]:
    """Who is on turn after a seat: the other one; or that seat, since the other one has to pass; or nobody."""
    if can_move(1 - seat):
        return 1 - seat, ()
    return (seat, (Event("passed", 1 - seat),)) if can_move(seat) else (None, ())


# Drawing


def scene_of(position: Any, cells: tuple[tuple[Piece, ...], ...], scores: Cells = ()) -> Scene:
    """A position on whose cells this stands; an end of the last ply where nothing is now is vacated."""
    taken: Cells = getattr(position, "taken", ())
    steps = cells_in(position.last)
    # In Tanbo a ply may take away the stone that it placed.
    marked = [cell for cell in dict.fromkeys(steps) if cells[cell]] or [cell for cell in steps if cell in taken]
    vacated = dict.fromkeys(cell for cell in (*steps[:1], *steps[-1:]) if cell not in marked)
    return Scene(position.board, cells, tuple(marked), tuple(vacated), taken, scores)


def drawer(
    info: Info, scores: Callable[[Any], Cells] = lambda _: (), more: Mapping[str, tuple[Piece, ...]] = _NOTHING
) -> Callable[[Any], Scene]:
    """How a game draws a position: with plain pieces for the marks of the sides, and for `more` marks with these.

    Where `scores` are given they are shown, too.
    """
    pieces = {EMPTY: (), **{side.mark: (Piece(seat, side.mark),) for seat, side in enumerate(info.sides)}, **more}

    def scene(position: Any) -> Scene:
        """What to draw and say of the position."""
        return scene_of(position, tuple([pieces[mark] for mark in position.cells]), scores(position))

    return scene
