"""Pieces as drawings."""

import re
from itertools import combinations, product

import pytest

from pbmserv.games.game import Cell
from pbmserv.rendering.piece_style import PIECE_STYLES, PieceStyle
from pbmserv.rendering.svg.pieces import drawing, piece_id, symbols
from pbmserv.rendering.svg.stylesheet import (
    DARK_LAST,
    DARK_SQUARE,
    LIGHT_LAST,
    LIGHT_SQUARE,
    PIECES_DARK,
    PIECES_LIGHT,
)
from tests.rendering.picture.svg import every, parsed

TEXT, SHAPE = 4.5, 3.0  # WCAG 2.2, 1.4.3 and 1.4.11


def die(seat: int, value: int) -> Cell:
    """A die on some square."""
    return Cell("C3", f"({value})", seat, value, ())


def svg(*cells: Cell) -> str:
    """The symbols of these in an SVG."""
    return f'<svg xmlns="http://www.w3.org/2000/svg">{symbols(cells)}</svg>'


def light(colour: str) -> float:
    """Relative luminance, by WCAG."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(part * share for part, share in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


def contrast(one: str, other: str) -> float:
    """Contrast, by WCAG."""
    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("seat", "value"), list(product(range(6), range(1, 7))))
def test_a_die_has_as_many_pips_as_it_is_worth(seat: int, value: int) -> None:
    """Each is a closed outline of its own, and all lie on the body."""
    (pips,) = every(parsed(svg(die(seat, value))), "path", "pip")
    outline = pips.get("d") or ""
    assert outline.count("M") == outline.count("z") == value
    starts = [(float(x), float(y)) for x, y in re.findall(r"M([\d.]+) ([\d.]+)", outline)]
    assert len(set(starts)) == value
    assert all((x - 50) ** 2 + (y - 50) ** 2 < 41**2 for x, y in starts)


def test_sides_differ_in_more_than_colour() -> None:
    """In the outline of the body and in that of a pip; and every other one is only outlined."""
    roots = [parsed(svg(die(seat, 1))) for seat in range(6)]
    for name in ("body", "pip"):
        outlines = [every(root, "path", name)[0].get("d") for root in roots]
        assert all(one != other for one, other in combinations(outlines, 2))
    for seat, look in enumerate(PIECE_STYLES):
        inside = look.light.ink if look.is_filled else look.light.paper
        assert f".seat{seat} .body{{fill:{inside};stroke:{look.light.ink}}}" in PIECES_LIGHT
    assert [look.is_filled for look in PIECE_STYLES] == [True, False] * 3


def test_a_seventh_seat_looks_like_the_first() -> None:
    """It has its own name all the same."""
    assert drawing(die(6, 2)) == drawing(die(0, 2))
    assert piece_id(die(6, 2)) != piece_id(die(0, 2))


@pytest.mark.parametrize("look", PIECE_STYLES)
def test_every_piece_can_be_seen(look: PieceStyle) -> None:
    """In both schemes: on a square, on one that is marked, and its pips on its body."""
    for colours, grounds in ((look.light, (LIGHT_SQUARE, LIGHT_LAST)), (look.dark, (DARK_SQUARE, DARK_LAST))):
        assert contrast(colours.ink, colours.paper) >= TEXT
        assert all(contrast(colours.ink, ground) >= SHAPE for ground in grounds)
    assert look.light.ink in PIECES_LIGHT
    assert look.dark.ink in PIECES_DARK


def test_what_is_no_die_shows_its_text() -> None:
    """Escaped, and in letters that fit; kinds with other texts are other drawings."""
    cells = [
        Cell("A1", " K ", 0, None, ()),
        Cell("A2", "<&>", 0, None, ()),
        Cell("A3", "12", 1, 12, ()),
        Cell("A4", "King", 0, None, ()),
    ]
    root = parsed(svg(*cells, *cells))
    texts = {symbol.get("id"): every(symbol, "text")[0] for symbol in every(root, "symbol")}
    assert {name: text.text for name, text in texts.items()} == {
        "p0-K": "K",
        "p0-_3c_26_3e": "<&>",
        "p1-12": "12",
        "p0-King": "King",
    }
    assert float(texts["p0-King"].get("font-size", "")) * 0.7 * len("King") < 82


def test_empty_squares_have_no_drawing() -> None:
    """Only pieces have one."""
    assert symbols([Cell("A1", "...", None, None, ())]) == ""
