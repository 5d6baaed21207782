"""Who may be called what: nobody as a part of the house is, and nobody so that a reader takes them for another."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from pbmserv.commands.base.registry import commands
from pbmserv.commands.base.server import Server
from pbmserv.commands.base.vocabulary import ROBOTS, is_reserved, is_userid

_OFFICES: Final = (
    "abuse admin administrator admins anonymous arbiter bot bots club computer contact daemon everybody everyone "
    "feedback formerplayer helpdesk host hostmaster info mailer mailerdaemon mod moderator moderators mods nobody "
    "noreply official operator operators owner owners pbem pbm pbmserv postmaster referee referees robot robots "
    "root security server staff superuser support sysadmin sysop system team umpire webmaster"
)
OFFICES: Final = frozenset(_OFFICES.split())
"""Whoever reads such a name believes that the house writes. A name is as bad as any of its parts, whatever number
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
    """What names have in common that look alike: they are one name to whoever reads in a hurry.

    >>> {skeleton(name) for name in ("Millie", "mi11ie", "rnillie", "m-i-l-l-i-e", "MILLIEE")}
    {'mlllle'}
    """
    plain = name.lower().translate(_LIKE)
    for two, one in _TWO_FOR_ONE:
        plain = plain.replace(two, one)
    return _DOUBLED.sub(r"\1", plain)


def is_kept_back(name: str, server: Server) -> bool:
    """Whether nobody may have that name, since it means something in commands or sounds like the house itself."""
    own = server.address.partition("@")[0]
    offices = {skeleton(each) for each in (*OFFICES, own, *_PARTS.split(own))}
    parts = (name, *_PARTS.split(name), *_PARTS.split(_NUMBER.sub("", name)), _NUMBER.sub("", name))
    is_office = any(skeleton(part) in offices for part in parts if part)
    return is_office or is_reserved(name, commands()) or skeleton(name).startswith(skeleton(ROBOTS))


def names_like(name: str, address: str, server: Server) -> Iterator[str]:
    """Names that somebody might take instead, best first; whether anybody has them is not known here."""
    local = re.sub(r"[^A-Za-z0-9._-]", "", address.partition("@")[0].partition("+")[0])[:17].strip(".-_")
    bases = [base for base in dict.fromkeys((name[:17], local, _STAND_IN)) if is_userid(base)]
    every = (f"{base}{number or ''}" for base in bases for number in _numbers(base == name[:17]))
    for count, each in enumerate(every):
        if count < _MOST_TRIED and is_userid(each) and not is_kept_back(each, server):
            yield each


def _numbers(is_refused: bool) -> Iterable[int]:
    return range(2, 40) if is_refused else (0, *range(2, 40))
