"""A puzzle: a position of a game for two with one clearly best move, and what a player has made of it.

A puzzle is shown as a board is, but there is no match behind it: its number on the board is a negative one, which
no match has.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, Literal

from pbmserv.games import games
from pbmserv.games.game import Game, MoveError
from pbmserv.matches.log import Entry, Match
from pbmserv.matches.replay import GameState, replay

SEATS: Final = 2
"""Every puzzle is of a game for two."""

FIRST_FOUND: Final = 1001
"""The number of the first puzzle that a server has found by itself. Those that come with the program are lower."""

_LONG_AGO: Final = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position and what is to be found there; all moves are in stored notation."""

    number: int
    """As people type it; it never gets another position."""

    game: str
    options: tuple[tuple[str, str], ...]
    """Those that were given, sorted by name."""

    moves: tuple[str, ...]
    """The moves that lead to the position."""

    best: str
    line: tuple[str, ...]
    """How the game may go on after the best move, if both play well; at most a few moves."""

    replies: tuple[tuple[str, str], ...]
    """Every other legal move, and what the opponent best answers to it; empty where the game is over then."""

    wins: bool
    """Whether the best move leads to a win; else it only saves most."""

    @property
    def example(self) -> str:
        """A legal move that is not the best one, as people type it."""
        return self.replies[len(self.replies) // 2][0].lower()


@dataclass(frozen=True, slots=True)
class PuzzleTry:
    """What a player has made of a puzzle."""

    number: int
    sent: datetime
    by_week: bool
    """It came as the puzzle of the week, and was not asked for."""

    tries: int = 0
    """How often they answered with a legal move, the right one counted, until it was solved or shown."""

    solved: bool = False
    shown: bool = False
    """They asked for the solution before they had found it."""

    @property
    def is_open(self) -> bool:
        """Whether a further answer counts."""
        return not (self.solved or self.shown)


PuzzleEnd = Literal["solved", "missed", "shown"]
"""What an answer to a puzzle comes to: the right move, another legal one, or the solution, which was asked for."""


def answered(before: PuzzleTry, how: PuzzleEnd) -> PuzzleTry:
    """A puzzle after an answer that counts."""
    if how == "shown":
        return replace(before, shown=True)
    return replace(before, tries=before.tries + 1, solved=how == "solved")


@dataclass(frozen=True, slots=True)
class PuzzleScore:
    """How many puzzles a player has solved, how many of these at the first try, and how many were finished."""

    solved: int
    at_once: int
    finished: int


def score_of(tries: Iterable[PuzzleTry]) -> PuzzleScore:
    """What somebody's puzzles come to.

    >>> at = datetime(2026, 1, 1, tzinfo=UTC)
    >>> score_of([PuzzleTry(1, at, False, 1, True), PuzzleTry(2, at, False, 3, True), PuzzleTry(3, at, False)])
    PuzzleScore(solved=2, at_once=1, finished=2)
    """
    done = [each for each in tries if not each.is_open]
    solved = [each for each in done if each.solved]
    return PuzzleScore(len(solved), sum(each.tries == 1 for each in solved), len(done))


def board_number_of(number: int) -> int:
    """The number on the board of a puzzle."""
    return -number


def puzzle_board(puzzle: Puzzle) -> GameState:
    """The position of a puzzle, as if its sides were players. Raises BrokenLog if its moves do not replay."""
    game = games()[puzzle.game]
    number = board_number_of(puzzle.number)
    sides = tuple(side.name for side in game.info.sides[:SEATS])
    match = Match(
        number=number,
        game=puzzle.game,
        rules=game.info.rules,
        options=puzzle.options,
        rated=False,
        userids=sides,
        started_by=sides[0],
        started=_LONG_AGO,
    )
    board = replay(match)
    for move in puzzle.moves:
        entry = Entry(number, board.state.entries + 1, _LONG_AGO, "played", board.state.to_move, move)
        board = board.apply(entry)
    return board


def is_best(game: Game, position: Any, puzzle: Puzzle, move: str) -> bool:
    """Whether a legal move in stored notation is the best one, or leads to the same position."""
    if move == puzzle.best:
        return True
    try:
        best, other = (game.read(position, text) for text in (puzzle.best, move))
    except MoveError:
        return False
    return bool(game.play(position, best)[0] == game.play(position, other)[0])
