"""What a player can touch next: the first steps of the legal moves, or those that go on from a beginning.

It serves whatever offers moves: links in mails, squares on pages, lists for screen readers.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from pbmserv.games.board import Board
from pbmserv.games.game import Game, Move, Step
from pbmserv.games.notation import joined

MOST_COUNTED: Final = 1000
"""The most moves that are gone through at once. Where there are more, each step is asked about by itself."""

MOST_LISTED: Final = 12
"""The most moves that are listed whole; of more the next step is asked."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A cell or a word that can be touched next."""

    step: Step
    ways: int
    """How many moves go on so; MOST_COUNTED where they are several among very many, and not counted."""
    text: str
    """What to type for it: the whole move where it is the only one, else what leads to the next choice."""
    move: Move | None
    """The only move that goes on so; None where there are several."""


def choices(game: Game, position: Any, begun: Move = ()) -> tuple[Choice, ...]:
    """What can be touched after these steps, in the order of the moves; empty where no move goes on."""
    found, is_all = _counted(game.moves(position, begun), len(begun), MOST_COUNTED)
    if not is_all:
        found = _asked(game, position, begun)
    several = any(ways > 1 for ways, _ in found.values())
    board = game.scene(position).board if several else None

    def text(step: Step, ways: int, move: Move) -> str:
        if ways == 1 or board is None:
            return game.write(position, move).lower()
        return begun_text(board, (*begun, step))

    return tuple(
        Choice(step, ways, text(step, ways, move), move if ways == 1 else None)
        for step, (ways, move) in found.items()
    )


def _counted(moves: Iterable[Move], place: int, most: int) -> tuple[dict[Step, tuple[int, Move]], bool]:
    """For each step in that place how many moves have it, and the first; and whether these were all moves."""
    found: dict[Step, tuple[int, Move]] = {}
    some = list(islice(moves, most))
    for move in some:
        if len(move) > place:
            ways, first = found.get(move[place], (0, move))
            found[move[place]] = ways + 1, first
    return found, len(some) < most


def _asked(game: Game, position: Any, begun: Move) -> dict[Step, tuple[int, Move]]:
    """The same for every cell and word there is."""
    steps: tuple[Step, ...] = (*range(len(game.scene(position).board.names)), *game.info.words)
    found: dict[Step, tuple[int, Move]] = {}
    for step in steps:
        ways, is_all = _counted(game.moves(position, (*begun, step)), len(begun), 2)
        found |= ways if is_all else {step: (MOST_COUNTED, move) for step, (_, move) in ways.items()}
    return found


def whole_move(game: Game, position: Any, begun: Move) -> Move | None:
    """The legal move that has just these steps; None where there is none."""
    return next((move for move in game.moves(position, begun) if len(move) == len(begun)), None)


def begun_text(board: Board, begun: Move) -> str:
    """How the beginning of a move is typed: `d1-d7`."""
    return joined(board, begun).lower()


def ways_on(game: Game, position: Any, begun: Move) -> tuple[str, ...]:
    """What to type after these steps: the moves that begin so, or where they are many, the next steps."""
    found = list(islice(game.moves(position, begun), MOST_LISTED + 1))
    if len(found) <= MOST_LISTED:
        return tuple(game.write(position, move).lower() for move in found)
    return tuple(choice.text for choice in choices(game, position, begun))
