"""Reserved words, allowed userids, and what a word can be by its form.

A userid must not be a command, nor look like another player's or like the server's own name.
"""

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from email_validator import EmailNotValidError, validate_email

from pbmserv.commands.command import commands
from pbmserv.commands.server import Server
from pbmserv.games import games
from pbmserv.games.board import is_cell_like

COURTESY = frozenset({"please", "pls", "plz", "thanks", "thank", "thx", "ta", "cheers"})
"""Polite words that people add to a command: `c3 please`."""

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

SPELLINGS = MappingProxyType({"analyze": "analyse"})
"""Other spellings of commands."""

FILTERS = ("all", "active", "inactive", "next")

_TAKEN: Final = ["yes", "no", "userid", "somebody", "server", "as", "stop", "quit", "end", "former"]

ROBOTS = "robot"
"""The prefix of robots' userids, reserved for them."""

SETTINGS = frozenset(
    ["broadcast", "challenges", "digest", "html", "mail", "messages", "puzzle", "receipts", "vacation", "words"]
)
"""The settings of `set`."""

NEVER_BY_SLIP = frozenset({"resign", "signoff", "delete", "undo", "propose", "accept"})
"""Commands that give something up, or may do so; they run only if spelled correctly."""

_USERID = re.compile(r"[a-z](?:[a-z0-9._-]{0,18}[a-z0-9_-])", re.IGNORECASE | re.ASCII)

OPENING = "\"'`*_~([{<\u00ab\u00bb\u2039\u203a"

CLOSING = "\"'`*_~)]}>\u00ab\u00bb\u2039\u203a.,;:!"


def is_number(word: str) -> bool:
    """Whether a word can be the number of a board."""
    return word.isascii() and word.isdigit() and len(word) <= 9


def is_userid(word: str) -> bool:
    """Whether a word has a userid's form: 2 to 20 letters, digits, `-`, `_`, `.`; a letter first, no dot last."""
    return _USERID.fullmatch(word) is not None


def is_reserved(word: str) -> bool:
    """Whether a word already means something else, so it cannot be a userid."""
    words = (*FILTERS, *SETTINGS, *COURTESY, *SMALL_WORDS, *SPELLINGS, *games(), *_TAKEN)
    taken = {*words, *(part for name in commands() for part in name.split())}
    return word.lower() in taken or is_cell_like(word) or word.lower().startswith(ROBOTS)


def close_to(word: str, known: Iterable[str], cutoff: float = 0.6) -> tuple[str, ...]:
    """Up to three of `known` that `word` may be a typo for, best first, with at least that similarity."""
    return tuple(get_close_matches(word.lower(), list(known), n=3, cutoff=cutoff))


def is_address(word: str) -> bool:
    """Whether a word has the form of an ASCII mail address."""
    try:
        found = validate_email(word, check_deliverability=False, test_environment=True)
    except EmailNotValidError:
        return False
    return word.isascii() and found.ascii_email is not None and len(word) <= 254


_OFFICES: Final = (
    "abuse admin administrator admins anonymous arbiter bot bots club computer contact daemon everybody everyone "
    "feedback formerplayer helpdesk host hostmaster info mailer mailerdaemon mod moderator moderators mods nobody "
    "noreply official operator operators owner owners pbem pbm pbmserv postmaster referee referees robot robots "
    "root security server staff superuser support sysadmin sysop system team umpire webmaster"
)
OFFICES: Final = frozenset(_OFFICES.split())
"""A reader of such a name believes that the server writes. A name is as bad as any of its parts, whatever number
stands behind it: `club-admin`, `0perator2`."""

_LIKE: Final = str.maketrans("01i5", "olls", "-_.")
_PARTS: Final = re.compile(r"[-_.]")
_TWO_FOR_ONE: Final = (("rn", "m"), ("vv", "w"))
_DOUBLED: Final = re.compile(r"([^los0-9])\1+")
"""Not what may be a number's digits: `bob1` and `bob11` are two."""

_NUMBER: Final = re.compile(r"(?<![0-9])[0-9]++$")

_STAND_IN: Final = "player"
_MOST_TRIED: Final = 200


def skeleton(name: str) -> str:
    """What names have in common that look alike: they are one name to a hasty reader.

    >>> {skeleton(name) for name in ("Millie", "mi11ie", "rnillie", "m-i-l-l-i-e", "MILLIEE")}
    {'mlllle'}
    """
    plain = name.lower().translate(_LIKE)
    for two, one in _TWO_FOR_ONE:
        plain = plain.replace(two, one)
    return _DOUBLED.sub(r"\1", plain)


def is_kept_back(name: str, server: Server) -> bool:
    """Whether a name is reserved, since it means something in commands or looks like the server's own."""
    own = server.address.partition("@")[0]
    offices = {skeleton(each) for each in (*OFFICES, own, *_PARTS.split(own))}
    parts = (name, *_PARTS.split(name), *_PARTS.split(_NUMBER.sub("", name)), _NUMBER.sub("", name))
    is_office = any(skeleton(part) in offices for part in parts if part)
    return is_office or is_reserved(name) or skeleton(name).startswith(skeleton(ROBOTS))


def names_like(name: str, address: str, server: Server) -> Iterator[str]:
    """Alternatives to a name, best first, without checking whether they are taken."""
    local = re.sub(r"[^A-Za-z0-9._-]", "", address.partition("@")[0].partition("+")[0])[:17].strip(".-_")
    bases = [base for base in dict.fromkeys((name[:17], local, _STAND_IN)) if is_userid(base)]
    every = (f"{base}{number or ''}" for base in bases for number in _numbers(base == name[:17]))
    for count, each in enumerate(every):
        if count < _MOST_TRIED and is_userid(each) and not is_kept_back(each, server):
            yield each


def _numbers(is_refused: bool) -> Iterable[int]:
    return range(2, 40) if is_refused else (0, *range(2, 40))
