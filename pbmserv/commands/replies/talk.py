"""What is said of talk between players, of boards that are watched, and of the one mail with many boards.

As in `replies`, each class's name names its template.
"""

from dataclasses import dataclass, field
from datetime import datetime

from pbmserv.commands.replies.common import Reply
from pbmserv.matches.player import MessagesFrom

# messages


@dataclass(frozen=True, slots=True)
class Messaged(Reply):
    """The sender's words go to `userids`; `unreached` cannot be sent any, which may have any reason.

    `full` have had `a_day` today from people whom they have never played with; the sender is `author`.
    """

    userids: tuple[str, ...]
    unreached: tuple[str, ...]
    full: tuple[str, ...] = ()
    author: str = ""
    a_day: int = 0


@dataclass(frozen=True, slots=True)
class MessagesChanged(Reply):
    """Messages come to the sender from all, from those whom they know, or from nobody."""

    wanted: MessagesFrom


@dataclass(frozen=True, slots=True)
class MessageFrom(Reply):
    """To a player: what `author` writes to them, and to the `others` besides."""

    author: str
    others: tuple[str, ...]
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Broadcasted(Reply):
    """The sender's words go to so many players who want to hear what is written to all."""

    count: int


@dataclass(frozen=True, slots=True)
class BroadcastFrom(Reply):
    """To a player: what `author` writes to all."""

    author: str
    text: str = field(repr=False)


# boards of others


@dataclass(frozen=True, slots=True)
class Subscribed(Reply):
    """Each ply of a board is mailed to the sender from now on."""

    board: int


@dataclass(frozen=True, slots=True)
class Unsubscribed(Reply):
    """These boards are mailed to the sender no more."""

    boards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Watched(Reply):
    """To whoever watches a board, above it; when it `is_over` this is the last mail."""

    board: int
    is_over: bool


# one mail with many boards


@dataclass(frozen=True, slots=True)
class DigestChanged(Reply):
    """The sender's boards come in one mail by this schedule ("daily 07:30"), next at `due`; None: each by itself.

    Of the boards that wait for the sender `shown` follow, and `more` do not.
    """

    schedule: str | None
    due: datetime | None
    shown: int = 0
    more: int = 0
