"""What every use case works with: the database, the server's settings, the sources of tokens."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count

from argon2 import PasswordHasher

from pbmserv.services.receive import Intake
from pbmserv.services.thinking import FailingBoards, ThinkingPlan
from pbmserv.store.queries import RecentBoards


class TeachingBacklog:
    """Which boards a process still looks for that are to be evaluated. For one thread."""

    def __init__(self, is_eager: bool = False) -> None:
        self.is_eager = is_eager
        """Whether all boards are evaluated, and not only those that somebody asks about."""
        self.failing = FailingBoards()
        self.since: datetime | None = None
        """Boards that have not changed since then are done; None: not looked yet."""


Maker = Callable[[], str]


@dataclass(frozen=True)
class WordMakers:
    """What gives the keys of links to play and to unsubscribe, the words of Message-IDs and of envelope senders.

    None: `App.new_token` does.
    """

    key: Maker | None = None
    leave_key: Maker | None = None
    thread_word: Maker | None = None
    bounce_word: Maker | None = None


@dataclass(frozen=True)
class App(Intake):
    """The context of one process."""

    # Gives a random word of lower-case letters and digits, never the same twice.
    new_token: Maker
    hasher: PasswordHasher = field(repr=False)
    # Boards that were played on.
    recent: RecentBoards = field(default_factory=RecentBoards, repr=False)
    # Boards that were only viewed: kept apart, so that browsing does not push out the others.
    looked_at: RecentBoards = field(default_factory=RecentBoards, repr=False)
    backlog: TeachingBacklog = field(default_factory=TeachingBacklog, repr=False)
    # What gives words of other kinds.
    makers: WordMakers = field(default_factory=WordMakers)
    # How quick this process is at thinking for robots.
    thinking: ThinkingPlan = field(default_factory=ThinkingPlan, repr=False)
    # Counts how often the worker has looked for waiting mails.
    turns: Iterator[int] = field(default_factory=count, repr=False)


def utc_now() -> datetime:
    """The current time."""
    return datetime.now(UTC)


def password_hasher() -> PasswordHasher:
    """Argon2id with 19 MiB, two passes, one lane."""
    return PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
