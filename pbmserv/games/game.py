"""What a game is: nine questions, answered with frozen values by a module or by an object of a family.

It knows rules and notation. It must not know players, mail, clocks, pictures or language: sentences about a game
live in its rules text, `templates/en/rules/NAME.txt`.

*A move is the row of what a player touches*, cells and words, in order: `(C3,)`, `(D1, D7, G7)`,
`(E7, E8, "queen")`, `("pass",)`. From that follow what people type, what they tap, what is asked back when a text
is too short, and what a screen reader offers.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, cast

from pbmserv.games.board import Board
from pbmserv.games.info import Info

Seat = int
"""A place in the order of play, counted from 0."""

Step = int | str
"""A cell by its number on the board, or one of `Info.words`."""

Move = tuple[Step, ...]
"""What a player touches, in order."""


class MoveError(Exception):
    """A text that is no legal move here.

    MoveError
    +-- Unreadable   the text is not in the game's notation
    +-- Illegal      it is, and a rule forbids the move
    +-- Unfinished   it is the beginning of several legal moves, or fits several
    """


class Unreadable(MoveError):
    """The text is not in the game's notation."""


class Illegal(MoveError):
    """A rule forbids the move. `rule` is its number in the rules text; `near` are legal moves that begin alike."""

    def __init__(self, rule: int, near: tuple[Move, ...] = ()) -> None:
        super().__init__(rule, near)
        self.rule = rule
        self.near = near


class Unfinished(MoveError):
    """The beginning of several moves: `begun` are the steps so far. The answer asks for the next one.

    Or a text that `fits` whole moves: several, or one that it is not quite the right spelling of. Each is offered.
    """

    def __init__(self, begun: Move = (), fits: tuple[Move, ...] = ()) -> None:
        super().__init__(begun, fits)
        self.begun = begun
        self.fits = fits


EventKind = Literal[
    "placed",  # a piece of `seat` came to stand on a cell
    "moved",  # it went over these cells, from the first to the last
    "captured",  # it was taken from these cells
    "turned",  # pieces there became those of `seat`
    "promoted",  # it became `piece`
    "sown",  # `count` pieces were sown over these cells, from the first one on; or beside the board
    "passed",  # `seat` had its turn and did nothing
    "swapped",  # `seat` took over the other side's piece, which stands on the last cell now
    "linked",  # a line of `seat` joins these two cells now
    "walled",  # `seat` set a wall between these cells, named `piece`
    "scored",  # `seat` was given `count` points
    "eliminated",  # the rules put `seat` out of the game
    "left",  # the player of `seat` left, and the others play on
    "changed",  # something that only this game knows: `piece` names the macro in its rules text that tells it
]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that a ply did: to whose piece, where, and to what piece, as it is named ("king", "4", "")."""

    kind: EventKind
    seat: Seat
    cells: tuple[int, ...] = ()
    piece: str = ""
    count: int = 0


Reason = Literal[
    "score",  # by points
    "goal",  # a goal was reached: a row, a far edge, two edges joined
    "blocked",  # the side to move cannot
    "bare",  # a side has too few pieces left; in a draw, both have
    "draw",  # nobody has won
    "repeated",  # a position came again
    "exhausted",  # too long without progress
    "alone",  # the others have gone
    "mate",  # a king is attacked and cannot be saved
    "stalemate",  # the side to move cannot, and its king is not attacked
    "king",  # a king was captured, or blown up
    "checks",  # a king was attacked too often
    "perpetual",  # the loser gave check again and again
]
"""Why it is over; each is a sentence elsewhere."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended, a number for each seat: `ranks` from 1, ties sharing the better one."""

    ranks: tuple[int, ...]
    reason: Reason
    scores: tuple[int, ...] = ()
    """Empty where the game has none."""

    @property
    def shares(self) -> tuple[float, ...]:
        """What each seat gets, 1 for the first to 0 for the last; ties share what their ranks get together."""
        last = len(self.ranks) - 1
        return tuple(1 - (rank - 1 + (self.ranks.count(rank) - 1) / 2) / last for rank in self.ranks)


@dataclass(frozen=True, slots=True)
class Piece:
    """Something that stands on a cell or lies in a hand."""

    seat: Seat | None
    """Whose it is; None for what is nobody's, as a burnt square."""
    text: str
    """As it is drawn in text, at most as wide as the board's sheet says; of stacks, one character each."""
    kind: str = ""
    """Names its drawing and its word, see `pbmserv.games.kinds`; "" is a plain piece, "die" one with pips."""
    value: int | None = None
    """What it shows or counts, where it does."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line over the board that stands on no cell: a wall, or a link between two pieces."""

    seat: Seat | None
    """Whose it is; None for what is nobody's."""
    name: str
    """How it is said: `E5H`, `D8-E10`."""
    ends: tuple[tuple[int, int], tuple[int, int]]
    """From where to where, in half cells, as `Layout.places`."""
    text: tuple[tuple[int, int, str], ...] = ()
    """How it is drawn on the sheet: a line, the first character there, and what is written from it on."""
    between: tuple[tuple[int, int], ...] = ()
    """The pairs of neighbouring cells that it stands between, if it is a wall."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What to draw and say of a position: no pixels, no language."""

    board: Board
    cells: tuple[tuple[Piece, ...], ...]
    """What stands on each cell, from bottom to top."""
    marked: tuple[int, ...] = ()
    """The cells that the last ply placed on, or moved to: at most a few."""
    vacated: tuple[int, ...] = ()
    """Those that the last ply's own pieces went away from."""
    captured: tuple[int, ...] = ()
    """Those on which the last ply took pieces, or turned them."""
    scores: tuple[int, ...] = ()
    """A number for each seat; empty where the game has none."""
    hands: tuple[tuple[tuple[Piece, int], ...], ...] = ()
    """For each seat the kinds of pieces that it has beside the board, with their number; empty without hands."""
    strokes: tuple[Stroke, ...] = ()
    """Walls and links, the oldest first."""
    within: tuple[int, ...] = ()
    """The part of the board where the next ply has to begin, in a game that narrows it down."""
    attacked: tuple[int, ...] = ()
    """Where the king of the seat on turn stands, if it could be captured next: it is in check."""


class Game(Protocol):
    """The questions. Positions are frozen, hashable values of the game's own type."""

    @property
    def info(self) -> Info:
        """The facts that depend on no position."""

    def start(self, seats: int, options: Mapping[str, str]) -> Any:
        """The first position; options left out have their default. Raises BadOption."""

    def to_move(self, position: Any) -> Seat | None:
        """The seat on turn; None when the game is over."""

    def moves(self, position: Any, begun: Move = ()) -> Iterable[Move]:
        """The legal moves that begin so, each once, lazily, in a fixed order; none when the game is over."""

    def play(self, position: Any, move: Move) -> tuple[Any, tuple[Event, ...]]:
        """The position after a legal move, and what happened, in order."""

    def outcome(self, position: Any) -> Outcome | None:
        """How it ended; None while somebody is to move."""

    def write(self, position: Any, move: Move) -> str:
        """The stored notation of a legal move: `read` gives the same move back, and no other has this text."""

    def read(self, position: Any, text: str) -> Move:
        """The legal move that `text` means here, blind to case. Raises Unreadable, Illegal, Unfinished."""

    def scene(self, position: Any) -> Scene:
        """What to draw and say of the position."""


class ManySeats(Game, Protocol):
    """A game for three and more: one may leave, and the others play on. Between two, leaving is losing."""

    def leave(self, position: Any, seat: Seat) -> tuple[Any, tuple[Event, ...]]:
        """The position after the player of a seat that is still in the game has gone, and what happened."""


class Scored(Game, Protocol):
    """A game with scores tells them without a scene, for those who look at many positions."""

    def scores(self, position: Any) -> tuple[int, ...]:
        """The score of each seat, as the scene has them."""


class Winnable(Game, Protocol):
    """A game in which a side may be left with what cannot win."""

    def may_win(self, position: Any, seat: Seat) -> bool:
        """Whether a seat could still win by the rules, however the other one plays."""


def may_win(game: Game, position: Any, seat: Seat) -> bool:
    """Whether a seat could still win: asked when the other one leaves a game for two. Most games never ask."""
    return not hasattr(game, "may_win") or cast(Winnable, game).may_win(position, seat)


def scores_of(game: Game, position: Any) -> tuple[int, ...]:
    """The score of each seat; empty in a game without."""
    return cast(Scored, game).scores(position) if hasattr(game, "scores") else ()


def two_ranks(winner: Seat | None) -> tuple[int, int]:
    """The ranks of a game for two that one has won; None for a draw."""
    return (1, 1) if winner is None else (1, 2) if winner == 0 else (2, 1)
