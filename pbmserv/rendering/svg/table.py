"""A board on a page: the picture of a position as a part of the page, and where its cells are to be touched."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from pbmserv.games.board import Shape
from pbmserv.games.game import Scene
from pbmserv.rendering.piece_style import PieceStyle
from pbmserv.rendering.svg.ground import draw_ground
from pbmserv.rendering.svg.plan import HALF, around, plan_for
from pbmserv.rendering.svg.position import draw_marks, draw_pieces, puts_on

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
