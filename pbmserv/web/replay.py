"""A board on a page: its squares, the navigation through its plies, and moves that are tried."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pbmserv.commands.base.vocabulary import is_number
from pbmserv.games.game import Cell, Scene
from pbmserv.matches.errors import AmbiguousMove
from pbmserv.matches.log import rules_of
from pbmserv.matches.moves import play
from pbmserv.matches.state import State, Turn, rounds
from pbmserv.rendering.accessible import MoveSummary, accessible_board
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.rendering.html_board import command_of
from pbmserv.rendering.svg.pieces import piece_id


@dataclass(frozen=True, slots=True)
class PageSquare:
    """One square. `piece` is the name of the drawing on it, `owner` and `value` say whose it is and what it shows.

    All three are empty where nothing stands. `ways` counts the moves that a click can mean (0: it is no link);
    `takes` the pieces that its only move captures; `is_chosen`: these moves are the ones to choose from.
    """

    name: str
    piece: str
    owner: str
    value: str
    is_last: bool
    is_taken: bool
    ways: int = 0
    takes: int = 0
    is_chosen: bool = False


Row = tuple[str, tuple[PageSquare, ...]]
"""The label of a row, and its squares from left to right."""


def rows_of(
    scene: Scene, userids: tuple[str, ...], takes: Mapping[str, int] | None, chosen: str = ""
) -> tuple[Row, ...]:
    """The rows of a board from top to bottom.

    `takes` has how many pieces each square's only move captures, where it captures, by the square's name in lower
    case; None where nobody may click. `chosen` is the square whose moves are listed.
    """

    def square(cell: Cell) -> PageSquare:
        return PageSquare(
            name=cell.square,
            piece="" if cell.seat is None else piece_id(cell),
            owner="" if cell.seat is None else userids[cell.seat],
            value="" if cell.value is None else str(cell.value),
            is_last=cell.square in scene.last,
            is_taken=cell.square in scene.taken,
            ways=0 if takes is None else len(cell.choices),
            takes=0 if takes is None else takes.get(cell.square.lower(), 0),
            is_chosen=cell.square == chosen,
        )

    return tuple(
        (label, tuple(square(cell) for cell in cells))
        for label, cells in zip(scene.rows, scene.cells, strict=True)
    )


MOST_LISTED: Final = 300
"""Turns in the list of moves: a page of the longest games would else be too heavy."""

Round = tuple[Turn | None, ...]
"""One turn of each seat, None where it has none in the round."""


@dataclass(frozen=True, slots=True)
class Replay:
    """Where one stands in a game of `plies`: after `shown`, or at the present, which may be later than the last.

    `first`, `back`, `forward` and `last` are addresses, empty where there is nothing to go to. `rounds` are the
    moves around, `is_whole` whether they are all.
    """

    path: str
    plies: int
    shown: int
    is_present: bool
    rounds: tuple[Round, ...]
    is_whole: bool

    def at(self, ply: int) -> str:
        """The address of the board after a ply."""
        return f"{self.path}?ply={ply}#position"

    @property
    def first(self) -> str:
        """Of the start."""
        return self.at(0) if self.shown else ""

    @property
    def back(self) -> str:
        """Of one ply earlier."""
        return self.at(self.shown - 1) if self.shown else ""

    @property
    def forward(self) -> str:
        """Of one ply later; the last of them is the present."""
        if self.shown + 1 < self.plies:
            return self.at(self.shown + 1)
        return self.last

    @property
    def last(self) -> str:
        """Of the present."""
        return "" if self.is_present else f"{self.path}#position"


def read_ply(text: str, plies: int) -> int | None:
    """The ply that an address asks for; None when the game has no such ply."""
    return int(text) if is_number(text) and int(text) <= plies else None


def replay_of(state: State, seats: int, ply: int | None, path: str) -> Replay:
    """The way through a game that stands so; `ply` is shown, or the present."""
    shown = state.plies if ply is None else ply
    listed = _around(state.turns, shown)
    return Replay(path, state.plies, shown, ply is None, _rounds(listed, seats), len(listed) == len(state.turns))


def _around(turns: Sequence[Turn], shown: int) -> Sequence[Turn]:
    """At most so many turns as are listed, the shown one in their middle if there are more on both sides."""
    place = next((place for place, turn in enumerate(turns) if turn.ply == shown), 0)
    start = max(0, min(place - MOST_LISTED // 2, len(turns) - MOST_LISTED))
    return turns[start : start + MOST_LISTED]


def _rounds(turns: Sequence[Turn], seats: int) -> tuple[Round, ...]:
    return tuple(tuple(each.get(seat) for seat in range(seats)) for each in rounds(turns))


LONGEST_MOVE: Final = 40
"""Characters: no move of any game is longer, and nobody has to look at what is."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A move that could be played: its stored notation, the `command` that plays it, and the board after it."""

    text: str
    command: str
    view: BoardView


@dataclass(frozen=True, slots=True)
class Way:
    """One of several moves, as a person types it, and what it would do."""

    text: str
    deed: MoveSummary | None


@dataclass(frozen=True, slots=True)
class Choosing:
    """The moves that were perhaps meant, all by a click on one `square` (empty where they are not)."""

    square: str
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class Open:
    """What whoever is on turn can do: by the text that says it, what each move that captures would do."""

    deeds: dict[str, MoveSummary]

    @property
    def takes(self) -> dict[str, int]:
        """How many pieces each of them takes; the text is the square alone where a click can mean but one move."""
        return {text: len(deed.captured) for text, deed in self.deeds.items()}


def open_moves(view: BoardView) -> Open:
    """What can be done on a board as it stands."""
    told = accessible_board(
        rules_of(view.board.match),
        view.state.position,
        view.diagram.scene,
        view.players.userids,
        None,
        with_moves=True,
    )
    return Open({move.text: move.deed for move in told.captures})


def try_move(view: BoardView, text: str, open_now: Open) -> Tried | Choosing:
    """What becomes of a move, written in any way that a mail may have it, if whoever is on turn played it.

    Raises CommandError where it cannot be played.
    """
    board = view.board
    read = text if len(text) <= LONGEST_MOVE else ""
    try:
        entry = play(board.match, board.state, board.state.to_move or 0, read, None, board.state.last_at)
    except AmbiguousMove as error:
        return _choosing(view, error.choices, open_now)
    return Tried(entry.text, command_of(view, entry.text), view_board(board.apply(entry), previewed=1))


def _choosing(view: BoardView, choices: tuple[str, ...], open_now: Open) -> Choosing:
    ways = tuple(Way(text.lower(), open_now.deeds.get(text.lower())) for text in choices)
    squares = {cell.square for row in view.diagram.scene.cells for cell in row if set(cell.choices) & set(choices)}
    return Choosing(squares.pop() if len(squares) == 1 else "", ways)
