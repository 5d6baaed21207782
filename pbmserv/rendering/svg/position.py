"""A position as an SVG of its own, and as a part of a page where its cells are to be touched."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from markupsafe import Markup

from pbmserv.games.board import Shape
from pbmserv.games.game import Piece, Scene
from pbmserv.rendering.piece_style import PieceStyle
from pbmserv.rendering.svg.pieces import piece_id, symbols
from pbmserv.rendering.svg.plan import HALF, TRAY, Plan, around, draw_ground, plan_for
from pbmserv.rendering.svg.stylesheet import SHEET

_PIXELS_A_CELL: Final = 72
_MOST_PIXELS: Final = 960
_RING: Final = 22
_WITHIN: Final = 3
_NOTHING: Final = Markup("")
_HELD: Final = Markup(' class="held"')
_HELD_SIZE: Final = 80
_HELD_GAP: Final = 12
_HELD_STEP: Final = 22
"""How much further to the right the next piece of a kind lies, where there is room."""

HIDDEN: Final = Markup(' visibility="hidden"')
"""The attribute of what is there and not seen."""


@dataclass(frozen=True, slots=True, order=True)
class Put:
    """A drawing of a piece and where it is put, on the board or in a hand; higher levels cover lower ones."""

    level: int
    name: str
    x: int
    y: int
    size: int
    is_held: bool = False

    def drawn(self, inside: Markup = _NOTHING, attributes: Markup = _NOTHING) -> Markup:
        """The element that draws it, perhaps with something `inside`."""
        return Markup('<use href="#{}" x="{}" y="{}" width="{size}" height="{size}"{}{}').format(
            self.name,
            self.x,
            self.y,
            attributes + (_HELD if self.is_held else _NOTHING),
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
    plan = plan_for(scene)
    return whole(draw_inside(scene, looks), plan.width, plan.height, title, description, SHEET)


def draw_inside(scene: Scene, looks: Sequence[PieceStyle]) -> Markup:
    """A position as what an SVG of its plan's size holds."""
    kinds = Markup("<defs>{}</defs>").format(symbols(pieces_of(scene), looks))
    return Markup("").join([kinds, draw_ground(scene, looks), draw_marks(scene, looks), draw_pieces(scene)])


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


def draw_marks(scene: Scene, looks: Sequence[PieceStyle]) -> Markup:
    """What the last ply touched, left and took, and walls and links above it."""
    return Markup("").join(mark.drawn() for mark in sorted(marks(scene, looks)))


def draw_pieces(scene: Scene) -> Markup:
    """Every piece in its place."""
    return Markup("").join(each.drawn() for each in sorted(puts(scene)))


def marks(scene: Scene, looks: Sequence[PieceStyle]) -> Iterator[Mark]:
    """The marks of a scene, and its strokes."""
    plan = plan_for(scene)
    yield from (Mark(0, "d-taken", plan.outline(cell, _WITHIN)) for cell in scene.captured)
    yield from (Mark(1, "d-left", _ring(plan, cell)) for cell in scene.vacated)
    yield from (Mark(2, "d-last", plan.outline(cell, _WITHIN)) for cell in scene.marked)
    yield from (Mark(2, "d-check", plan.outline(cell, _WITHIN)) for cell in scene.attacked)
    if scene.within:
        yield Mark(3, "d-within", _frame(plan, scene.within))
    for stroke in scene.strokes:
        kind = "d-wall" if stroke.between else "d-link"
        of = "" if stroke.seat is None else f" d-of {looks[stroke.seat % len(looks)].name}"
        (x, y), (to_x, to_y) = (plan.at(*end) for end in stroke.ends)
        yield Mark(3, kind + of, f"M{x} {y}L{to_x} {to_y}")


def puts(scene: Scene) -> Iterator[Put]:
    """The pieces of a scene, each with its place."""
    plan = plan_for(scene)
    standing = (put for cell, pieces in enumerate(scene.cells) if pieces for put in puts_on(plan, cell, pieces))
    return chain(standing, _held(scene, plan))


def puts_on(plan: Plan, cell: int, pieces: Sequence[Piece]) -> Iterator[Put]:
    """The pieces on one cell, from bottom to top."""
    places = plan.stack(cell, len(pieces))
    for level, (piece, (x, y, size)) in enumerate(zip(pieces, places, strict=True)):
        yield Put(level, piece_id(piece), x, y, size)


def _held(scene: Scene, plan: Plan) -> Iterator[Put]:
    """The pieces in the hands, each kind in a row, closer together where there are many."""
    width = plan.frame[2] - plan.frame[0] - 2 * _HELD_GAP
    for hand, (left, top) in zip(scene.hands, plan.trays, strict=True):
        more = sum(count - 1 for _, count in hand)
        room = width - (_HELD_SIZE + _HELD_GAP) * len(hand)
        step, x = min(_HELD_STEP, room / more) if more else 0, left + _HELD_GAP
        for piece, count in hand:
            for each in range(count):
                at = round(x + each * step)
                yield Put(each, piece_id(piece), at, top + (TRAY - _HELD_SIZE) // 2, _HELD_SIZE, is_held=True)
            x += round(step * (count - 1)) + _HELD_SIZE + _HELD_GAP


def pieces_of(scene: Scene) -> Iterable[Piece]:
    """Everything that stands on the board or lies in a hand."""
    yield from (piece for pieces in scene.cells for piece in pieces)
    yield from (piece for hand in scene.hands for piece, _ in hand)


def _frame(plan: Plan, cells: Sequence[int]) -> str:
    """The box around some cells."""
    across, down = zip(*(plan.centres[cell] for cell in cells), strict=True)
    left, top = min(across) - HALF, min(down) - HALF
    return f"M{left} {top}h{max(across) + HALF - left}v{max(down) + HALF - top}H{left}z"


def _ring(plan: Plan, cell: int) -> str:
    x, y = plan.centres[cell]
    r = _RING
    return f"M{x} {y}m-{r} 0a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0-{2 * r} 0z"


_BAR: Final = 600
"""Units of the whole bar of scores."""

_RINGS: Final[dict[Shape, int]] = {"square": 47, "point": 51, "hexagon": 47, "pit": 55}


@dataclass(frozen=True, slots=True)
class Table:
    """A board as a page draws it.

    `inside` belongs into an SVG with this `width` and `height` as its view box; the page's symbols have its
    pieces. `across` is how many cells fit beside each other, labels included; `outline` is that of a cell around
    its middle, `ring` the radius of a circle around what stands there.
    """

    inside: Markup
    width: int
    height: int
    across: int
    outline: str
    ring: int


def draw_table(
    scene: Scene, looks: Sequence[PieceStyle], before: Scene | None = None, chosen: Iterable[int] = ()
) -> Table:
    """A position as a page draws it; `looks` are those of the sides, by seat.

    What was taken since the scene `before` stands there faintly; cells that were `chosen` are marked.
    """
    plan = plan_for(scene)
    inside = Markup("").join(
        [
            draw_ground(scene, looks),
            draw_marks(scene, looks),
            *(
                Markup('<path class="d-chosen" d="{}"/>').format(plan.outline(cell, 3))
                for cell in dict.fromkeys(chosen)
            ),
            *(_gone(scene, before) if before else ()),
            draw_pieces(scene),
        ]
    )
    return Table(
        inside, plan.width, plan.height, round(plan.width / (2 * HALF)), around(plan.shape, 3), _RINGS[plan.shape]
    )


def middle_of(scene: Scene, cell: int) -> tuple[int, int]:
    """Where the middle of a cell is, in units of the drawing."""
    return plan_for(scene).centres[cell]


def _gone(scene: Scene, before: Scene) -> Iterator[Markup]:
    """What was taken from cells on which nothing stands now."""
    plan = plan_for(scene)
    for cell in scene.captured:
        if not scene.cells[cell]:
            for put in puts_on(plan, cell, before.cells[cell]):
                yield put.drawn(attributes=Markup(' class="gone"'))


def draw_scores(scores: Sequence[int], looks: Sequence[PieceStyle]) -> Markup:
    """How scores stand to each other, as a bar in the colours of the sides; nothing where nobody has any."""
    whole = sum(max(score, 0) for score in scores)
    if not whole:
        return Markup("")
    bars, begin = [], 0.0
    bar = Markup('<rect class="d-edge {}" x="{:.4g}" width="{:.4g}" height="12"/>')
    for score, look in zip(scores, looks, strict=False):
        width = _BAR * max(score, 0) / whole
        bars.append(bar.format(look.name, begin, width))
        begin += width
    svg = Markup(
        '<svg class="score-bar" viewBox="0 0 {} 12" preserveAspectRatio="none" aria-hidden="true">{}</svg>'
    )
    return svg.format(_BAR, Markup("").join(bars))
