"""Pieces as they are drawn: each kind once in a picture, and used wherever one stands.

What sides differ in is told by `looks`, for mails and pictures alike; here it becomes shapes.
"""

import math
import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from markupsafe import Markup

from pbmserv.games.game import Cell, Info, Seat
from pbmserv.rendering.piece_style import PIECE_STYLES, PIPS, PipShape, has_pips, piece_style_of

SIZE: Final = 100
"""The sides of the box that a piece is drawn in."""

_INSET: Final = 9
_FACE_INSET: Final = 15
_SHADE_DROP: Final = 4
# A corner that is not round, of a body that has round ones, is no needle either.
_LEAST_RADIUS: Final = 7
_SQUARE_RADIUS: Final = 15
_ASIDE: Final = 18
_BELOW: Final = 21
_PIP: Final = 8.3
_LONE_PIP: Final = 13
_ROWS: Final = {"c": (0,), "l": (-_ASIDE,), "r": (_ASIDE,), "b": (-_ASIDE, _ASIDE), "": ()}

Point = tuple[float, float]


def piece_id(cell: Cell) -> str:
    """The name of the drawing of what stands on a square, which must not be empty.

    >>> piece_id(Cell("C3", "(2)", 0, 2, ())), piece_id(Cell("A1", " K+", 1, None, ()))
    ('p0-2', 'p1-K_2b')
    """
    shown = re.sub("[^a-zA-Z0-9]", lambda found: f"_{ord(found[0]):x}", _text(cell))
    return f"p{cell.seat}-{shown}"


def symbols(cells: Iterable[Cell]) -> Markup:
    """Each kind of piece on these squares as a `<symbol>` of 100 by 100, to be put into an SVG of the picture.

    A page puts them once into `<svg class="symbols" aria-hidden="true">`, and draws one by
    `<svg class="die" viewBox="0 0 100 100"><use href="#p0-2"/></svg>`.
    """
    kinds = {piece_id(cell): cell for cell in cells if cell.seat is not None}
    return Markup("").join(
        Markup('<symbol id="{}" viewBox="0 0 {size} {size}">{}</symbol>').format(name, drawing(cell), size=SIZE)
        for name, cell in sorted(kinds.items())
    )


def drawing(cell: Cell) -> Markup:
    """What stands on a square, which must not be empty, as a `<g>` of 100 by 100."""
    return _drawing(cell.seat or 0, cell.value, _text(cell))


def samples(info: Info) -> tuple[Cell, ...]:
    """A square with a piece of each side of a game, the least of its kind."""
    return tuple(
        Cell("", side.mark.replace("n", "1"), seat, 1 if "n" in side.mark else None, ())
        for seat, side in enumerate(info.sides)
    )


def token(seat: Seat) -> Markup:
    """The sign of a seat as a `<g>` of 100 by 100: the body of its pieces with one large pip."""
    return _whole(
        seat, Markup('<path class="pip" d="{}"/>').format(_pip(piece_style_of(seat).shape, (50, 50), 19))
    )


@cache  # of a few dozen kinds
def _drawing(seat: Seat, value: int | None, text: str) -> Markup:
    if value is None or not has_pips(value):
        size = min(48, 105 / max(len(text), 1))
        return _whole(
            seat,
            Markup('<text class="pip" x="50" y="{:.4g}" font-size="{:.4g}">{}</text>').format(
                50 + size * 0.36, size, text
            ),
        )
    shape = piece_style_of(seat).shape
    places = (
        (50 + aside, 50 + _BELOW * below)
        for below, row in enumerate(PIPS[value - 1], -(len(PIPS[value - 1]) // 2))
        for aside in _ROWS[row]
    )
    radius = _LONE_PIP if value == 1 else _PIP
    return _whole(
        seat, Markup('<path class="pip" d="{}"/>').format("".join(_pip(shape, at, radius) for at in places))
    )


def _whole(seat: Seat, sign: Markup) -> Markup:
    look = piece_style_of(seat)
    body = _box(look.corners, _INSET)
    shade = _box(look.corners, _INSET - 4, _SHADE_DROP)
    face = Markup('<path class="face" d="{}"/>').format(_box(look.corners, _FACE_INSET)) if look.is_filled else ""
    return Markup(
        '<g class="piece seat{}"><path class="shade" d="{}"/><path class="body" d="{}"/>{}{}</g>'
    ).format(seat % len(PIECE_STYLES), shade, body, face, sign)


def _text(cell: Cell) -> str:
    return cell.text.strip() if cell.value is None else str(cell.value)


def _box(corners: str, inset: float, drop: float = 0) -> str:
    """The outline of a box whose corners CSS would round so, `inset` from the edges and `drop` lower."""
    side = SIZE - 2 * inset
    least = _SQUARE_RADIUS if "%" not in corners else _LEAST_RADIUS
    radii = [side / 2 if each == "50%" else least for each in _four(corners.split())]
    low, high, top, bottom = inset, SIZE - inset, inset + drop, SIZE - inset + drop
    turns: list[tuple[Point, Point, float]] = [
        ((low, top + radii[0]), (low + radii[0], top), radii[0]),
        ((high - radii[1], top), (high, top + radii[1]), radii[1]),
        ((high, bottom - radii[2]), (high - radii[2], bottom), radii[2]),
        ((low + radii[3], bottom), (low, bottom - radii[3]), radii[3]),
    ]
    drawn = "L".join(f"{_at(begin)}A{_n(r)} {_n(r)} 0 0 1 {_at(end)}" for begin, end, r in turns)
    return f"M{drawn}z"


def _four(words: list[str]) -> list[str]:
    """A shorthand of CSS as the values of the corners, clockwise from the upper left."""
    return words if len(words) == 4 else [words[0], words[-1], words[0], words[-1]]


def _pip(shape: PipShape, at: Point, radius: float) -> str:
    """The outline of a pip that looks as large as a circle of that radius."""
    x, y = at
    if shape == "circle":
        r = _n(radius)
        return f"M{_at((x - radius, y))}a{r} {r} 0 1 0 {_n(2 * radius)} 0a{r} {r} 0 1 0 {_n(-2 * radius)} 0z"
    points = [(x + radius * across, y + radius * down) for across, down in _OUTLINES[shape]]
    return f"M{'L'.join(map(_at, points))}z"


def _star() -> tuple[Point, ...]:
    radii = (1.24, 0.56) * 5
    angles = (math.pi * (each / 5 - 0.5) for each in range(10))
    return tuple((r * math.cos(angle), r * math.sin(angle)) for r, angle in zip(radii, angles, strict=True))


# Around the middle, for a circle of radius 1.
_OUTLINES: Final[dict[PipShape, tuple[Point, ...]]] = {
    "square": ((-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)),
    "triangle": ((0, -1.15), (1.1, 0.78), (-1.1, 0.78)),
    "diamond": ((0, -1.16), (1.1, 0), (0, 1.16), (-1.1, 0)),
    "star": _star(),
    "cross": tuple(
        (across * 1.03, down * 1.03)
        for across, down in (
            *((-0.34, -1), (0.34, -1), (0.34, -0.34), (1, -0.34), (1, 0.34), (0.34, 0.34)),
            *((0.34, 1), (-0.34, 1), (-0.34, 0.34), (-1, 0.34), (-1, -0.34), (-0.34, -0.34)),
        )
    ),
}


def _at(point: Point) -> str:
    return f"{_n(point[0])} {_n(point[1])}"


def _n(number: float) -> str:
    """A number in as few letters as will do.

    >>> _n(12.0), _n(0.346), _n(-7.25)
    ('12', '0.3', '-7.2')
    """
    return f"{number:.1f}".removesuffix(".0")
