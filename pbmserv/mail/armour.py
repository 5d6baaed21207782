"""A text without what OpenPGP puts around it (RFC 9580, section 7): headers, signatures, keys."""

import re
from typing import Final

_LINE: Final = re.compile(r"-----(BEGIN|END) PGP ([A-Z0-9 ]{3,40})-----\s*$")
_SIGNED: Final = "SIGNED MESSAGE"
_HEADER: Final = re.compile(r"[A-Za-z-]{1,40}: ")
_DASHED: Final = "- "


def without_armour(lines: list[str]) -> list[str]:
    """The lines that were signed, their dashes as written, and those around them; what is no text falls away.

    A block that is never closed reaches to the end.
    """
    kept: list[str] = []
    block = ""
    in_head = False
    for line in lines:
        found = _LINE.match(line) if line.startswith("-----") else None
        if found is not None:
            block = found[2] if found[1] == "BEGIN" else ""
            in_head = block == _SIGNED
        elif not block:
            kept.append(line)
        elif block == _SIGNED:
            if in_head and _HEADER.match(line):
                continue
            in_head = in_head and not line.strip()
            kept.append(line.removeprefix(_DASHED))
    return kept
