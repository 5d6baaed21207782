"""Pieces as they are drawn: each kind once in a picture, and used wherever one stands.

Styles say what sides differ in, for mails and pictures alike; here it becomes shapes. A kind that has
no drawing here shows its text.
"""

import math
import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from markupsafe import Markup

from pbmserv.games.game import Piece, Seat
from pbmserv.games.info import Info, Side
from pbmserv.games.kinds import SHOGI, XIANGQI
from pbmserv.rendering.piece_style import PIPS, PieceStyle, PipShape, has_pips
from pbmserv.rendering.svg.plan import SIZE


class Silhouette(NamedTuple):
    """The outline of a piece, and what is drawn on it in the other colour."""

    body: str
    sign: str = ""


_FOOT: Final = "q4 0 4 6v8h-60v-8q0-6 4-6"

_MEN: Final = {
    "king": Silhouette(
        f"M47 7h6v6h7v6h-7v11C58 24 82 22 84 41C85 53 73 58 73 67q-1 4 1 7h2{_FOOT}h2q2-3 1-7"
        "C27 58 15 53 16 41C18 22 42 24 47 30V19h-7v-6h7z",
        "M28 62h44v4.5h-44zM47.8 36h4.4v21h-4.4z",
    ),
    "queen": Silhouette(
        f"M16 29L31 54L33 22L44 49L50 18L56 49L67 22L69 54L84 29L75 66q-2 5 0 8h1{_FOOT}h1q2-3 0-8z"
        "M16 29m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0zM33 22m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z"
        "M50 18m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0zM67 22m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z"
        "M84 29m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
        "M28 62h44l-1 4.5h-42z",
    ),
    "rook": Silhouette(
        f"M25 18h12v8h8v-8h10v8h8v-8h12v18l-9 8v24l6 6h4{_FOOT}h4l6-6v-24l-9-8z",
        "M34 43h32v4.5h-32zM34 64.5h32v4.5h-32z",
    ),
    "bishop": Silhouette(
        f"M50 9.500a6 6 0 0 1 4 10.5q16 12 16 28q0 9-8 14l4 12h10{_FOOT}h10l4-12q-8-5-8-14q0-16 16-28"
        "a6 6 0 0 1 4-10.5z",
        "M39 59.500h22v4.5h-22zM47.8 34h4.4v7h7v4.4h-7v8h-4.4v-8h-7v-4.4h7z",
    ),
    "knight": Silhouette(
        f"M45 11L50 20C70 22 80 43 77 74h-1{_FOOT}h6c0-14 18-18 18-32c-4 8-12 6-16 10l-6 8q-8 2-11-6"
        "c4-14 10-18 14-26q1-4 4-6l-1-8l7 5z",
        "M36 33m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0zM55 27c13 9 17 24 15 43h-4.500c2-17-2-31-13-39z"
        "M21 53m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0z",
    ),
    "pawn": Silhouette(
        f"M50 16a13.5 13.5 0 0 1 9 23.5h5v6h-6q2 18 14 28.5h4{_FOOT}h4q12-10.5 14-28.500h-6v-6h5"
        "a13.5 13.5 0 0 1 9-23.500z",
        "M29 74h42v4.5h-42z",
    ),
}

WALL: Final = Silhouette("M40 10h20v80h-20z")

CHESS: Final = {f"chess/{kind}": man for kind, man in _MEN.items()}
"""By kind."""

TILE: Final = "M50 7L77 22L87 91H13L23 22z"
"""A piece of shogi, which points to the other side."""

TILES: Final = {f"shogi/{kind}": letter for kind, letter in SHOGI.items()}
"""The letters on the pieces of shogi, by kind."""

DISCS: Final = frozenset(f"xiangqi/{kind}" for kind in XIANGQI)
"""The kinds of xiangqi, which show their text on a disc with a ring."""

RING: Final = "M50 15a35 35 0 1 0 .01 0zM50 19a31 31 0 1 1-.01 0z"


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

_SEEDS_WIDE: Final = 29
_SEEDS_APART: Final = 13
_SEEDS_HIGH: Final = 40
_GOLDEN: Final = math.pi * (3 - math.sqrt(5))

Point = tuple[float, float]


@lru_cache(maxsize=4096)  # a film asks for the same ones again and again
def piece_id(piece: Piece) -> str:
    """The name of the drawing of a piece.

    >>> piece_id(Piece(0, "(2)", "die", 2)), piece_id(Piece(1, "o")), piece_id(Piece(None, "#", "burnt"))
    ('p0-2', 'p1', 'p-burnt')
    """
    kind = "" if piece.kind == "die" else re.sub("[^a-z0-9]", lambda found: f"_{ord(found[0]):x}", piece.kind)
    words = (
        "p" if piece.seat is None else f"p{piece.seat}",
        kind,
        "" if piece.value is None else str(piece.value),
    )
    return "-".join(word for word in words if word)


def symbols(pieces: Iterable[Piece], looks: Sequence[PieceStyle]) -> Markup:
    """Each kind of these pieces as a `<symbol>` of 100 by 100, to be put into an SVG of the picture.

    A page puts them once into `<svg class="symbols" aria-hidden="true">`, and draws one by
    `<svg class="die" viewBox="0 0 100 100"><use href="#p0-2"/></svg>`.
    """
    kinds = {piece_id(piece): piece for piece in pieces}
    return Markup("").join(
        Markup('<symbol id="{}" viewBox="0 0 {size} {size}"{}>{}</symbol>').format(
            name, _BEYOND if piece.kind in _BARS else "", drawing(piece, looks), size=SIZE
        )
        for name, piece in sorted(kinds.items())
    )


def drawing(piece: Piece, looks: Sequence[PieceStyle]) -> Markup:
    """A piece as a `<g>` of 100 by 100; `looks` are those of the sides, by seat."""
    return _drawing(piece, None if piece.seat is None else looks[piece.seat % len(looks)])


def samples(info: Info) -> tuple[Piece, ...]:
    """A piece of each side of a game, the least of its kind; sides that sow have the same seeds."""
    return tuple(_sample(seat, side) for seat, side in enumerate(info.sides))


def _sample(seat: Seat, side: Side) -> Piece:
    if side.mark == "n":
        return Piece(None, "4", "seeds", 4)
    return Piece(seat, side.mark.replace("n", "1"), "die", 1) if "n" in side.mark else Piece(seat, side.mark)


def token(look: PieceStyle) -> Markup:
    """The sign of a side as a `<g>` of 100 by 100: the body of its pieces, with one large pip if it has any."""
    sign = Markup("") if look.is_named else _sign(_pip(look.shape, (50, 50), 19))
    return _whole(look, sign)


@cache  # of a few dozen kinds
def _drawing(piece: Piece, look: PieceStyle | None) -> Markup:
    if piece.kind == "seeds":
        return _seeds(piece.value or 0)
    if piece.kind in _BARS:
        return Markup('<g class="piece nobody"><path class="char" d="{}"/></g>').format(_BARS[piece.kind])
    if look is None:
        return _BURNT if piece.kind == "burnt" else _nobodys(piece)
    if piece.kind == "die" and piece.value is not None and has_pips(piece.value):
        return _whole(look, _sign(_pips(piece.value, look.shape)))
    if piece.kind in CHESS or piece.kind == "wall":
        return _man(look, CHESS.get(piece.kind, WALL))
    if piece.kind in TILES:
        return _tile(look, TILES[piece.kind], is_turned=piece.seat == 1)
    if piece.kind in DISCS:
        ring = Markup('<path class="pip" fill-rule="evenodd" d="{}"/>').format(RING)
        return _whole(look, ring + _letters(piece.text.strip(), 50, 40))
    if piece.kind in _SIGNS:
        return _whole(look, _sign(_SIGNS[piece.kind]))
    text = piece.text.strip() if piece.value is None else str(piece.value)
    if not piece.kind and piece.value is None:
        return _whole(look, Markup(""))
    return _whole(look, _letters(text, 50, min(48, 105 / max(len(text), 1))))


def _pips(value: int, shape: PipShape) -> str:
    places = (
        (50 + aside, 50 + _BELOW * below)
        for below, row in enumerate(PIPS[value - 1], -(len(PIPS[value - 1]) // 2))
        for aside in _ROWS[row]
    )
    radius = _LONE_PIP if value == 1 else _PIP
    return "".join(_pip(shape, at, radius) for at in places)


def _whole(look: PieceStyle, sign: Markup) -> Markup:
    body = _box(look.corners, _INSET)
    shade = _box(look.corners, _INSET - 4, _SHADE_DROP)
    has_face = look.is_filled and not look.is_named
    face = Markup('<path class="face" d="{}"/>').format(_box(look.corners, _FACE_INSET)) if has_face else ""
    return Markup('<g class="piece {}"><path class="shade" d="{}"/><path class="body" d="{}"/>{}{}</g>').format(
        look.name, shade, body, face, sign
    )


def _man(look: PieceStyle, man: Silhouette) -> Markup:
    return Markup(
        '<g class="piece {}"><path class="shade" transform="translate(0 4)" d="{body}"/>'
        '<path class="body man" d="{body}"/><path class="pip" d="{}"/></g>'
    ).format(look.name, man.sign, body=man.body)


def _tile(look: PieceStyle, letter: str, is_turned: bool) -> Markup:
    """A piece that points away from its player; one that is promoted has its letter in another colour."""
    turned = Markup(' transform="rotate(180 50 50)"') if is_turned else ""
    shown = _letters(letter.removeprefix("+"), 58, 46)
    if letter.startswith("+"):
        shown = Markup('<g class="raised">{}<path class="pip" d="M36 80h28v5h-28z"/></g>').format(shown)
    shade = Markup('<path class="shade" transform="translate(0 {})" d="{}"/>').format(-4 if is_turned else 4, TILE)
    return Markup('<g class="piece {}"><g{}>{}<path class="body man" d="{}"/>{}</g></g>').format(
        look.name, turned, shade, TILE, shown
    )


def _sign(outline: str) -> Markup:
    return Markup('<path class="pip" fill-rule="evenodd" d="{}"/>').format(outline)


def _letters(text: str, y: float, size: float) -> Markup:
    return Markup('<text class="pip" x="50" y="{:.4g}" font-size="{:.4g}">{}</text>').format(
        y + size * 0.36, size, text
    )


def _seeds(count: int) -> Markup:
    """Seeds as they lie when they are thrown, and their number below them; where they lie tells whose."""
    apart = min(_SEEDS_WIDE / math.sqrt(max(count, 1)), _SEEDS_APART)
    radius = max(apart * 0.5, 3)
    seeds = "".join(
        _pip("circle", (50 + reach * math.cos(turn), _SEEDS_HIGH + reach * math.sin(turn)), radius)
        for reach, turn in ((apart * math.sqrt(each + 0.5) * (count > 1), _GOLDEN * each) for each in range(count))
    )
    return Markup('<g class="piece nobody"><path class="seed" d="{}"/>{}</g>').format(
        seeds, _letters(str(count), 84, 25)
    )


def _nobodys(piece: Piece) -> Markup:
    """The text of a piece, or its value on a round body."""
    if piece.value is None:
        return Markup('<g class="piece nobody">{}</g>').format(_letters(piece.text.strip(), 50, 48))
    return Markup('<g class="piece nobody"><path class="body" d="{}"/>{}</g>').format(
        _box("50%", _INSET), _letters(str(piece.value), 50, 48)
    )


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


_SIGNS: Final = {
    "king": "M25 35L38 50L50 28L62 50L75 35L70 64H30zM30 69H70V75H30z",
    "officer": f"{_pip('circle', (50, 50), 25)}{_pip('circle', (50, 50), 17)}{_pip('circle', (50, 50), 8)}",
}
"""What is on the body of a piece, by its kind."""

_BARS: Final = {"across": "M-64 42H164V58H-64z", "upright": "M42-64V164H58V-64z"}
"""Lines that are drawn, from the middle of the place on one side to that on the other: beyond the cell."""

_BEYOND: Final = Markup(' overflow="visible"')

_BURNT: Final = Markup(
    '<g class="piece nobody"><path class="char" d="{}"/><path class="cross" d="M34 34L66 66M66 34L34 66"/></g>'
).format(_box("4px", 6))
