"""What single words of a line can be, before anything is known of records.

Letters and digits mean ASCII here: `str.isdigit` and `\\d` would let in digits of other scripts.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from email_validator import EmailNotValidError, validate_email

from pbmserv.games.library import games
from pbmserv.games.squares import is_square_like

FILTERS = ("all", "active", "inactive", "next")
LATER = (
    "accept add block broadcast chat confirm delete export forgot history message preview propose queue ratings "
    "record reject seek set signoff standings submit subscribe unblock undo unsubscribe withdraw"
)
"""Commands that are to come: whoever was called so by then would be out of their own commands' reach."""

_USERID = re.compile(r"[a-z](?:[a-z0-9._-]{0,18}[a-z0-9_-])", re.IGNORECASE | re.ASCII)
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-")
_INVISIBLE = dict.fromkeys(
    map(
        ord,
        "\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff",
    ),
    None,
)
_SEPARATORS = "xX=:-/+,"
_GUARD_AFTER_BLANK = re.compile(r" ?# ?[0-9]{1,4}$", re.ASCII)


def normalised(line: str) -> str:
    """The line with one kind of blank, dash, digit and letter form for each, and none at its ends.

    >>> normalised("\uff2dove\u00a0101  c3\u2013b3")
    'Move 101 c3-b3'
    """
    plain = unicodedata.normalize("NFKC", line.translate(_INVISIBLE)).translate(_DASHES)
    return " ".join(plain.split())


def is_move_like(words: Sequence[str]) -> bool:
    """Whether words are likely one move: squares, what may stand between them, and the guard after them.

    >>> [is_move_like(line.split()) for line in ("c3 x b3, d3", "c3 # 7", "c3!", "c3 is mine", "c3 anna sesame")]
    [True, True, True, False, False]
    """
    first, *later = _GUARD_AFTER_BLANK.sub("", " ".join(words)).split() or [""]
    return is_square_like(first) and all(
        is_square_like(word.lstrip(_SEPARATORS)) or not word.strip(_SEPARATORS) for word in later
    )


def is_number(word: str) -> bool:
    """Whether a word can be the number of a board."""
    return word.isascii() and word.isdigit() and len(word) <= 9


def is_userid(word: str) -> bool:
    """Whether a word has a userid's form: 2 to 20 letters, digits, `-`, `_`, `.`; a letter first, no dot last."""
    return _USERID.fullmatch(word) is not None


def is_reserved(word: str, command_names: Iterable[str]) -> bool:
    """Whether a word already means something else, so that nobody may be called so."""
    taken = {
        "yes",
        "no",
        "server",
        "as",
        "stop",
        "quit",
        "end",
        "former",
        "robot",
        *FILTERS,
        *LATER.split(),
        *games(),
    }
    taken.update(part for name in command_names for part in name.split())
    return word.lower() in taken or is_square_like(word)


def close_to(word: str, known: Iterable[str], cutoff: float = 0.6) -> tuple[str, ...]:
    """Up to three of `known` that `word` may be a slip for, best first; they share that much or more of it."""
    return tuple(get_close_matches(word.lower(), list(known), n=3, cutoff=cutoff))


def is_one_slip_away(word: str, meant: str) -> bool:
    """Whether one letter too many, too few, wrong, or two swapped make `word` out of `meant`.

    The first letter is seldom mistaken, and another one mostly makes another word.

    >>> [is_one_slip_away(word, "move") for word in ("mvoe", "moove", "moov", "love", "omve")]
    [True, True, False, False, True]
    """
    if word == meant or abs(len(word) - len(meant)) > 1:
        return False
    start = 0
    while start < min(len(word), len(meant)) and word[start] == meant[start]:
        start += 1
    rest, other = word[start:], meant[start:]
    swapped = len(rest) > 1 and rest[1::-1] + rest[2:] == other
    return swapped or (start > 0 and (rest[1:] == other or rest == other[1:] or rest[1:] == other[1:]))


def is_address(word: str) -> bool:
    """Whether a word is a mail address in ASCII, as far as its form tells."""
    try:
        found = validate_email(word, check_deliverability=False, test_environment=True)
    except EmailNotValidError:
        return False
    return word.isascii() and found.ascii_email is not None and len(word) <= 254
