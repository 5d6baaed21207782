"""Room for newcomers: whoever signs up in many made-up names must not shut the door to everybody else.

A place is taken by whoever signs up, and given back once their address confirms. Whose address is believed takes
none, nor does who was invited.
"""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from pbmserv.services.pending import PendingMail
from pbmserv.store import mail_counts, players

IN_ALL: Final = 200
OF_A_DOMAIN: Final = 10
OF_A_PROVIDER: Final = 60
FROM_A_HOST: Final = 40
"""Places of a day."""

PROVIDERS: Final = frozenset(
    {"gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "msn.com", "yahoo.com", "aol.com"}
    | {"icloud.com", "me.com", "proton.me", "protonmail.com", "fastmail.com", "gmx.de", "gmx.net", "web.de"}
    | {"t-online.de", "orange.fr", "free.fr", "laposte.net", "libero.it", "yahoo.co.uk", "btinternet.com"}
    | {"wp.pl", "seznam.cz", "yandex.ru", "mail.ru", "qq.com", "163.com", "yahoo.co.jp", "naver.com", "uol.com.br"}
)
"""Where many people have their mailboxes who do not know each other."""

ANSWERS_TO_INVITED: Final = 5
"""A day, whatever else their address has had us answer."""

TURNED_AWAY: Final = 100
"""So many are told in a day that there is no room, each of them once."""

INVITATION_LASTS: Final = timedelta(days=14)

_DAY: Final = timedelta(days=1)


def is_welcome(connection: Connection, address: str, now: datetime) -> bool:
    """Whether somebody was invited, and so is let in whatever others do."""
    if not players.is_invited(connection, address, now - INVITATION_LASTS):
        return False
    return mail_counts.count_since(connection, ("sign-up",), now - _DAY, address) < ANSWERS_TO_INVITED


def has_room(connection: Connection, pending: PendingMail, address: str, now: datetime) -> bool:
    """Whether there is a place for one who signs up from that address."""
    if pending.identity.is_believed:
        return True
    return all(taken < most for _, taken, most in _places(connection, pending, address, now))


def used_up(connection: Connection, pending: PendingMail, address: str, now: datetime) -> tuple[str, ...]:
    """In words for the log, the places of which the sign-up just answered has taken the last."""
    if pending.identity.is_believed:
        return ()
    return tuple(
        f"{most} {which}" for which, taken, most in _places(connection, pending, address, now) if taken == most
    )


def may_be_turned_away(connection: Connection, address: str, now: datetime) -> bool:
    """Whether an address may be told that there is no room."""
    told = mail_counts.count_since(connection, ("no room",), now - _DAY, address)
    return not told and mail_counts.count_since(connection, ("no room",), now - _DAY) < TURNED_AWAY


def _places(
    connection: Connection, pending: PendingMail, address: str, now: datetime
) -> list[tuple[str, int, int]]:
    """Of each kind of places that a sign-up takes one of: its name, how many are taken, and how many there are."""
    since, host = now - _DAY, pending.message.host
    domain = domain_family(address.rpartition("@")[2])
    of_domain = OF_A_PROVIDER if domain in PROVIDERS else OF_A_DOMAIN
    places = [
        ("in all", players.count_sign_ups(connection, since), IN_ALL),
        ("of one mail domain", players.count_sign_ups(connection, since, domain=domain), of_domain),
    ]
    if host is not None:
        places.append(("from one host", players.count_sign_ups(connection, since, host=host), FROM_A_HOST))
    return places


def domain_family(domain: str) -> str:
    """What a domain and its subdomains have in common: whoever owns one can have as many as they like.

    >>> domain_family("mail.evil.example"), domain_family("a.b.club.co.uk"), domain_family("gmail.com")
    ('evil.example', 'club.co.uk', 'gmail.com')
    """
    labels = domain.split(".")
    has_short_second = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3
    return ".".join(labels[-3 if has_short_second else -2 :])
