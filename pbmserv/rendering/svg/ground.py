"""The empty board of a picture: its cells as they are beside each other, its lines, labels and coloured edges."""

from collections.abc import Iterable, Iterator, Sequence

from markupsafe import Markup

from pbmserv.games.board import Board
from pbmserv.games.game import Scene
from pbmserv.rendering.piece_style import PieceStyle, are_on_wood
from pbmserv.rendering.svg.plan import HALF, TRAY, Plan, plan_for

_STAR = 8
_AROUND = 6
_POST = 20


def draw_ground(scene: Scene, looks: Sequence[PieceStyle]) -> Markup:
    """The empty board of a scene with its labels and trays; `looks` are those of the sides, by seat."""
    board, plan = scene.board, plan_for(scene)
    ground = Markup('<rect class="d-ground" width="{}" height="{}" rx="22"/>').format(plan.width, plan.height)
    surface = _points(board, plan, looks) if plan.shape == "point" else _cells(board, plan, looks)
    kind = Markup(' class="d-wood"') if are_on_wood(looks) else ""
    return Markup("<g{}>{}</g>").format(kind, Markup("").join([ground, *_trays(plan), *surface, *_labels(plan)]))


def _cells(board: Board, plan: Plan, looks: Sequence[PieceStyle]) -> Iterator[Markup]:
    yield from _edges(board, plan, looks)
    shaded = set(board.layout.shaded)
    lit = "".join(plan.outline(cell) for cell in range(len(plan.centres)) if cell not in shaded)
    kind = "d-pit" if plan.shape == "pit" else "d-hex" if plan.shape == "hexagon" else "d-cell"
    yield Markup('<path class="{}" d="{}"/>').format(kind, lit)
    if shaded:
        dark = "d-hex d-dark" if plan.shape == "hexagon" else "d-dark"
        yield Markup('<path class="{}" d="{}"/>').format(dark, "".join(map(plan.outline, sorted(shaded))))
    yield from _heavy(board, plan)
    if board.layout.posts:
        posts = (plan.at(*post) for post in board.layout.posts)
        yield Markup('<path class="d-star" d="{}"/>').format(_dots(posts, _POST))


def _heavy(board: Board, plan: Plan) -> Iterator[Markup]:
    """What divides the board: heavier lines, or a river."""
    lines = "".join("M{} {}L{} {}".format(*plan.at(*begin), *plan.at(*end)) for begin, end in board.layout.heavy)
    if lines:
        yield Markup('<path class="{}" d="{}"/>').format("d-river" if plan.shape == "point" else "d-heavy", lines)


def _edges(board: Board, plan: Plan, looks: Sequence[PieceStyle]) -> Iterator[Markup]:
    """The coloured edges, of which the cells leave a band to be seen."""
    for (seat, _, _), points in zip(board.layout.edges, plan.edges, strict=True):
        drawn = "L".join(f"{x} {y}" for x, y in points)
        yield Markup('<path class="d-edge {}" d="M{}z"/>').format(looks[seat % len(looks)].name, drawn)


def _borders(board: Board, plan: Plan, looks: Sequence[PieceStyle]) -> Iterator[Markup]:
    """The coloured lines that part the outer points from the others."""
    wide, high = plan.middle
    for seat, *ends in board.layout.edges:
        (x, y), (to_x, to_y) = (plan.centres[cell] for cell in ends)
        if y == to_y:
            y = to_y = y + (HALF if y < high else -HALF)
            x, to_x = min(x, to_x) - HALF, max(x, to_x) + HALF
        else:
            x = to_x = x + (HALF if x < wide else -HALF)
            y, to_y = min(y, to_y) - HALF, max(y, to_y) + HALF
        kind = looks[seat % len(looks)].name
        yield Markup('<path class="d-goal d-of {}" d="M{} {}L{} {}"/>').format(kind, x, y, to_x, to_y)


def _points(board: Board, plan: Plan, looks: Sequence[PieceStyle]) -> Iterator[Markup]:
    left, top, right, bottom = plan.frame
    yield Markup('<rect class="d-cell" x="{}" y="{}" width="{}" height="{}" rx="8"/>').format(
        left, top, right - left, bottom - top
    )
    yield from _heavy(board, plan)
    lines = "".join(
        "M{} {}L{} {}".format(*plan.centres[one], *plan.centres[other]) for one, other in board.layout.lines
    )
    if lines:
        yield Markup('<path class="d-line" d="{}"/>').format(lines)
    yield from _borders(board, plan, looks)
    if board.layout.stars:
        dots = _dots((plan.centres[cell] for cell in board.layout.stars), _STAR)
        yield Markup('<path class="d-star" d="{}"/>').format(dots)


def _trays(plan: Plan) -> Iterator[Markup]:
    """Where pieces in hand lie."""
    left, _, right, _ = plan.frame
    for x, y in plan.trays:
        yield Markup('<rect class="d-tray" x="{}" y="{}" width="{}" height="{}" rx="14"/>').format(
            x, y + _AROUND, right - left, TRAY - 2 * _AROUND
        )


def _dots(places: Iterable[tuple[int, int]], r: int) -> str:
    """The outlines of dots of a radius."""
    return "".join(f"M{x} {y}m-{r} 0a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0-{2 * r} 0z" for x, y in places)


def _labels(plan: Plan) -> Iterator[Markup]:
    for text, x, y in plan.labels:
        yield Markup('<text class="d-label" x="{}" y="{}">{}</text>').format(x, y + 9, text)
