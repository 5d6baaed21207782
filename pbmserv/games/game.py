"""What a game is: ten questions, answered with frozen values.

A game is a module of this package that answers the ten questions of `Game`; it is found by scanning
(`games`). It knows rules and notation. It must not know players, mail, clocks, pictures or language:
sentences about a game live in its rules text, `templates/en/rules/NAME.txt`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Seat = int
"""A place in the order of play, counted from 0."""


@dataclass(frozen=True, slots=True)
class Side:
    """How one seat is called and drawn: `Side("Paren", "(n)")`, with `n` for a piece's value."""

    name: str
    mark: str


@dataclass(frozen=True, slots=True)
class Option:
    """A choice made when a match starts, written `-name=value`."""

    name: str
    default: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Credit:
    """Whom the game is owed to."""

    inventor: str
    year: int
    site: str


@dataclass(frozen=True, slots=True)
class Info:
    """The facts about a game that do not depend on a position.

    `rules` is the version that a match stores ("cephalopod/1"); `example` is a move as a person types it.
    """

    name: str
    title: str
    rules: str
    least_seats: int
    most_seats: int
    sides: tuple[Side, ...]
    options: tuple[Option, ...]
    credit: Credit
    example: str


class BadOption(Exception):
    """An option that the game does not have, or a value that it does not take."""

    def __init__(self, name: str, value: str, choices: tuple[str, ...] = ()) -> None:
        super().__init__(name, value, choices)
        self.name = name
        self.value = value
        self.choices = choices
        """The values that would do; empty when there is no option of that name."""


class MoveError(Exception):
    """A text that is no legal move here.

    MoveError
    +-- Unreadable   the text is not in the game's notation
    +-- Illegal      it is, and a rule forbids the move
    +-- Ambiguous    it could be one of several legal moves
    """


class Unreadable(MoveError):
    """The text is not in the game's notation."""


class Illegal(MoveError):
    """A rule forbids the move. `rule` is its number in the rules text; `choices` are legal moves near to it."""

    def __init__(self, rule: int, choices: tuple[str, ...] = ()) -> None:
        super().__init__(rule, choices)
        self.rule = rule
        self.choices = choices


class Ambiguous(MoveError):
    """The text could be any of `choices`, each the full text of a legal move."""

    def __init__(self, choices: tuple[str, ...]) -> None:
        super().__init__(choices)
        self.choices = choices


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece of `seat` came to stand on `square`; `piece` is its text on the board."""

    seat: Seat
    square: str
    piece: str


@dataclass(frozen=True, slots=True)
class Captured:
    """The piece of `seat` on `square` was taken by the piece on `by`."""

    seat: Seat
    square: str
    piece: str
    by: str


@dataclass(frozen=True, slots=True)
class Moved:
    """The piece of `seat` on `origin` went to `target`."""

    seat: Seat
    origin: str
    target: str


@dataclass(frozen=True, slots=True)
class Eliminated:
    """The rules put `seat` out of the game."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Left:
    """The player of `seat` left the game; the others play on."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Passed:
    """`seat` had its turn and did nothing."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Scored:
    """`seat` was given `points`."""

    seat: Seat
    points: int


Event = Placed | Captured | Moved | Eliminated | Left | Passed | Scored
"""What a ply did, in a vocabulary that all games share, so that a new game needs no new sentences."""

Reason = Literal["score", "draw", "alone"]
"""Why it is over: somebody has most, nobody has, or the others have gone."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended, a number for each seat: `ranks` from 1, ties sharing the better one, and `scores`."""

    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    reason: Reason


@dataclass(frozen=True, slots=True)
class Cell:
    """One square: `text` as wide as the scene says; `seat` and `value` of the piece on it (None when empty).

    `choices` are the texts of the legal moves that a click on the square can mean.
    """

    square: str
    text: str
    seat: Seat | None
    value: int | None
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """What to draw and say of a position: no pixels, no language.

    `columns` are labels from left to right, `rows` from top to bottom, `cells` the rows in that order, each as
    long as `columns`. `last` are the squares that the last ply placed on or moved to, `taken` those that it
    emptied. `scores` has a number for each seat.
    """

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cell_width: int
    cells: tuple[tuple[Cell, ...], ...]
    last: tuple[str, ...]
    taken: tuple[str, ...]
    scores: tuple[int, ...]


class Game(Protocol):
    """The ten questions. Positions and moves are frozen, hashable values of the game's own types."""

    info: Info

    def start(self, seats: int, options: Mapping[str, str]) -> Any:
        """The first position for so many seats; options left out have their default. Raises BadOption."""

    def to_move(self, position: Any) -> Seat | None:
        """The seat on turn; None when the game is over."""

    def moves(self, position: Any) -> Iterable[Any]:
        """Every legal move, each once, in a fixed order; none when the game is over."""

    def read(self, position: Any, text: str) -> Any:
        """The legal move that `text` means here, blind to case. Raises Unreadable, Illegal, Ambiguous."""

    def write(self, position: Any, move: Any) -> str:
        """The stored notation of a legal move: `read` gives the same move back, and no other has this text."""

    def play(self, position: Any, move: Any) -> tuple[Any, tuple[Event, ...]]:
        """The position after a legal move, and what happened, in order."""

    def leave(self, position: Any, seat: Seat) -> tuple[Any, tuple[Event, ...]]:
        """The position after the player of a seat that is still in the game has gone, and what happened."""

    def outcome(self, position: Any) -> Outcome | None:
        """How it ended; None while somebody is to move."""

    def scene(self, position: Any) -> Scene:
        """What to draw and say of the position."""
