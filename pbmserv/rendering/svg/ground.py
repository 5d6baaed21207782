"""The empty board of a picture: its cells as they are beside each other, its lines, labels and coloured edges."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from pbmserv.games.board import Board
from pbmserv.rendering.piece_style import PieceStyle
from pbmserv.rendering.svg.plan import Plan, around, corners, plan_of

_STAR = 8


def draw_ground(board: Board, looks: Sequence[PieceStyle]) -> Markup:
    """The empty board with its labels; `looks` are those of the sides, by seat."""
    plan = plan_of(board)
    ground = Markup('<rect class="d-ground" width="{}" height="{}" rx="22"/>').format(plan.width, plan.height)
    surface = _points(board, plan) if plan.shape == "point" else _cells(board, plan, looks)
    return Markup("").join([ground, *surface, *_labels(plan)])


def _cells(board: Board, plan: Plan, looks: Sequence[PieceStyle]) -> Iterator[Markup]:
    yield from _edges(board, looks)
    shaded = set(board.layout.shaded)
    lit = "".join(plan.outline(cell) for cell in range(len(plan.centres)) if cell not in shaded)
    kind = "d-pit" if plan.shape == "pit" else "d-hex" if plan.shape == "hexagon" else "d-cell"
    yield Markup('<path class="{}" d="{}"/>').format(kind, lit)
    if shaded:
        yield Markup('<path class="d-dark" d="{}"/>').format("".join(map(plan.outline, sorted(shaded))))


def _edges(board: Board, looks: Sequence[PieceStyle]) -> Iterator[Markup]:
    """A triangle from the middle of the board to each coloured edge; the cells leave a band of it to be seen."""
    at = corners(board)
    if not at:
        return
    x, y = (round(sum(each) / len(at)) for each in zip(*at.values(), strict=True))
    for seat, first, last in board.layout.edges:
        yield Markup('<path class="d-edge {}" d="M{} {}L{} {}L{} {}z"/>').format(
            looks[seat % len(looks)].name, x, y, *at[first], *at[last]
        )


def _points(board: Board, plan: Plan) -> Iterator[Markup]:
    left, top, right, bottom = plan.frame
    yield Markup('<rect class="d-cell" x="{}" y="{}" width="{}" height="{}" rx="8"/>').format(
        left, top, right - left, bottom - top
    )
    lines = "".join(
        "M{} {}L{} {}".format(*plan.centres[one], *plan.centres[other]) for one, other in board.layout.lines
    )
    yield Markup('<path class="d-line" d="{}"/>').format(lines)
    if board.layout.stars:
        r = _STAR
        dots = "".join(
            "M{} {}".format(*plan.centres[cell]) + f"m-{r} 0a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0-{2 * r} 0z"
            for cell in board.layout.stars
        )
        yield Markup('<path class="d-star" d="{}"/>').format(dots)


def _labels(plan: Plan) -> Iterator[Markup]:
    for text, x, y in plan.labels:
        yield Markup('<text class="d-label" x="{}" y="{}">{}</text>').format(x, y + 9, text)
