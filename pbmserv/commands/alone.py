"""A word that answers a board all by itself, as phones write it too: `Resign.`, `accept!`"""

import re
from collections.abc import Sequence

_ALONE = re.compile(r"(resign|propose|undo|accept|reject|pass|rematch) ?([.,;:!?)]*)", re.IGNORECASE | re.ASCII)
_PLAIN_ENDS = ("", ".", "!")


def alone(words: Sequence[str]) -> tuple[str, bool] | None:
    """The word, and whether it is said without doubt; None where anything else is said.

    >>> [alone(line.split()) for line in ("Resign.", "accept ?", "undo it", "Pass")]
    [('resign', True), ('accept', False), None, ('pass', True)]
    """
    said = _ALONE.fullmatch(" ".join(words))
    return None if said is None else (said[1].lower(), said[2] in _PLAIN_ENDS)
