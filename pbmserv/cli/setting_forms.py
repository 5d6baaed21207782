"""The forms of single settings: each function gives its value, or says in a ValueError what is wrong with it.

What knows addresses, games, titles and colours is imported where such a setting is given: `pbmserv receive` reads
the settings once a mail.
"""

import os
import re
import sys
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin
from urllib.parse import urlsplit

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

DRIVERS: Final = ("sqlite", "sqlite+pysqlite", "postgresql", "postgresql+psycopg")

LONGEST_NAME: Final = 40
"""Characters of a club's name."""

LONGEST_ENCODED: Final = 45
"""Octets of one, where it is not ASCII: in a mail's head it must be one encoded word (RFC 2047, section 2)."""

_LONGEST_CONTACT: Final = 200

MOST_PROCESSES: Final = 64


_FLAGS: Final = {
    **dict.fromkeys(("1", "true", "yes", "on", "t", "y"), True),
    **dict.fromkeys(("0", "false", "no", "off", "f", "n"), False),
}


def read(kind: Any, written: object) -> object:
    """What a field of that type holds, from a text or from what TOML has; no message quotes it, since it may be a
    secret."""
    if get_origin(kind) is Literal:
        *others, last = get_args(kind)
        if written not in (*others, last):
            raise ValueError(f"must be {', '.join(map(repr, others))} or {last!r}")
        return written
    if kind is int:
        if isinstance(written, bool) or not re.fullmatch(r"\s*[+-]?[0-9]{1,18}\s*", str(written)):
            raise ValueError("must be a whole number")
        return int(str(written))
    if kind is bool:
        if str(written).lower() not in _FLAGS:
            raise ValueError("must be true or false")
        return _FLAGS[str(written).lower()]
    if kind in (Path, Path | None) and isinstance(written, (str, Path)):
        return Path(written)
    if not isinstance(written, str | int if kind == str | int else str):
        raise ValueError("must be a text")
    return written


def between(least: int, most: int) -> Callable[[int], int]:
    """The form of a number within bounds."""

    def checked(value: int) -> int:
        if not least <= value <= most:
            raise ValueError(f"must be from {least} to {most}")
        return value

    return checked


def club_name(value: str) -> str:
    """A name that can stand in From, before the colon of a Subject, and in a title."""
    if not value.strip():
        raise ValueError('must not be empty; it is what people call the club, such as "Chess Friends"')
    if value != " ".join(value.split()) or not value.isprintable() or re.search(r'[@<>"\\:]', value):
        raise ValueError('must be one line without @ < > : " \\, without blanks at its ends or two in a row')
    if not value[0].isalnum():
        raise ValueError("must begin with a letter or a digit")
    if len(value) > LONGEST_NAME or (not value.isascii() and len(value.encode()) > LONGEST_ENCODED):
        raise ValueError(f"is too long: {LONGEST_NAME} characters at most, in other scripts about a third of that")
    from pbmserv.parser.title import Title, title_of, titled_board
    from pbmserv.parser.words import normalised

    told = normalised(f"{value}: news")
    if titled_board(f"Re: {told}") is not None:
        raise ValueError("ends like the Subject of a mail about a board")
    if title_of(told) != Title(told):
        raise ValueError("is what mail programs put before the Subject of an answer or of a forwarded mail")
    return value


def club_contact(value: str) -> str:
    """A mail address, or the address of a page."""
    is_short = len(value) <= _LONGEST_CONTACT and value.isascii() and value.isprintable()
    if value and not (is_short and (_is_address(value) or _is_page(value))):
        raise ValueError("is neither a mail address nor the address of a page, such as https://club.example/about")
    return value


def mail_address(value: str) -> str:
    """A mail address; empty for none."""
    if value and not _is_address(value):
        raise ValueError("is not a mail address")
    return value


def own_address(value: str) -> str:
    """The server's own mail address, which may be at this machine."""
    local, _, domain = value.rpartition("@")
    is_here = domain.lower() == "localhost" or domain.lower().endswith(".localhost")
    if not value.isascii() or "=?" in value or not _is_address(f"{local}@example.org" if is_here else value):
        raise ValueError("is not a mail address")
    return value


def known_games(value: str) -> str:
    """Games, blanks between."""
    from pbmserv.games import games

    for name in value.split():
        if name not in games():
            raise ValueError(f"{name} is not a game; use {', '.join(games())}")
    return value


def listeners(value: str) -> str:
    """URLs to listen at, blanks between."""
    from pbmserv.mail.mail_urls import split

    for url in value.split():
        split(url)
    return value


def way_out(value: str) -> str:
    """A Maildir, or the URL of a relay; empty for the usual Maildir."""
    from pbmserv.mail.mail_urls import relay_address

    if value == "maildir:":
        raise ValueError("maildir: needs the path of a folder after it")
    if value and not value.startswith("maildir:"):
        relay_address(value)
    return value


def mailbox(value: str) -> str:
    """The URL of a mailbox; empty for none."""
    from pbmserv.mail.mail_urls import mailbox_address

    if value:
        mailbox_address(value)
    return value


def command_line(value: str) -> str:
    """A program and its arguments as a shell would split them; empty for none."""
    import shlex

    try:
        shlex.split(value)
    except ValueError:
        raise ValueError("has a quote that does not end") from None
    return value


def accent(value: str) -> str:
    """A colour that can be read on the grounds of the pages."""
    if not value:
        return value
    from pbmserv.web.accent import colour_of, contrast_flaw

    if colour_of(value) is None:
        raise ValueError("is not a colour such as #0b5f4e")
    if flaw := contrast_flaw(value):
        raise ValueError(flaw)
    return value.lower()


def authserv_id(value: str) -> str:
    """The name of a mail server."""
    if not re.fullmatch(r"[A-Za-z0-9._@-]*", value):
        raise ValueError("is not the name of a mail server, such as mx.example.org")
    return value


def folder(value: str) -> str:
    """The name of a folder of a mailbox."""
    if not value or not value.isprintable():
        raise ValueError("is not the name of a folder")
    return value


def usable_cores() -> int:
    """How many cores this process may use; 1 where the system cannot tell, or forks badly (macOS)."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


def processes(value: object) -> str:
    """How many processes handle mail."""
    value = str(value)
    if value != "auto" and not (value.isascii() and value.isdigit() and 1 <= int(value) <= MOST_PROCESSES):
        raise ValueError(f"is neither auto nor a number from 1 to {MOST_PROCESSES}")
    return value


def robots(value: object) -> str:
    """How many processes robots think in."""
    value = str(value)
    if value != "auto" and not (value.isascii() and value.isdigit() and int(value) <= MOST_PROCESSES):
        raise ValueError(f"is neither auto nor a number from 0 to {MOST_PROCESSES}")
    return value


def host_and_port(value: str) -> str:
    """Where to listen; empty for nowhere."""
    host, _, port = value.rpartition(":")
    if value and not (host and port.isascii() and port.isdigit() and int(port) < 65536):
        raise ValueError("is not host:port")
    return value


def host_address(value: str) -> str:
    """The address of a machine, as it is written best; empty for none."""
    try:
        return str(ip_address(value)) if value else ""
    except ValueError:
        raise ValueError("is not the address of a machine, such as 127.0.0.1") from None


def database_address(value: str) -> str:
    """The URL of a database, without its password; empty for the one in the data folder."""
    try:
        url = make_url(value) if value else None
    except ArgumentError:
        raise ValueError("is not a SQLAlchemy URL, such as sqlite:///file.db") from None
    if url is not None and {"password", "sslpassword"} & url.query.keys():
        raise ValueError("must not hold a password: it has a setting of its own")
    if url is not None and url.drivername not in DRIVERS:
        raise ValueError("must be sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME")
    if url is not None and url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise ValueError("must name a file, as in sqlite:///FILE: a database in memory is lost")
    return value


def _is_address(value: str) -> bool:
    from pbmserv.commands.vocabulary import is_address

    return is_address(value)


def _is_page(value: str) -> bool:
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not re.search(r"[\s<>\"']", value)
