"""Words that tell prose from commands: nobody is called so, and no command means anything by them."""

import re
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from types import MappingProxyType

from email_validator import EmailNotValidError, validate_email

from pbmserv.games import games
from pbmserv.games.board import is_cell_like

COURTESY = frozenset({"please", "pls", "plz", "thanks", "thank", "thx", "ta", "cheers"})
"""What people add to a command without meaning anything by it: `c3 please`."""

_SMALL_WORDS = (
    "a an the this that these those it its it's i i'm i'd i'll i've im me my mine you your yours you're "
    "he she him her his we us our ours they them their is isn't are aren't am was wasn't were be been do "
    "does did don't didn't have has had can can't could would should will won't shall may might must let "
    "let's not never and or but if so then than though because as at by for from in into of off on out "
    "over to up upon with without what which who when where why how here there now soon later again ever "
    "always often usual far long much many more most such well very too also just only even still yet ago "
    "day days week weeks time way one ok okay oh ah hello hi dear sorry want like wish hereby promised "
    "expected agreed discussed mentioned said planned requested noted suggested announced before above "
    "board boards match matches game account itself received"
)
SMALL_WORDS = frozenset(_SMALL_WORDS.split())
"""Nobody's userid, and common in prose: pronouns, prepositions and the like, and what often follows `as`."""

ELSEWHERE = frozenset(
    {"con", "del", "dele", "for", "hel", "hell", "last", "lost", "mes", "mess", "pro", "que", "sub", "und"}
)
"""Words of other languages, or ordinary ones, which look like a shortening of a command and are none: `Und d4`."""

NEGATIONS = frozenset(
    {
        "not",
        "never",
        "no",
        "don't",
        "didn't",
        "won't",
        "can't",
        "isn't",
        "wasn't",
        "aren't",
        "if",
        "when",
        "before",
        "cannot",
    }
)
"""Beside these a word is not said to be done."""

_LABELS = (
    "my move|my answer|answer|my reply|reply|i play|zug|mein zug|ich ziehe|ich spiele|antwort|meine antwort"
    "|coup|mon coup|je joue|réponse|ma réponse|jugada|mi jugada|movimiento|mi movimiento|juego|respuesta"
    "|mossa|mia mossa|la mia mossa|gioco|risposta|zet|mijn zet|ik speel|antwoord|drag|mitt drag|jag spelar|svar"
    "|mitt svar|træk|mit træk|jeg spiller|mit svar|trekk|mitt trekk|lance|meu lance|jogada|minha jogada|jogo"
    "|resposta|ruch|mój ruch|gram|odpowiedź|tah|můj tah|hraju|hraji|odpověď|siirto|siirtoni|pelaan|vastaus"
    "|ход|мой ход|хожу|ответ|хід|мій хід|lépés|lépésem|hamle|hamlem|mutare|mutarea mea|κίνηση"
)
LABELS = frozenset(_LABELS.split("|"))
"""What people write before a move and a colon: `Mein Zug: d4`."""


SPELLINGS = MappingProxyType({"analyze": "analyse"})
"""Other spellings of commands."""

FILTERS = ("all", "active", "inactive", "next")
LATER = "chat preview"
"""Commands that are to come: whoever was called so by then would be out of their own commands' reach."""

ROBOTS = "robot"
"""How the userids of all robots begin, and of nobody else."""

SETTINGS = frozenset(
    {
        *("broadcast", "challenges", "digest", "html", "mail", "messages", "puzzle", "receipts", "vacation"),
        "words",
    }
)
"""What people can `set`."""

FIRST_BOARD = 101

NEVER_BY_SLIP = frozenset({"resign", "signoff", "delete", "undo", "propose", "accept"})
"""What gives something up, or may do so, and is done only where it is written as it should be."""

_USERID = re.compile(r"[a-z](?:[a-z0-9._-]{0,18}[a-z0-9_-])", re.IGNORECASE | re.ASCII)
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-")
_QUOTES = {ord(each): "'" for each in "\u2018\u2019\u201a\u201b\u2032"} | {
    ord(each): '"' for each in "\u201c\u201d\u201e\u201f"
}
_INVISIBLE = dict.fromkeys(
    map(
        ord,
        "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064"
        "\u2066\u2067\u2068\u2069\u20e3\ufe0e\ufe0f\ufeff",
    ),
    None,
)
OPENING = "\"'`*_~([{<\u00ab\u00bb\u2039\u203a"
CLOSING = "\"'`*_~)]}>\u00ab\u00bb\u2039\u203a.,;:!"


def normalised(line: str) -> str:
    """The line with one kind of blank, dash, quote, digit and letter form for each, and no blank at its ends.

    >>> normalised("\uff2dove\u00a0101  c3\u2013b3")
    'Move 101 c3-b3'
    """
    plain = unicodedata.normalize("NFKC", line.translate(_INVISIBLE)).translate(_DASHES | _QUOTES)
    return " ".join(plain.split())


def is_number(word: str) -> bool:
    """Whether a word can be the number of a board."""
    return word.isascii() and word.isdigit() and len(word) <= 9


def board_number(word: str) -> int | None:
    """The board that `101`, `101#7`, `101:` or `#101` names. No lower one is named in such dress.

    >>> [board_number(word) for word in ("101", "7", "101#7", "#101", "(101)", "101:", "7.", "#7", "c3")]
    [101, 7, 101, 101, 101, 101, None, None, None]
    """
    number = stripped_board(word).partition("#")[0]
    if not is_number(number):
        return None
    return int(number) if int(number) >= FIRST_BOARD or word.partition("#")[0] == number else None


def stripped_board(word: str) -> str:
    """A word without what may stand around a board's number."""
    return word.lstrip(OPENING + "#").rstrip(CLOSING)


def is_userid(word: str) -> bool:
    """Whether a word has a userid's form: 2 to 20 letters, digits, `-`, `_`, `.`; a letter first, no dot last."""
    return _USERID.fullmatch(word) is not None


def is_reserved(word: str, command_names: Iterable[str]) -> bool:
    """Whether a word already means something else, so that nobody may be called so."""
    taken = {
        "yes",
        "no",
        "userid",
        "somebody",
        "server",
        "as",
        "stop",
        "quit",
        "end",
        "former",
        *FILTERS,
        *SETTINGS,
        *COURTESY,
        *SMALL_WORDS,
        *LATER.split(),
        *SPELLINGS,
        *games(),
    }
    taken.update(part for name in command_names for part in name.split())
    return word.lower() in taken or is_cell_like(word) or word.lower().startswith(ROBOTS)


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
