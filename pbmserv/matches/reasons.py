"""Why a move is not possible, as far as the board alone tells: without the words of any rule.

Each game knows which rule forbids a move. Most moves fail for something that everybody sees: a cell that the board
does not have, a piece in the way, no piece to move.
"""

import re
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal

from pbmserv.games.game import Game, Scene, Seat
from pbmserv.games.notation import names

Why = Literal["off", "taken", "empty", "other", "rule"]

_MOST_COMPARED: Final = 400
_LONGEST: Final = 40


@dataclass(frozen=True, slots=True)
class Reason:
    """What speaks against a move: `cell` is off the board, taken, empty, or holds another's piece; or a rule does.

    `first` and `last` are the corners of the board. `move` is what was written; empty where it was not in cells.
    """

    why: Why
    cell: str = ""
    first: str = ""
    last: str = ""
    move: str = ""


def reason_against(game: Game, position: Any, seat: Seat, text: str) -> Reason:
    """The reason against a move that a rule forbids, as its writer sees the board."""
    scene = game.scene(position)
    steps = names(text, game.info.words)
    named = tuple(name for name in steps if name not in game.info.words)
    move = text.strip().upper().replace("X", "x") if named and len(text) <= _LONGEST else ""
    first, last = scene.board.names[0].upper(), scene.board.names[-1].upper()
    off = next((name for name in named if scene.board.find(name.upper()) is None), None)
    if (off is not None or len(named) == 1) and _is_in_dialect(game, text):
        return Reason("rule", "", first, last, move)
    if off is not None:
        return Reason("off", off.upper(), first, last, move)
    if not named:
        return Reason("rule")
    is_drop = steps[0] in game.info.words
    why = _where_dropped(scene, named[0]) if is_drop else _on_cell(game, position, scene, seat, named)
    return Reason(why, named[0].upper(), first, last, move)


def _is_in_dialect(game: Game, text: str) -> bool:
    """Whether a text is in the game's other notation, so that what looks like a cell there may be none: `R1e2`."""
    dialect = game.info.dialect
    return bool(dialect) and re.fullmatch(dialect, text.strip(), re.ASCII | re.IGNORECASE) is not None


def _where_dropped(scene: Scene, name: str) -> Why:
    """What stands against a piece that comes from beside the board, on the cell where it should go."""
    number = scene.board.find(name.upper())
    return "rule" if number is None or not scene.cells[number] else "taken"


def _on_cell(game: Game, position: Any, scene: Scene, seat: Seat, named: tuple[str, ...]) -> Why:
    """What stands against a move in the first cell that it names, or the rule where nothing does."""
    number = scene.board.find(named[0].upper())
    begun = {int(move[0]) for move in islice(game.moves(position), _MOST_COMPARED) if _is_cell(move[0])}
    if number is None or not begun:
        return "rule"
    pieces = scene.cells[number]
    if not any(scene.cells[cell] for cell in begun):
        return "taken" if pieces else "rule"
    if not all(scene.cells[cell] for cell in begun):
        return "rule"
    if not pieces:
        return "empty"
    is_others = pieces[-1].seat not in (seat, None) and all(_top(scene, cell) == seat for cell in begun)
    return "other" if is_others else "rule"


def _is_cell(step: object) -> bool:
    return isinstance(step, int)


def _top(scene: Scene, cell: int) -> Seat | None:
    return scene.cells[cell][-1].seat
