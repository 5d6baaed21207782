"""Finds in the sentences of somebody without an account that they want one, and under which name.

The phrases are in `sign_ups.toml`, in a dozen languages. A letter is read clause by clause. One that says in a
clause with such a phrase that it is not so, or is about somebody else, or is longer than a few lines, wants none.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain, pairwise
from typing import Final

from pbmserv.commands.server import Server
from pbmserv.commands.vocabulary import is_kept_back, is_userid
from pbmserv.commands.word_lists import word_lists
from pbmserv.parser.line import parse_line
from pbmserv.parser.parsed import IncomingMail, Parsed, ParsedMail, Unparsed
from pbmserv.parser.title import title_of
from pbmserv.parser.words import normalised, without_accents

_MOST_LINES: Final = 10
_MOST_CHARACTERS: Final = 1000

_MARKS: Final = str.maketrans(
    {":": " ", "=": " "} | dict.fromkeys("'\"*`\u00b4\u00ab\u00bb<>()[]\u300c\u300d\u00bf\u00a1")
)
_CLAUSE: Final = re.compile(r"[,;!?\u3001\u3002\n]|[.](?!\w)| -+(?!\S)")
_APART: Final = r"(?<![A-Za-z0-9])"
_ELIDED: Final = re.compile(r"(?<!\w)(?:[dl]|un|[Qq]u)'(?=\w)")
_NAME: Final = r"[A-Za-z][A-Za-z0-9._-]*+"


def with_sign_up(mail: IncomingMail, parsed: ParsedMail, server: Server) -> ParsedMail:
    """What a stranger's mail asks for. Where no line does anything and a sentence wants an account, that is all: a
    sign-up, or nothing where no name is said."""
    is_done = any(not _is_in_vain(each, server) for each in parsed.lines)
    if mail.unwelcome or parsed.forwarded or parsed.claim or is_done:
        return parsed
    title = title_of(normalised(mail.subject))
    # Ours asks for a name.
    own = title.text.removeprefix(f"{server.club_name}: ")
    name = wanted_account(mail.text, "" if title.is_answer and own == title.text else own, server)
    sign_up = parse_line(f"signup {name}", None).parsed if name else None
    return parsed if name is None else ParsedMail((sign_up,) if sign_up else (), wants_account=True)


def _is_in_vain(line: Parsed | Unparsed, server: Server) -> bool:
    if isinstance(line, Unparsed):
        return True
    is_sign_up = line.command.name == "signup" and line.new_password is None
    return is_sign_up and not _is_usable(line.arguments.userid, server)


def wanted_account(text: str, title: str, server: Server) -> str | None:
    """The username that a letter wants; empty where it wants an account and names no usable one, None where none.

    >>> server = Server("pbmserv@club.test")
    >>> wanted_account("Bonjour, je voudrais jouer. Je m'appelle Zo\u00eb !", "", server)
    'Zoe'
    >>> wanted_account("I'd like to join!", "", server), wanted_account("I don't want to join as finn", "", server)
    ('', None)
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > _MOST_LINES or len(text) > _MOST_CHARACTERS or "://" in text:
        return None
    said = [clause for line in lines for clause in _clauses(line)]
    told = [*said, *_clauses(title)]
    wishes = [each for each in told if _pattern("wishes").search(each) or _pattern("signs").search(each)]
    wishes += [each for each in told if _pattern("titles").fullmatch(each)]
    if not wishes or any(map(_pattern("denied").search, wishes)) or any(map(_pattern("business").search, told)):
        return None
    alone = said if len(said) == 1 and not _pattern("titles").fullmatch(said[0]) else []
    affirmed = [each for each in told if not _pattern("denied").search(each)]
    pairs = chain.from_iterable(pairwise(_clauses(line)) for line in lines)
    read = {"signs": affirmed, "beside": map(" ".join, pairs), "named": affirmed, "called": affirmed}
    matches = ([_pattern(kind).finditer(each) for each in clauses] for kind, clauses in read.items())
    ways = ([found[found.lastindex or 0] for found in chain.from_iterable(each)] for each in matches)
    usable = ({name.lower(): name for name in names if _is_usable(name, server)} for names in (*ways, alone))
    found = [*next(filter(None, usable), {}).values()]
    return found[0] if len(found) == 1 else ""


def _is_usable(name: str, server: Server) -> bool:
    return is_userid(name) and name.lower() not in _words("no_names") and not is_kept_back(name, server)


def _clauses(text: str) -> list[str]:
    parts = (_pattern("polite").sub(" ", part).split() for part in _CLAUSE.split(_plain(normalised(text))))
    return [" ".join(words) for words in parts if words]


def _plain(text: str) -> str:
    """The text without accents, marks and what is elided before a word, in Latin letters where these are usual."""
    return _ELIDED.sub("", without_accents(text.translate(_letters()))).translate(_MARKS)


@cache
def _letters() -> dict[int, str]:
    small = word_lists("sign_ups.toml", __package__)["letters"]
    return str.maketrans(
        {each.upper(): latin.capitalize() for each, latin in small.items() if len(each.upper()) == 1} | small
    )


@cache
def _words(kind: str) -> frozenset[str]:
    return frozenset(_phrases(kind))


def _phrases(kind: str) -> Iterator[str]:
    lists = word_lists("sign_ups.toml", __package__)[kind].values()
    plain = (_ELIDED.sub("", without_accents(each.translate(_letters()))).replace("'", "") for each in lists)
    return (" ".join(each.split()) for table in plain for each in table.split(","))


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    """Matches these phrases in a clause; the name is the last group."""
    framed: dict[tuple[str, str], list[str]] = {}
    for phrase in _phrases(kind):
        said, frame = _expression(phrase)
        framed.setdefault(frame, []).append(said)
    every = (f"{before}(?:{'|'.join(said)}){after}" for (before, after), said in framed.items())
    return re.compile("|".join(every))


def _expression(phrase: str) -> tuple[str, tuple[str, str]]:
    """A phrase as an expression up to its name, and what must stand before it and behind."""
    plain = phrase.removeprefix("=").replace("(", "(?:").replace("*", r"\w*+").replace("~", r"\S{0,8}")
    before, slot, after = re.split("(#+|$)", plain.replace(" _", r"(?: \S+){0,5}?"), maxsplit=1)
    sure = rf"[A-Za-z.-]{{1,20}}[0-9_]|(?i:{'|'.join(_words('first_names'))})(?![A-Za-z0-9._-])"
    begin = ("", "", f"(?=[A-Z]|{sure})", f"(?={sure})")[len(slot)]
    name = f"{begin}({_NAME})(?i:{after})" if slot else ""
    behind = r"(?: [A-Z]\S*)?$" if phrase.startswith("=") else r"(?![A-Za-z0-9])"
    if slot and not after and not phrase.startswith("="):
        behind = rf"(?= ?$| [A-Z]| ?[^\w\s]|[^\0-\x7f]| (?i:{'|'.join(_words('behind'))})(?!\w))"
    return f"(?i:{before})", ("^" if phrase.startswith("=") else _APART, name + behind)
