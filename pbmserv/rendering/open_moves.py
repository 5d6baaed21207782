"""What the player to move could play next, as it is offered: to be typed, tapped, or read out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from pbmserv.games.choices import MOST_LISTED, Choice, begun_text, choices, ways_on
from pbmserv.games.game import Game, Move, Scene, Step
from pbmserv.rendering.accessible import MOST_DESCRIBED
from pbmserv.rendering.templates import in_columns

MOST_SEVERAL: Final = 500
"""Moves that are linked in HTML where a first touch leaves a choice; more would fill the mail."""

MOST_LINES: Final = 24
"""Lines of such moves in the text of a mail; of more it only tells where they begin."""

MOST_BEGINNINGS: Final = 72
"""Of more beginnings none is named: they are nearly every cell of the board."""


@dataclass(frozen=True, slots=True)
class OpenMoves:
    """What the player to move could play next; empty for everybody else."""

    # What can be touched first.
    choices: tuple[Choice, ...] = ()
    # Those of them that are moves which capture, as they are typed, with the cells of what they take.
    captures: tuple[tuple[str, tuple[str, ...]], ...] = ()
    # Each of them that begins several moves, and what goes on from it as it is typed; none of too many.
    several: tuple[tuple[str, tuple[str, ...]], ...] = ()
    # A legal move as a person types it; empty on a board that is only tried.
    example: str = ""
    # How many moves there are.
    count: int = 0
    # The beginning of a move, as it was typed, if only what goes on from it is meant.
    begun: str = ""
    # Whether some of what goes on from it are empty cells.
    points_out: bool = False

    @property
    def listed(self) -> tuple[tuple[str, ...], ...]:
        """What goes on from each beginning, as the text of a mail lists it; empty if that would be too long."""
        lists = tuple(texts for _, texts in self.several)
        return lists if sum(in_columns(texts).count("\n") + 1 for texts in lists) <= MOST_LINES else ()

    @property
    def beginnings(self) -> tuple[str, ...]:
        """The beginnings of several moves that are not listed; empty if they are too many to name."""
        found = [each for each in self.choices if each.ways > (MOST_LISTED if self.listed else 1)]
        found.sort(key=lambda each: (isinstance(each.step, int), each.step))
        return tuple(each.text for each in found) if len(found) <= MOST_BEGINNINGS else ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words that are moves now: "pass"."""
        return tuple(choice.step for choice in self.choices if isinstance(choice.step, str))


def open_moves_of(game: Game, position: Any, scene: Scene, begun: Move = ()) -> OpenMoves:
    """What can be played in a position, after the steps that were `begun`.

    Of very many moves it is not told what they would do.
    """
    names = scene.board.names
    found = choices(game, position, begun)
    count = sum(choice.ways for choice in found)
    order = {cell: place for place, cell in enumerate(sorted(range(len(names)), key=names.__getitem__))}
    by_name = sorted(found, key=lambda choice: order.get(choice.step, -1) if isinstance(choice.step, int) else -1)
    captures, quiet = [], {}
    for choice in by_name if count <= MOST_DESCRIBED else ():
        if choice.move:
            text, taken = _typed(game, position, choice.move, names)
            text = game.write(position, choice.move) if begun else text
            if taken:
                captures.append((text, taken))
            else:
                quiet[choice.step] = text
    if count > MOST_DESCRIBED:
        quiet = {choice.step: choice.text for choice in by_name if choice.move}
    several = [choice for choice in by_name if 1 < choice.ways <= MOST_LISTED]
    if sum(choice.ways for choice in several) > MOST_SEVERAL:
        several = []
    example = captures[0][0] if captures else _middle(quiet, scene) or _any(game, position, begun)
    return OpenMoves(
        found,
        tuple(captures),
        tuple((named(names, choice.step), ways_on(game, position, (*begun, choice.step))) for choice in several),
        example.lower(),
        count,
        begun_text(scene.board, begun),
        any(isinstance(choice.step, int) and not scene.cells[choice.step] for choice in found),
    )


def _typed(game: Game, position: Any, move: Move, names: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """How the only move that begins so is typed best, and the cells of what it takes.

    Where a piece is placed its cell says all; other moves are written whole.
    """
    events = game.play(position, move)[1]
    taken = tuple(names[cell] for event in events if event.kind == "captured" for cell in event.cells)
    is_placement = events[0].kind == "placed" and events[0].cells == move[:1]
    return names[int(move[0])] if is_placement else game.write(position, move), taken


def named(names: Sequence[str], step: Step) -> str:
    """What a step is called."""
    return step if isinstance(step, str) else names[step]


def _any(game: Game, position: Any, begun: Move) -> str:
    """One of the moves, whole; "" where there is none."""
    some = list(islice(game.moves(position, begun), MOST_DESCRIBED))
    return game.write(position, some[len(some) // 2]) if some else ""


def _middle(texts: Mapping[Step, str], scene: Scene) -> str:
    """One of these texts, from about the middle of the board; else a word, if there is one."""
    cells = [cell for row in scene.board.layout.rows for cell in row.cells if cell in texts]
    return texts[cells[len(cells) // 2]] if cells else next(iter(texts.values()), "")
