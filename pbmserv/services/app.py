"""What every use case works with: the database, the server's settings, the sources of tokens."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Final

from argon2 import PasswordHasher
from sqlalchemy import Engine

from pbmserv.commands.base.server import Server
from pbmserv.store.recent_boards import RecentBoards

FIRST_REST: Final = timedelta(minutes=1)
LONGEST_REST: Final = timedelta(days=1)


class FailingBoards:
    """Boards that failed recently and are left alone for a while, longer each time they fail. For one thread.

    So one broken board can neither keep a process busy nor fill its log.
    """

    def __init__(self) -> None:
        self._rests: dict[int, tuple[timedelta, datetime]] = {}

    def failed(self, board: int, now: datetime) -> bool:
        """Notes that a board failed; returns whether it had not failed before."""
        rest, _ = self._rests.get(board, (FIRST_REST / 2, now))
        longer = min(rest * 2, LONGEST_REST)
        is_new = board not in self._rests
        self._rests[board] = longer, now + longer
        return is_new

    def rests(self, board: int, now: datetime) -> bool:
        """Whether to leave a board alone."""
        return board in self._rests and now < self._rests[board][1]

    def mended(self, board: int) -> None:
        """Notes that a board works again."""
        self._rests.pop(board, None)


@dataclass(frozen=True)
class App:
    """The context of one process."""

    engine: Engine
    server: Server
    # Gives a random word of lower-case letters and digits, never the same twice.
    new_token: Callable[[], str]
    hasher: PasswordHasher = field(repr=False)
    # Boards that were played on.
    recent: RecentBoards = field(default_factory=RecentBoards, repr=False)
    # Boards that were only viewed: kept apart, so that browsing does not push out the others.
    looked_at: RecentBoards = field(default_factory=RecentBoards, repr=False)
    failing: FailingBoards = field(default_factory=FailingBoards, repr=False)
    # The same for the keys of links to play, and to unsubscribe, and the words of Message-IDs; None: new_token.
    new_key: Callable[[], str] | None = None
    new_leave_key: Callable[[], str] | None = None
    new_thread_word: Callable[[], str] | None = None
    # Counts how often the worker has looked for waiting mails.
    turns: Iterator[int] = field(default_factory=count, repr=False)


def utc_now() -> datetime:
    """The current time."""
    return datetime.now(UTC)
