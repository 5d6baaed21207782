"""How long a sender waits for what, when a mail that was not accepted is tried again, and when it is given up."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

LEASE: Final = timedelta(minutes=3)
"""How long a sender that died keeps the mails it had in hand from the others, and by how much the clocks of
several hosts may differ. A sender that lives renews its leases, however long a relay takes to answer."""

FIRST_WAIT: Final = timedelta(minutes=1)
LONGEST_WAIT: Final = timedelta(hours=6)
GIVE_UP_AFTER: Final = timedelta(days=5)


@dataclass(frozen=True, slots=True)
class RetryTimes:
    """How long a sender waits for what, in seconds.

    A mail is slow after `slow`, and hung up on after `longest`: more than a relay may take for all its replies,
    ten minutes of them for the one after the dot (RFC 5321 4.5.3.2). Where all lanes are taken and other mail is
    due, the one that was taken longest is hung up on after `fair` already. Leases are renewed each `renew`. A
    connection that nothing goes over is closed after `idle`. A way out that is closed is tried again after
    `first_pause`, doubling to `longest_pause`. Who ends waits `last` for what is on its way, hangs up, and waits
    that long again.
    """

    slow: float = 5.0
    longest: float = 1200.0
    fair: float = 60.0
    renew: float = 30.0
    idle: float = 30.0
    first_pause: float = 1.0
    longest_pause: float = 60.0
    last: float = 10.0


USUAL: Final = RetryTimes()


def next_wait(tries: int) -> timedelta:
    """How long to wait after so many tries: a minute, doubling to six hours.

    >>> [str(next_wait(tries)) for tries in (1, 2, 3, 20)]
    ['0:01:00', '0:02:00', '0:04:00', '6:00:00']
    """
    return min(FIRST_WAIT * (1 << min(tries - 1, 16)), LONGEST_WAIT)


def waited(tries: int) -> timedelta:
    """How long a mail was kept waiting between so many tries; counted so, a sender that slept costs none.

    >>> [str(waited(tries)) for tries in (1, 2, 3, 28)]
    ['0:00:00', '0:01:00', '0:03:00', '4 days, 20:31:00']
    """
    return sum(map(next_wait, range(1, tries)), timedelta())


def is_given_up(tries: int) -> bool:
    """Whether a mail that was deferred so often is given up.

    >>> is_given_up(28), is_given_up(29)
    (False, True)
    """
    return waited(tries) >= GIVE_UP_AFTER
