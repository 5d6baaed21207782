"""The colours of pictures, light and dark: plain rules, since what makes pixels of a picture knows no others."""

from typing import Final

from pbmserv.rendering.piece_style import PIECE_STYLES, Colours, PieceStyle

LIGHT_SQUARE: Final = "#f8f4ea"
LIGHT_LAST: Final = "#ffe08a"
DARK_SQUARE: Final = "#211f1b"
DARK_LAST: Final = "#5a4708"


def _piece(seat: int, look: PieceStyle, colours: Colours) -> str:
    inside, pips = (colours.ink, colours.paper) if look.is_filled else (colours.paper, colours.ink)
    return f".seat{seat} .body{{fill:{inside};stroke:{colours.ink}}}.seat{seat} .pip{{fill:{pips}}}"


PIECES_LIGHT: Final = (
    "".join(_piece(seat, look, look.light) for seat, look in enumerate(PIECE_STYLES))
    + ".piece .body{stroke-width:7}"
    + ".piece .shade{fill:#3a2c10;fill-opacity:.22}"
    + ".piece .face{fill:#fff;fill-opacity:.13}"
    + ".piece text{font-family:system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;font-weight:700;"
    + "text-anchor:middle}"
)
"""Of pieces, in a light scheme."""

PIECES_DARK: Final = (
    "".join(_piece(seat, look, look.dark) for seat, look in enumerate(PIECE_STYLES)) + ".piece .shade{fill:#000;"
    "fill-opacity:.5}"
)
"""What is otherwise in a dark scheme."""

SHEET: Final = f"{PIECES_LIGHT}@media(prefers-color-scheme:dark){{{PIECES_DARK}}}"
"""CSS for the classes of pieces, on a page or in a picture of its own."""

BOARD_LIGHT: Final = (
    ".ground{fill:#e4d9c0}"
    f".square{{fill:{LIGHT_SQUARE}}}"
    ".label{fill:#554f42}"
    f".last{{fill:{LIGHT_LAST};stroke:#211f1a;stroke-width:5}}"
    ".taken{fill:none;stroke:#211f1a;stroke-width:4;stroke-dasharray:11 9}"
    ".bar{fill:#0b6b57}"
    ".label,.told{font-family:system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;font-size:26px}"
    ".told{font-size:30px;fill:#211f1a;font-variant-numeric:tabular-nums}"
    ".column{text-anchor:middle}"
)
"""Of the board below them, in a light scheme."""

BOARD_DARK: Final = (
    ".ground{fill:#38342c}"
    f".square{{fill:{DARK_SQUARE}}}"
    ".label{fill:#c9c1af}"
    f".last{{fill:{DARK_LAST};stroke:#ffe08a}}"
    ".taken{stroke:#ece8dd}"
    ".bar{fill:#7fd4bf}"
    ".told{fill:#ece8dd}"
)
"""What is otherwise in a dark scheme."""

BOARD_SHEET: Final = f"{BOARD_LIGHT}@media(prefers-color-scheme:dark){{{BOARD_DARK}}}"
"""CSS for the classes of a board in a picture of its own."""
