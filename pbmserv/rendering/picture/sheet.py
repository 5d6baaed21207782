"""The colours of pictures, light and dark: one sheet for those inside a page and for those that stand alone."""

from typing import Final

_LIGHT: Final = ("#b8400e", "#2563eb", "#4d7c0f", "#9333ea", "#8a6a00", "#0f766e")
_DARK: Final = ("#ff9d7d", "#8fc0ff", "#b3d77a", "#e6a8f0", "#e5c664", "#7fd8dc")


def _seats(colours: tuple[str, ...], paper: str) -> str:
    return "".join(f".seat{seat}{{--own:{colour};--paper:{paper}}}" for seat, colour in enumerate(colours))


SHEET: Final = (
    f"{_seats(_LIGHT, '#fff')}"
    "@media(prefers-color-scheme:dark){" + _seats(_DARK, "#14120f") + "}"
    ".filled .body{fill:var(--own);stroke:var(--own)}.filled .pip{fill:var(--paper)}"
    ".outlined .body{fill:var(--paper);stroke:var(--own)}.outlined .pip{fill:var(--own)}"
    ".body{stroke-width:6}"
)
"""CSS for the classes that pictures use."""
