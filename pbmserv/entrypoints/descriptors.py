"""How many files and connections this process may have open, and who gets how many of them.

Whoever fills the pages must leave enough for mail that comes in and goes out, for the database and all else.
"""

import resource
from contextlib import suppress
from typing import Final

MOST_VISITORS: Final = 400
MOST_CLIENTS: Final = 100
NOT_FOR_PAGES: Final = 400


def raise_limit() -> None:
    """As many as the system lets this user have, where it lets one ask; most systems begin with far fewer."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def places_for_visitors() -> int:
    """How many connections to the pages there is place for."""
    limit = _limit()
    return min(max(limit - NOT_FOR_PAGES, limit // 4), MOST_VISITORS)


def places_for_clients() -> int:
    """How many connections that bring mail there is place for, at each listener."""
    return min(_limit() // 8, MOST_CLIENTS)


def _limit() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2**20 if soft == resource.RLIM_INFINITY else soft
