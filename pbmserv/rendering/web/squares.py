"""The squares of a board on a page: what stands on each, in words and as a drawing, and where a click leads."""

from collections.abc import Mapping
from dataclasses import dataclass

from pbmserv.games.game import Cell, Scene
from pbmserv.rendering.picture.pieces import piece_id


@dataclass(frozen=True, slots=True)
class Square:
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


Row = tuple[str, tuple[Square, ...]]
"""The label of a row, and its squares from left to right."""


def rows_of(
    scene: Scene, userids: tuple[str, ...], takes: Mapping[str, int] | None, chosen: str = ""
) -> tuple[Row, ...]:
    """The rows of a board from top to bottom.

    `takes` has how many pieces each square's only move captures, where it captures, by the square's name in lower
    case; None where nobody may click. `chosen` is the square whose moves are listed.
    """

    def square(cell: Cell) -> Square:
        return Square(
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
