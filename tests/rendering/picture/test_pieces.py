"""Pieces as drawings."""

import re
from itertools import combinations, product

from pbmserv.games.game import Piece
from pbmserv.games.info import Side
from pbmserv.games.kinds import CHESS, ROUND, SHOGI, XIANGQI, word_of
from pbmserv.rendering.piece_style import NAMED_STYLES, PIECE_STYLES, PieceStyle, looks_of
from pbmserv.rendering.svg.pieces import drawing, piece_id, symbols
from pbmserv.rendering.svg.stylesheet import (
    DARK_LAST,
    DARK_SQUARE,
    DARK_WOOD,
    LIGHT_LAST,
    LIGHT_SQUARE,
    LIGHT_WOOD,
    PIECES_DARK,
    PIECES_LIGHT,
)
from pbmserv.rendering.templates import environment
from tests.every import for_each
from tests.rendering.picture.svg import every, parsed

TEXT, SHAPE = 4.5, 3.0  # WCAG 2.2, 1.4.3 and 1.4.11


def die(seat: int, value: int) -> Piece:
    """A die that shows that."""
    return Piece(seat, f"({value})", "die", value)


def svg(*pieces: Piece) -> str:
    """The symbols of these in an SVG."""
    return f'<svg xmlns="http://www.w3.org/2000/svg">{symbols(pieces, PIECE_STYLES)}</svg>'


def light(colour: str) -> float:
    """Relative luminance, by WCAG."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(part * share for part, share in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


def contrast(one: str, other: str) -> float:
    """Contrast, by WCAG."""
    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


@for_each(("seat", "value"), list(product(range(6), range(1, 7))))
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
        assert f".{look.name} .body{{fill:{inside};stroke:{look.light.ink}}}" in PIECES_LIGHT
        assert look.name == f"seat{seat}"
    assert [look.is_filled for look in PIECE_STYLES] == [True, False] * 3


def test_a_seventh_seat_looks_like_the_first() -> None:
    """It has its own name all the same."""
    assert drawing(die(6, 2), PIECE_STYLES) == drawing(die(0, 2), PIECE_STYLES)
    assert piece_id(die(6, 2)) != piece_id(die(0, 2))


@for_each("look", PIECE_STYLES)
def test_every_piece_can_be_seen(look: PieceStyle) -> None:
    """In both schemes: on a square, on one that is marked, and its pips on its body."""
    for colours, grounds in ((look.light, (LIGHT_SQUARE, LIGHT_LAST)), (look.dark, (DARK_SQUARE, DARK_LAST))):
        assert contrast(colours.ink, colours.paper) >= TEXT
        assert all(contrast(colours.ink, ground) >= SHAPE for ground in grounds)
    assert look.light.ink in PIECES_LIGHT
    assert look.dark.ink in PIECES_DARK


@for_each("look", NAMED_STYLES.values())
def test_every_colour_can_be_seen(look: PieceStyle) -> None:
    """By its body or by its outline, on plain squares and on marked ones; black and white on wood."""
    is_on_wood = look.name in ("black", "white")
    light_grounds = (LIGHT_WOOD if is_on_wood else LIGHT_SQUARE, LIGHT_LAST)
    dark_grounds = (DARK_WOOD,) if is_on_wood else (DARK_SQUARE, DARK_LAST)
    for colours, grounds in ((look.light, light_grounds), (look.dark, dark_grounds)):
        assert contrast(colours.ink, colours.paper) >= TEXT
        for ground in grounds:
            assert max(contrast(colour, ground) for colour in (colours.ink, colours.paper)) >= SHAPE
    inside = look.light.ink if look.is_filled else look.light.paper
    assert f".{look.name} .body{{fill:{inside};" in PIECES_LIGHT


def test_kinds_are_told_apart() -> None:
    """Plain pieces, kings, officers, burnt squares and seeds; a kind without a drawing shows its text, escaped."""
    pieces = [
        Piece(0, "x"),
        Piece(0, "X", "king"),
        Piece(0, "X", "officer"),
        Piece(None, "#", "burnt"),
        Piece(None, "12", "seeds", 12),
        Piece(1, "<&>", "knight"),
        Piece(1, "King", "King"),
        Piece(1, "9", "", 9),
    ]
    root = parsed(svg(*pieces, *pieces))
    drawn = {symbol.get("id"): symbol for symbol in every(root, "symbol")}
    assert list(drawn) == sorted(
        ["p0", "p0-king", "p0-officer", "p-burnt", "p-seeds-12", "p1-knight", "p1-_4bing", "p1-9"]
    )
    assert not every(drawn["p0"], "path", "pip")
    signs = {every(drawn[name], "path", "pip")[0].get("d") for name in ("p0-king", "p0-officer")}
    assert len(signs) == 2
    assert every(drawn["p-burnt"], "path", "char")
    (seeds,) = every(drawn["p-seeds-12"], "path", "seed")
    assert (seeds.get("d") or "").count("M") == 12
    texts = {name: every(symbol, "text") for name, symbol in drawn.items()}
    assert {name: found[0].text for name, found in texts.items() if found} == {
        "p-seeds-12": "12",
        "p1-knight": "<&>",
        "p1-_4bing": "King",
        "p1-9": "9",
    }
    assert float(texts["p1-_4bing"][0].get("font-size", "")) * 0.7 * len("King") < 82


@for_each("count", [1, 4, 13, 48])
def test_seeds_lie_in_their_pit(count: int) -> None:
    """Each by itself, however many there are."""
    (seeds,) = every(parsed(svg(Piece(None, str(count), "seeds", count))), "path", "seed")
    starts = [(float(x), float(y)) for x, y in re.findall(r"M([\d.]+) ([\d.]+)", seeds.get("d") or "")]
    assert len(set(starts)) == count
    assert all((x - 50) ** 2 + (y - 50) ** 2 < 50**2 for x, y in starts)


def test_kinds_with_a_drawing() -> None:
    """Every kind that is named for the games has a drawing of its own, on every side, and a word."""
    kinds = [
        *(f"chess/{kind}" for kind in CHESS),
        *(f"shogi/{kind}" for kind in SHOGI),
        *(f"xiangqi/{kind}" for kind in XIANGQI),
        *ROUND,
    ]
    words = environment().get_template("parts/row.txt").module.kinds  # type: ignore[attr-defined]
    assert {word_of(kind) for kind in kinds} <= set(words)
    looks = looks_of((Side("White", "P"), Side("Black", "p")))
    texts = SHOGI | XIANGQI
    drawn = {
        str(drawing(Piece(seat, texts.get(word_of(kind), "p"), kind), looks)) for kind in kinds for seat in (0, 1)
    }
    assert len(drawn) == 2 * len(kinds)


def test_pieces_of_shogi_point_to_the_other_side() -> None:
    """The second player's stand on their heads."""
    looks = looks_of((Side("Black", "P"), Side("White", "p")))
    first, second = (str(drawing(Piece(seat, "P", "shogi/pawn"), looks)) for seat in (0, 1))
    assert "rotate(180" not in first
    assert "rotate(180" in second
