"""Where everything lies in the picture of a board, in units of the drawing, and the empty board drawn."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from markupsafe import Markup

from pbmserv.games.board import Board, Layout, Shape
from pbmserv.games.game import Scene
from pbmserv.rendering.piece_style import PieceStyle, are_on_wood

SIZE: Final = 100
"""The sides of the box that a piece is drawn in."""

HALF: Final = 57
"""Half a cell, between the middles of the lines around it."""

CELL: Final = 54
"""The same within these lines."""

LEAN: Final = 0.866
"""How much closer rows of hexagons are than their columns."""

BAND: Final = 18
"""How wide the coloured edge of a board is."""

TRAY: Final = 100
"""How high the tray is in which a seat's pieces in hand lie, with what parts it from the board."""

_CORNER: Final = 62
_POINT: Final = 61
_PIT: Final = 52
_MARGIN: Final = 18
_BESIDE: Final = 26
"""How far from the cells the middle of a label is, and from the margin of the picture."""

_LABELLED_TWICE: Final = 18
"""From this size, in half cells, rows and columns are named at both ends."""

_NEXT: Final = 2
"""How far from a hexagon a label beside it is, in half cells."""

_PIECES: Final[dict[Shape, int]] = {"square": SIZE, "point": 106, "hexagon": 98, "pit": SIZE}
_STACKED: Final = 0.86
_HIGHEST: Final = 40
_SLICE: Final = 12

Point = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Plan:
    """The places of a board's cells and labels. A label is its text and its middle."""

    shape: Shape
    width: int
    height: int
    centres: tuple[Point, ...]
    labels: tuple[tuple[str, int, int], ...]
    frame: tuple[int, int, int, int]
    """The box around the cells: left, top, right, bottom."""
    edges: tuple[tuple[Point, ...], ...]
    """The triangle that shows each coloured edge where the cells do not cover it."""
    origin: Point
    """Where the place 0, 0 of the layout is."""
    trays: tuple[Point, ...]
    """For each seat the upper left corner of what it has in hand; empty without hands."""

    @property
    def middle(self) -> Point:
        """The middle of the frame."""
        left, top, right, bottom = self.frame
        return (left + right) // 2, (top + bottom) // 2

    def at(self, x: int, y: int) -> Point:
        """Where a place of the layout is."""
        down = HALF * (LEAN if self.shape == "hexagon" else 1)
        return self.origin[0] + x * HALF, self.origin[1] + round(y * down)

    def stack(self, cell: int, height: int) -> Iterable[tuple[int, int, int]]:
        """The upper left corner and the size of each of `height` pieces on a cell, the lowest first."""
        x, y = self.centres[cell]
        size = _PIECES[self.shape] if height == 1 else round(_PIECES[self.shape] * _STACKED)
        step = 0.0 if height == 1 else min(_SLICE, _HIGHEST / (height - 1))
        lowest = y + step * (height - 1) / 2
        return ((x - size // 2, round(lowest - step * level) - size // 2, size) for level in range(height))

    def outline(self, cell: int, inset: int = 0) -> str:
        """The edge of a cell as a path, or one within it."""
        x, y = self.centres[cell]
        return f"M{x} {y}{around(self.shape, inset)}"


def plan_for(scene: Scene) -> Plan:
    """The plan of a scene: its board, and a tray for what each seat has in hand, if the game has hands."""
    return plan_of(scene.board, len(scene.hands))


@lru_cache(maxsize=64)
def plan_of(board: Board, hands: int = 0) -> Plan:
    """The plan of a board and the trays of `hands` seats: the first seat's is below it, the second's above."""
    layout = board.layout
    down = HALF * (LEAN if layout.shape == "hexagon" else 1)
    places = [(x * HALF, round(y * down)) for x, y in layout.places]
    labels = [(text, *_drawn_near(board, text, x, y, down)) for text, x, y in _wanted(layout)]
    high = _CORNER if layout.shape == "hexagon" else CELL
    edges = _corners(layout, places)
    beyond = [point for edge in edges for point in edge]
    left = min([*(x - CELL for x, _ in places), *(x for x, _ in beyond)])
    right = max([*(x + CELL for x, _ in places), *(x for x, _ in beyond)])
    top = min([*(y - high for _, y in places), *(y for _, y in beyond)])
    bottom = max([*(y + high for _, y in places), *(y for _, y in beyond)])
    begin = (
        min([left - _MARGIN, *(x - _BESIDE for _, x, _ in labels)]),
        min([top - _MARGIN, *(y - _BESIDE for _, _, y in labels)]) - TRAY * (hands // 2),
    )
    end = (
        max([right + _MARGIN, *(x + _BESIDE for _, x, _ in labels)]),
        max([bottom + _MARGIN, *(y + _BESIDE for _, _, y in labels)]) + TRAY * (hands - hands // 2),
    )
    return Plan(
        layout.shape,
        end[0] - begin[0],
        end[1] - begin[1],
        tuple((x - begin[0], y - begin[1]) for x, y in places),
        tuple((text, x - begin[0], y - begin[1]) for text, x, y in labels),
        (left - begin[0], top - begin[1], right - begin[0], bottom - begin[1]),
        tuple(tuple((x - begin[0], y - begin[1]) for x, y in edge) for edge in edges),
        (-begin[0], -begin[1]),
        tuple(
            (left - begin[0], (TRAY * (seat // 2) if seat % 2 else end[1] - begin[1] - TRAY * (1 + seat // 2)))
            for seat in range(hands)
        ),
    )


def around(shape: Shape, inset: int = 0) -> str:
    """The outline of a cell around its middle, from there on."""
    if shape == "hexagon":
        aside, half = CELL - inset, round((CELL - inset) / LEAN / 2)
        return f"m0-{2 * half}l{aside} {half}v{2 * half}l-{aside} {half}l-{aside}-{half}v-{2 * half}z"
    if shape == "square":
        side = CELL - inset
        return f"m-{side}-{side}h{2 * side}v{2 * side}h-{2 * side}z"
    r = (_POINT if shape == "point" else _PIT) - inset
    return f"m-{r} 0a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0-{2 * r} 0z"


def _wanted(layout: Layout) -> Iterable[tuple[str, int, int]]:
    """The labels to draw: on small boards what is named at both ends is named at the left, or below, alone."""
    if max(layout.size) > _LABELLED_TWICE:
        return layout.labels
    width, height = layout.size
    every = set(layout.labels)
    return (
        (text, x, y)
        for text, x, y in layout.labels
        if not (x > width and (text, -1, y) in every) and not (y < 0 and (text, x, height + 1) in every)
    )


def _drawn_near(board: Board, text: str, x: int, y: int, down: float) -> Point:
    """The place of a label, in units, drawn near to the cells that it names."""
    layout = board.layout
    width, height = layout.size
    if layout.shape == "hexagon":
        named = [
            place for name, place in zip(board.names, layout.places, strict=True) if text in (name[0], name[1:])
        ]
        beside = min(named, key=lambda place: (place[0] - x) ** 2 + (place[1] - y) ** 2)
        if abs(beside[0] - x) > _NEXT:
            return HALF * x, round(down * y)
        away = (CELL + _BESIDE + (BAND + 26 if layout.edges else 0)) / (2 * HALF)
        return (
            round(HALF * (beside[0] + (x - beside[0]) * away)),
            round(down * (beside[1] + (y - beside[1]) * away)),
        )
    near = HALF - _BESIDE - (HALF - CELL)
    at_x = HALF * x + (near if x < 0 else -near if x > width else 0)
    at_y = HALF * y + (near if y < 0 else -near if y > height else 0)
    return at_x, at_y


def _corners(layout: Layout, places: Sequence[Point]) -> tuple[tuple[Point, ...], ...]:
    """Of each coloured edge the triangle from the middle of the board to the board's corners beyond its ends."""
    ends = {cell for _, *both in layout.edges for cell in both}
    if not ends or layout.shape == "point":
        return ()
    x, y = (round(sum(each) / len(ends)) for each in zip(*(places[cell] for cell in ends), strict=True))
    deep = max(abs(places[cell][1] - y) for cell in ends)
    grown = (deep + _CORNER + BAND) / max(deep, 1)

    def beyond(cell: int) -> Point:
        return round(x + (places[cell][0] - x) * grown), round(y + (places[cell][1] - y) * grown)

    return tuple(((x, y), beyond(first), beyond(last)) for _, first, last in layout.edges)


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
