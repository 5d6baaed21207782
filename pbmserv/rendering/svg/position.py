"""A position as a picture of its own: an SVG of any game that gives a scene."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from pbmserv.games.game import Piece, Scene
from pbmserv.rendering.piece_style import PieceStyle
from pbmserv.rendering.svg.ground import draw_ground
from pbmserv.rendering.svg.pieces import piece_id, symbols
from pbmserv.rendering.svg.plan import HALF, Plan, plan_of
from pbmserv.rendering.svg.stylesheet import SHEET

_PIXELS_A_CELL: Final = 72
_MOST_PIXELS: Final = 960
_RING: Final = 22
_WITHIN: Final = 3
_NOTHING: Final = Markup("")

HIDDEN: Final = Markup(' visibility="hidden"')
"""The attribute of what is there and not seen."""


@dataclass(frozen=True, slots=True, order=True)
class Put:
    """A drawing of a piece and where it is put; pieces of a higher level cover those of a lower one."""

    level: int
    name: str
    x: int
    y: int
    size: int

    def drawn(self, inside: Markup = _NOTHING, attributes: Markup = _NOTHING) -> Markup:
        """The element that draws it, perhaps with something `inside`."""
        return Markup('<use href="#{}" x="{}" y="{}" width="{size}" height="{size}"{}{}').format(
            self.name,
            self.x,
            self.y,
            attributes,
            Markup(">{}</use>").format(inside) if inside else Markup("/>"),
            size=self.size,
        )


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """The outline of a mark: its `kind` is its class. What was taken and left lies below what was touched last."""

    order: int
    kind: str
    path: str

    def drawn(self, inside: Markup = _NOTHING, attributes: Markup = _NOTHING) -> Markup:
        """The element that draws it, perhaps with something `inside`."""
        end = Markup(">{}</path>").format(inside) if inside else Markup("/>")
        return Markup('<path class="{}" d="{}"{}{}').format(self.kind, self.path, attributes, end)


def draw_scene(scene: Scene, looks: Sequence[PieceStyle], title: str, description: str) -> str:
    """A position as an SVG that needs nothing else, with a title and a description for who does not see it.

    `looks` are those of the sides, by seat. It turns dark where its viewer asks for that.
    """
    plan = plan_of(scene.board)
    return whole(draw_inside(scene, looks), plan.width, plan.height, title, description, SHEET)


def draw_inside(scene: Scene, looks: Sequence[PieceStyle]) -> Markup:
    """A position as what an SVG of its plan's size holds."""
    kinds = Markup("<defs>{}</defs>").format(symbols(pieces_of(scene), looks))
    return Markup("").join([kinds, draw_ground(scene.board, looks), draw_marks(scene), draw_pieces(scene)])


def whole(inside: Markup, width: int, height: int, title: str, description: str, sheet: str) -> str:
    """An SVG of that size, in units of the drawing, around what is drawn."""
    told = Markup('<desc id="told">{}</desc>').format(description) if description else Markup("")
    scale = min(_PIXELS_A_CELL / (2 * HALF), _MOST_PIXELS / max(width, height))
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


def draw_marks(scene: Scene) -> Markup:
    """What the last ply touched, left and took."""
    return Markup("").join(mark.drawn() for mark in sorted(marks(scene)))


def draw_pieces(scene: Scene) -> Markup:
    """Every piece in its place."""
    return Markup("").join(each.drawn() for each in sorted(puts(scene)))


def marks(scene: Scene) -> Iterator[Mark]:
    """The marks of a scene."""
    plan = plan_of(scene.board)
    yield from (Mark(0, "d-taken", plan.outline(cell, _WITHIN)) for cell in scene.captured)
    yield from (Mark(1, "d-left", _ring(plan, cell)) for cell in scene.vacated)
    yield from (Mark(2, "d-last", plan.outline(cell, _WITHIN)) for cell in scene.marked)
    if scene.within:
        yield Mark(3, "d-within", _frame(plan, scene.within))


def puts(scene: Scene) -> Iterator[Put]:
    """The pieces of a scene, each with its place."""
    plan = plan_of(scene.board)
    return (put for cell, pieces in enumerate(scene.cells) for put in puts_on(plan, cell, pieces))


def puts_on(plan: Plan, cell: int, pieces: Sequence[Piece]) -> Iterator[Put]:
    """The pieces on one cell, from bottom to top."""
    places = plan.stack(cell, len(pieces))
    for level, (piece, (x, y, size)) in enumerate(zip(pieces, places, strict=True)):
        yield Put(level, piece_id(piece), x, y, size)


def pieces_of(scene: Scene) -> Iterable[Piece]:
    """Everything that stands on the board."""
    return (piece for pieces in scene.cells for piece in pieces)


def _frame(plan: Plan, cells: Sequence[int]) -> str:
    """The box around some cells."""
    across, down = zip(*(plan.centres[cell] for cell in cells), strict=True)
    left, top = min(across) - HALF, min(down) - HALF
    return f"M{left} {top}h{max(across) + HALF - left}v{max(down) + HALF - top}H{left}z"


def _ring(plan: Plan, cell: int) -> str:
    x, y = plan.centres[cell]
    r = _RING
    return f"M{x} {y}m-{r} 0a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0-{2 * r} 0z"
