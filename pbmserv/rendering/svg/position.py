"""A position as a picture of its own: an SVG of any game that gives a scene."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from pbmserv.games.game import Cell, Scene
from pbmserv.rendering.svg.pieces import SIZE, piece_id, symbols
from pbmserv.rendering.svg.stylesheet import BOARD_SHEET, SHEET

SQUARE: Final = 108
"""The sides of a square in units of the drawing; the lines between squares come to it."""

_LINE: Final = 6
STEP: Final = SQUARE + _LINE
_MARGIN: Final = 18
_LABELS: Final = 52
_INSIDE: Final = (SQUARE - SIZE) // 2
_PIXELS_A_SQUARE: Final = 72
_NOTHING: Final = Markup("")

HIDDEN: Final = Markup(' visibility="hidden"')
"""The attribute of what is there and not seen."""


@dataclass(frozen=True, slots=True)
class PictureLayout:
    """Where everything lies on a board of so many columns and rows, in units of the drawing."""

    columns: tuple[str, ...]
    rows: tuple[str, ...]

    @property
    def left(self) -> int:
        """Where the first column begins."""
        return _LABELS

    @property
    def top(self) -> int:
        """Where the highest row begins."""
        return _MARGIN

    @property
    def width(self) -> int:
        """Of the whole board with its labels and margins."""
        return _LABELS + len(self.columns) * STEP - _LINE + _MARGIN

    @property
    def height(self) -> int:
        """Of the whole board with its labels and margins."""
        return _MARGIN + len(self.rows) * STEP - _LINE + _LABELS

    def at(self, column: int, row: int) -> tuple[int, int]:
        """The upper left corner of a square, counted from 0 at the upper left."""
        return self.left + column * STEP, self.top + row * STEP


def plan_of(scene: Scene) -> PictureLayout:
    """The plan of a scene's board."""
    return PictureLayout(scene.columns, scene.rows)


def draw_scene(scene: Scene, title: str, description: str) -> str:
    """A position as an SVG that needs nothing else, with a title and a description for who does not see it.

    It turns dark where its viewer asks for that.
    """
    plan = plan_of(scene)
    return whole(draw_inside(scene), plan.width, plan.height, title, description, f"{SHEET}{BOARD_SHEET}")


def draw_inside(scene: Scene) -> Markup:
    """A position as what an SVG of its plan's size holds."""
    plan = plan_of(scene)
    kinds = Markup("<defs>{}</defs>").format(symbols(cell for row in scene.cells for cell in row))
    return Markup("").join([kinds, draw_ground(plan), marks(scene, plan), pieces(scene, plan)])


def whole(inside: Markup, width: int, height: int, title: str, description: str, sheet: str) -> str:
    """An SVG of that size, in units of the drawing, around what is drawn."""
    told = Markup('<desc id="told">{}</desc>').format(description) if description else Markup("")
    scale = _PIXELS_A_SQUARE / STEP
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" width="{}" height="{}" role="img" '
        'aria-labelledby="title{}"><title id="title">{}</title>{}<style>{}</style>{}</svg>'
    ).format(
        width,
        height,
        round(width * scale),
        round(height * scale),
        " told" if description else "",
        title,
        told,
        sheet,
        inside,
    )


def draw_ground(plan: PictureLayout) -> Markup:
    """The empty board with its labels: numbers at the left, letters below."""
    squares = "".join(
        f"M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z"
        for row in range(len(plan.rows))
        for x, y in (plan.at(column, row) for column in range(len(plan.columns)))
    )
    middle = SQUARE // 2
    across = (
        Markup('<text class="label column" x="{}" y="{}">{}</text>').format(
            plan.at(column, 0)[0] + middle, plan.height - 17, label
        )
        for column, label in enumerate(plan.columns)
    )
    down = (
        Markup('<text class="label column" x="{}" y="{}">{}</text>').format(
            _LABELS // 2, plan.at(0, row)[1] + middle + 9, label
        )
        for row, label in enumerate(plan.rows)
    )
    ground = Markup('<rect class="ground" width="{}" height="{}" rx="22"/><path class="square" d="{}"/>').format(
        plan.width, plan.height, squares
    )
    return Markup("").join([ground, *across, *down])


def marks(scene: Scene, plan: PictureLayout) -> Markup:
    """Where the last ply placed, and what it emptied."""
    last = (mark(*plan.at(*place), "last") for place in _places(scene, scene.last))
    taken = (mark(*plan.at(*place), "taken") for place in _places(scene, scene.taken))
    return Markup("").join([*taken, *last])


def mark(x: int, y: int, kind: str) -> Markup:
    """A square that is marked."""
    return Markup('<path class="{}" d="{}"/>').format(kind, mark_path(x, y))


def mark_path(x: int, y: int) -> str:
    """The outline of a mark in the square at that corner."""
    inside = SQUARE - 6
    return f"M{x + 3} {y + 3}h{inside}v{inside}h-{inside}z"


def pieces(scene: Scene, plan: PictureLayout) -> Markup:
    """Every piece in its place."""
    return Markup("").join(
        put(piece_id(cell), *plan.at(*place)) for cell, place in places(scene) if cell.seat is not None
    )


def put(name: str, x: int, y: int, inside: Markup = _NOTHING, is_seen: bool = True) -> Markup:
    """A piece of that name in the square at that corner, perhaps with something `inside` its element."""
    return Markup('<use href="#{}" x="{}" y="{}" width="{size}" height="{size}"{}{}').format(
        name,
        x + _INSIDE,
        y + _INSIDE,
        _NOTHING if is_seen else HIDDEN,
        Markup(">{}</use>").format(inside) if inside else Markup("/>"),
        size=SIZE,
    )


def places(scene: Scene) -> Iterable[tuple[Cell, tuple[int, int]]]:
    """Each cell with its column and row, counted from 0 at the upper left."""
    return ((cell, (column, row)) for row, cells in enumerate(scene.cells) for column, cell in enumerate(cells))


def _places(scene: Scene, squares: Collection[str]) -> list[tuple[int, int]]:
    return [place for cell, place in places(scene) if cell.square in squares]
