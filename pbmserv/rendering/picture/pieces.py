"""Pieces as they are drawn: each kind once in a picture, and used wherever one stands.

Sides differ in the shape of the piece, in filled or outlined, in the shape of their pips and in colour, as they do
in mails, so that one of these always comes through.
"""

from collections.abc import Iterable

from markupsafe import Markup

from pbmserv.games.game import Cell


def piece_id(cell: Cell) -> str:
    """The name of the drawing of what stands on a square, which must not be empty.

    >>> piece_id(Cell("C3", "(2)", 0, 2, ()))
    'p0-2'
    """
    return f"p{cell.seat}-{cell.value}"


def symbols(cells: Iterable[Cell]) -> Markup:
    """Each kind of piece on these squares as a `<symbol>` of 100 by 100, to be put into an SVG of the picture.

    A page puts them once into `<svg class="symbols" aria-hidden="true">`, and draws one by
    `<svg class="die" viewBox="0 0 100 100"><use href="#p0-2"/></svg>`.
    """
    kinds = {piece_id(cell): cell for cell in cells if cell.seat is not None}
    return Markup("").join(_symbol(name, cell) for name, cell in sorted(kinds.items()))


def _symbol(name: str, cell: Cell) -> Markup:
    dress = "filled" if (cell.seat or 0) % 2 == 0 else "outlined"
    return Markup(
        '<symbol id="{}" viewBox="0 0 100 100"><g class="seat{} {}">'
        '<rect class="body" x="5" y="5" width="90" height="90" rx="12"/>'
        '<text class="pip" x="50" y="68" text-anchor="middle" font-size="50">{}</text></g></symbol>'
    ).format(name, cell.seat, dress, cell.value if cell.value is not None else cell.text.strip())
