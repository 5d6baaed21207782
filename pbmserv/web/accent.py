"""The colour of a club: that of links, buttons and marks on the pages, by day and by night.

Light pages have it as it is set. Dark ones have it mixed with as much white as its contrast there needs.
"""

import re
from typing import Final

Colour = tuple[int, int, int]

ENOUGH: Final = 4.5
"""The least contrast of text and ground (WCAG 2.2, 1.4.3)."""

LIGHT: Final = ("#fbfaf6", "#f1eee6", "#fbeecb")
"""The grounds of links on light pages: `--ground`, `--raised`, `--notice` in style/base.css."""

DARK: Final = ("#171613", "#23211c", "#3a3013")
"""The same on dark ones."""

ON_LIGHT: Final = "#ffffff"
ON_DARK: Final = "#10231e"
"""What stands on a button: `--on-accent`."""

_STEPS: Final = 32


def colour_of(text: str) -> Colour | None:
    """Red, green and blue of "#rrggbb"; None where it is no such thing."""
    if not re.fullmatch(r"#[0-9a-fA-F]{6}", text):
        return None
    red, green, blue = bytes.fromhex(text[1:])
    return red, green, blue


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21 (WCAG 2.2, relative luminance).

    >>> round(contrast("#000000", "#ffffff")), contrast("#123456", "#123456")
    (21, 1.0)
    """
    darker, lighter = sorted(map(_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def contrast_flaw(accent: str) -> str:
    """Why a colour cannot be an accent, as a clause; empty where it can."""
    ground = min((*LIGHT, ON_LIGHT), key=lambda each: contrast(accent, each))
    least = contrast(accent, ground)
    if least >= ENOUGH:
        return ""
    return (
        f"has a contrast of {int(least * 10) / 10} to {ground}, which links on the pages stand on, and needs "
        f"{ENOUGH}: take a darker colour"
    )


def lightened(accent: str) -> str:
    """The accent of dark pages: as little of white in it as will do."""
    red, green, blue = colour_of(accent) or (255, 255, 255)
    for step in range(_STEPS + 1):
        mixed = "#" + "".join(f"{each + (255 - each) * step // _STEPS:02x}" for each in (red, green, blue))
        if all(contrast(mixed, ground) >= ENOUGH for ground in (*DARK, ON_DARK)):
            break
    return mixed


def sheet_of(accent: str) -> str:
    """What a style sheet says of an accent; empty where none is set."""
    if not accent:
        return ""
    night = lightened(accent)
    return (
        f":root {{ --link: {accent}; --accent: {accent}; }}\n"
        "@media screen and (prefers-color-scheme: dark) {\n"
        f"  :root {{ --link: {night}; --accent: {night}; }}\n"
        "}\n"
    )


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(each / 255) for each in colour_of(colour) or (0, 0, 0))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
