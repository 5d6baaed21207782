"""The colours of pictures, light and dark: plain rules, since what makes pixels of a picture knows no others."""

from typing import Final

from pbmserv.rendering.piece_style import NAMED_STYLES, PIECE_STYLES, Colours, PieceStyle

LIGHT_SQUARE: Final = "#f8f4ea"
LIGHT_SHADED: Final = "#dccdae"
LIGHT_LAST: Final = "#ffe08a"
LIGHT_WOOD: Final = "#f1e2c0"
DARK_SQUARE: Final = "#211f1b"
DARK_SHADED: Final = "#4a4338"
DARK_LAST: Final = "#5a4708"
DARK_WOOD: Final = "#7d6d52"

_STYLES: Final = (*PIECE_STYLES, *NAMED_STYLES.values())


def _piece(look: PieceStyle, colours: Colours) -> str:
    inside, pips = (colours.ink, colours.paper) if look.is_filled else (colours.paper, colours.ink)
    name, whole = look.name, colours.paper if look.is_pale else colours.ink
    return (
        f".{name} .body{{fill:{inside};stroke:{colours.line or colours.ink}}}"
        f".{name} .pip{{fill:{pips}}}.d-edge.{name}{{fill:{whole}}}.d-of.{name}{{stroke:{whole}}}"
    )


PIECES_LIGHT: Final = (
    "".join(_piece(look, look.light) for look in _STYLES)
    + ".piece .body{stroke-width:7}"
    + ".piece .man{stroke-width:4.5;stroke-linejoin:round}"
    + ".piece .raised .pip{fill:#b3261e}.black .raised .pip{fill:#ffb09f}"
    + ".piece .shade{fill:#3a2c10;fill-opacity:.22}"
    + ".piece .face{fill:#fff;fill-opacity:.13}"
    + ".piece text{font-family:system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;font-weight:700;"
    + "text-anchor:middle}"
    + ".piece .seed{fill:#7a4a12;stroke:#3a2306;stroke-width:1.5}.nobody .pip{fill:#3a2c10}"
    + ".nobody .body{fill:#cdbd98;stroke:#6b614d}"
    + ".char{fill:#5b4f41}.cross{fill:none;stroke:#f8f4ea;stroke-width:9;stroke-linecap:round}"
)
"""Of pieces, in a light scheme."""

PIECES_DARK: Final = (
    "".join(_piece(look, look.dark) for look in _STYLES)
    + ".piece .shade{fill:#000;fill-opacity:.5}"
    + ".piece .raised .pip{fill:#b3261e}.black .raised .pip{fill:#ffb09f}"
    + ".piece .seed{fill:#e0b070;stroke:#2b1c08}.nobody .pip{fill:#ece8dd}"
    + ".nobody .body{fill:#4a4338;stroke:#9a907c}"
    + ".char{fill:#171512;stroke:#6b6457;stroke-width:3}.cross{stroke:#b3a993}"
)
"""What is otherwise in a dark scheme."""

BOARD_LIGHT: Final = (
    ".d-ground{fill:#e4d9c0}"
    f".d-cell{{fill:{LIGHT_SQUARE}}}"
    f".d-hex{{fill:{LIGHT_SQUARE};stroke:#b9ab8c;stroke-width:7}}"
    f".d-dark{{fill:{LIGHT_SHADED}}}"
    ".d-pit{fill:#cdbd98;stroke:#a08d63;stroke-width:3}"
    ".d-edge{stroke:#211f1a;stroke-width:2;stroke-opacity:.4}"
    ".d-wood .d-ground{fill:#d8c193}"
    f".d-wood .d-cell,.d-wood .d-hex{{fill:{LIGHT_WOOD}}}"
    ".d-wood .d-dark{fill:#d9bf8d}.d-wood .d-hex{stroke:#b59a63}"
    ".d-line{fill:none;stroke:#6b614d;stroke-width:3.5;stroke-linecap:round}"
    ".d-star{fill:#4d4536}"
    ".d-heavy{fill:none;stroke:#4d4536;stroke-width:12;stroke-linecap:round}"
    ".d-river{fill:none;stroke:#5b93c9;stroke-opacity:.35;stroke-width:100}"
    ".d-goal,.d-wall,.d-link{fill:none;stroke:#5b4f41;stroke-width:10;stroke-linecap:round}"
    ".d-wall{stroke-width:20;stroke-linecap:butt}.d-link{stroke-width:16}"
    ".d-tray{fill:#211f1a;fill-opacity:.08}"
    ".d-label{fill:#554f42}"
    f".d-last{{fill:{LIGHT_LAST};stroke:#211f1a;stroke-width:5}}"
    ".d-left{fill:none;stroke:#211f1a;stroke-opacity:.5;stroke-width:5}"
    ".d-check{fill:#f0ab98;stroke:#a3200d;stroke-width:5}"
    ".d-taken{fill:none;stroke:#211f1a;stroke-width:4;stroke-dasharray:11 9}"
    ".d-within{fill:none;stroke:#0b6b57;stroke-width:9}"
    ".d-bar{fill:#0b6b57}"
    ".d-rail{fill:#f8f4ea}"
    ".d-label,.d-told{font-family:system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;font-size:26px}"
    ".d-told{font-size:30px;fill:#211f1a;font-variant-numeric:tabular-nums}"
    ".d-label{text-anchor:middle}"
)
"""Of the board below them, in a light scheme."""

BOARD_DARK: Final = (
    ".d-ground{fill:#38342c}"
    f".d-cell{{fill:{DARK_SQUARE}}}"
    f".d-hex{{fill:{DARK_SQUARE};stroke:#575042}}"
    f".d-dark{{fill:{DARK_SHADED}}}"
    ".d-pit{fill:#211f1b;stroke:#575042}"
    ".d-edge{stroke:#000}"
    ".d-wood .d-ground{fill:#4d4333}"
    f".d-wood .d-cell,.d-wood .d-hex{{fill:{DARK_WOOD}}}"
    ".d-wood .d-dark{fill:#66593f}.d-wood .d-hex{stroke:#4d4333}"
    ".d-wood .d-line{stroke:#2c2519}.d-wood .d-star{fill:#2c2519}"
    ".d-line{stroke:#9a907c}"
    ".d-star{fill:#c9c1af}"
    ".d-heavy,.d-goal,.d-wall,.d-link{stroke:#c9c1af}"
    ".d-tray{fill:#000;fill-opacity:.25}"
    ".d-label{fill:#c9c1af}"
    f".d-last{{fill:{DARK_LAST};stroke:#ffe08a}}"
    ".d-left{stroke:#ece8dd}"
    ".d-check{fill:#7a2415;stroke:#ff9d7d}"
    ".d-taken{stroke:#ece8dd}"
    ".d-within{stroke:#7fd4bf}"
    ".d-bar{fill:#7fd4bf}"
    ".d-rail{fill:#211f1b}"
    ".d-told{fill:#ece8dd}"
)
"""What is otherwise in a dark scheme."""


def _in_both(light: str, dark: str) -> str:
    return f"{light}@media(prefers-color-scheme:dark){{{dark}}}"


SHEET: Final = _in_both(PIECES_LIGHT + BOARD_LIGHT, PIECES_DARK + BOARD_DARK)
"""CSS for pieces and boards, on a page or in a picture of its own."""
