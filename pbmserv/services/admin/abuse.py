"""Abuse: who is conspicuous, and bans of addresses and domains, mail from which has no effect and gets no answer.

Anybody can write any From address, so such a ban says nothing of the player whose address it is. Their games go on
and their mail goes out; who is to leave their games is banned by userid (`services.admin.banning`).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pbmserv.commands.vocabulary import is_address
from pbmserv.services.admin.referee import CannotRule
from pbmserv.services.app import App
from pbmserv.store import abuse
from pbmserv.store.abuse import AddressBan, SenderFigures, senders_since
from pbmserv.store.engine import reading, run_again, writing

_DOMAIN: Final = re.compile(r"@([a-z0-9-]++\.)+[0-9-]*+[a-z][a-z0-9-]*+")
_LONGEST: Final = 320

_FIGURES: Final[tuple[Callable[[SenderFigures], int], ...]] = (
    lambda each: each.mails,
    lambda each: each.kilobytes,
    lambda each: each.in_vain,
    lambda each: each.unanswered,
    lambda each: each.guesses,
    lambda each: each.bounced,
)


@dataclass(frozen=True, slots=True)
class Silenced:
    """A pattern that is banned now, and the players whose mail from there has no effect any more."""

    pattern: str
    players: Sequence[str]


@dataclass(frozen=True, slots=True)
class BannedParty:
    """A userid, an address or a domain that is banned; `reason` is empty where none is stored."""

    who: str
    since: datetime
    reason: str = ""


def is_pattern(word: str) -> bool:
    """Whether a word names an address or a domain, and not a player."""
    return "@" in word


def silence(app: App, word: str, reason: str, now: datetime) -> Silenced:
    """Bans an address, or a domain (`@spam.example`) and all below it. Raises CannotRule."""
    pattern = _pattern(app, word)

    def add() -> Silenced:
        with writing(app.engine) as connection:
            if not abuse.add_ban(connection, AddressBan(pattern, now, reason.strip())):
                raise CannotRule(f"{pattern} is banned already")
            return Silenced(pattern, abuse.players_at(connection, pattern))

    return run_again(add)


def hear_again(app: App, word: str) -> str:
    """Lifts such a ban, and gives its pattern. Raises CannotRule."""
    pattern = word.lower()
    with writing(app.engine) as connection:
        if abuse.lift_ban(connection, pattern):
            return pattern
        over = [each for each in abuse.patterns_of(pattern) if each != pattern]
        wider = [each.pattern for each in abuse.address_bans(connection) if each.pattern in over]
    raise CannotRule(f"{pattern} is not banned" + (f", but {wider[0]} is" if wider else ""))


def list_banned(app: App) -> Sequence[BannedParty]:
    """Who is banned: players, then addresses and domains, the oldest first."""
    with reading(app.engine) as connection:
        theirs = [BannedParty(*each) for each in abuse.banned_players(connection)]
        patterns = [
            BannedParty(each.pattern, each.banned_at, each.reason) for each in abuse.address_bans(connection)
        ]
    return [*theirs, *patterns]


def _pattern(app: App, word: str) -> str:
    pattern = word.lower()
    if len(pattern) > _LONGEST or not (_DOMAIN.fullmatch(pattern) or is_address(pattern)):
        raise CannotRule(f"{word} is neither an address nor a domain such as @spam.example")
    if pattern in abuse.patterns_of(app.server.address):
        raise CannotRule(f"{pattern} is the server's own")
    return pattern


def conspicuous(app: App, since: datetime, count: int) -> Sequence[SenderFigures]:
    """The addresses that are among the first `count` by any figure since then, those with most mails first."""
    with reading(app.engine, snapshot=True) as connection:
        everybody = senders_since(connection, since)
    chosen: set[str] = set()
    for figure in _FIGURES:
        first = sorted(everybody, key=figure, reverse=True)[:count]
        chosen |= {each.address for each in first if figure(each)}
    return [each for each in everybody if each.address in chosen]
