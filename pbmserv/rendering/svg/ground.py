"""The empty board of a picture: its cells as they are beside each other, its lines, labels and coloured edges."""

from collections.abc import Iterable, Iterator, Sequence

from markupsafe import Markup

from pbmserv.games.board import Board
from pbmserv.rendering.piece_style import PieceStyle, are_black_and_white
from pbmserv.rendering.svg.plan import HALF, Plan, plan_of

_STAR = 8
_POST = 20


def draw_ground(board: Board, looks: Sequence[PieceStyle]) -> Markup:
    """The empty board with its labels; `looks` are those of the sides, by seat."""
    plan = plan_of(board)
    ground = Markup('<rect class="d-ground" width="{}" height="{}" rx="22"/>').format(plan.width, plan.height)
    surface = _points(board, plan) if plan.shape == "point" else _cells(board, plan, looks)
    kind = Markup(' class="d-wood"') if are_black_and_white(looks) else ""
    return Markup("<g{}>{}</g>").format(kind, Markup("").join([ground, *surface, *_labels(plan)]))


def _cells(board: Board, plan: Plan, looks: Sequence[PieceStyle]) -> Iterator[Markup]:
    yield from _edges(board, plan, looks)
    shaded = set(board.layout.shaded)
    lit = "".join(plan.outline(cell) for cell in range(len(plan.centres)) if cell not in shaded)
    kind = "d-pit" if plan.shape == "pit" else "d-hex" if plan.shape == "hexagon" else "d-cell"
    yield Markup('<path class="{}" d="{}"/>').format(kind, lit)
    if shaded:
        yield Markup('<path class="d-dark" d="{}"/>').format("".join(map(plan.outline, sorted(shaded))))
    if board.layout.posts:
        (x, y), (across, down) = plan.centres[0], board.layout.places[0]
        places = ((x + (at - across) * HALF, y + (line - down) * HALF) for at, line in board.layout.posts)
        yield Markup('<path class="d-star" d="{}"/>').format(_dots(places, _POST))


def _edges(board: Board, plan: Plan, looks: Sequence[PieceStyle]) -> Iterator[Markup]:
    """The coloured edges, of which the cells leave a band to be seen."""
    for (seat, _, _), points in zip(board.layout.edges, plan.edges, strict=True):
        drawn = "L".join(f"{x} {y}" for x, y in points)
        yield Markup('<path class="d-edge {}" d="M{}z"/>').format(looks[seat % len(looks)].name, drawn)


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
        dots = _dots((plan.centres[cell] for cell in board.layout.stars), _STAR)
        yield Markup('<path class="d-star" d="{}"/>').format(dots)


def _dots(places: Iterable[tuple[int, int]], r: int) -> str:
    """The outlines of dots of a radius."""
    return "".join(f"M{x} {y}m-{r} 0a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0-{2 * r} 0z" for x, y in places)


def _labels(plan: Plan) -> Iterator[Markup]:
    for text, x, y in plan.labels:
        yield Markup('<text class="d-label" x="{}" y="{}">{}</text>').format(x, y + 9, text)
