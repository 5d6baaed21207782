"""What every use case works with: the database, what the server knows of itself, and the source of chance."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count

from argon2 import PasswordHasher
from sqlalchemy import Engine

from pbmserv.commands.server import Server
from pbmserv.services.steward.failing import FailingBoards
from pbmserv.store.recent import RecentBoards


@dataclass(frozen=True)
class House:
    """`new_token` gives a new random word of lower-case letters and digits, never the same twice.

    `new_key` gives the like for personal links to the pages and `new_thread_word` for Message-IDs, where they are
    not to come from the same source. `turns` counts how often it was looked for waiting mails.
    """

    engine: Engine
    server: Server
    new_token: Callable[[], str]
    hasher: PasswordHasher = field(repr=False)
    recent: RecentBoards = field(default_factory=RecentBoards, repr=False)
    looked_at: RecentBoards = field(default_factory=RecentBoards, repr=False)
    failing: FailingBoards = field(default_factory=FailingBoards, repr=False)
    new_key: Callable[[], str] | None = None
    new_thread_word: Callable[[], str] | None = None
    turns: Iterator[int] = field(default_factory=count, repr=False)
