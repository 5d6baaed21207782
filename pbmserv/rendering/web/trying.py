"""Trying a move on a board's page: the position that results, the moves to choose from, or why it cannot be."""

from dataclasses import dataclass
from typing import Final

from pbmserv.matches.match import rules_of
from pbmserv.matches.refusals import AmbiguousMove, Refused
from pbmserv.matches.turn import play
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.rendering.html_board import command_of
from pbmserv.rendering.words import Deed, tell_board

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
    deed: Deed | None


@dataclass(frozen=True, slots=True)
class Choosing:
    """The moves that were perhaps meant, all by a click on one `square` (empty where they are not)."""

    square: str
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class Open:
    """What whoever is on turn can do: by the text that says it, what each move that captures would do."""

    deeds: dict[str, Deed]

    @property
    def takes(self) -> dict[str, int]:
        """How many pieces each of them takes; the text is the square alone where a click can mean but one move."""
        return {text: len(deed.captured) for text, deed in self.deeds.items()}


def open_moves(view: BoardView) -> Open:
    """What can be done on a board as it stands."""
    told = tell_board(rules_of(view.board.match), view.position, view.scene, view.userids, None, with_moves=True)
    return Open({move.text: move.deed for move in told.captures})


def try_move(view: BoardView, text: str, open_now: Open) -> Tried | Choosing | Refused:
    """What becomes of a move, written in any way that a mail may have it, if whoever is on turn played it."""
    board = view.board
    read = text if len(text) <= LONGEST_MOVE else ""
    entry = play(board.match, board.state, board.state.to_move or 0, read, None, board.state.last_at)
    if isinstance(entry, AmbiguousMove):
        return _choosing(view, entry.choices, open_now)
    if isinstance(entry, Refused):
        return entry
    return Tried(entry.text, command_of(view, entry.text), view_board(board.then(entry), imagined=1))


def _choosing(view: BoardView, choices: tuple[str, ...], open_now: Open) -> Choosing:
    ways = tuple(Way(text.lower(), open_now.deeds.get(text.lower())) for text in choices)
    squares = {cell.square for row in view.scene.cells for cell in row if set(cell.choices) & set(choices)}
    return Choosing(squares.pop() if len(squares) == 1 else "", ways)
