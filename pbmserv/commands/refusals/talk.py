"""What can be wrong with words to other players, with watching a board, and with a digest's schedule.

As in `matches.refusals`, each class's name names its template.
"""

from dataclasses import dataclass
from typing import Literal

from pbmserv.matches.refusals import Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class NoWords(Refused):
    """A message or a broadcast without any words; `ready` is the line that they are to stand below."""

    ready: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsAmongOthers(Refused):
    """Words for players in a mail that does something else too: who are they for? `command` sends them."""

    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TooManyRecipients(Refused):
    """A message goes to so many players at most."""

    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TooManyMessages(Refused):
    """So many messages within an hour, or a day, are all that one player may send; counted by who gets them."""

    an_hour: int
    a_day: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NobodyReached(Refused):
    """None of `userids` can be sent a message from this sender: whether any is blocked is not told.

    `full` have had `a_day` today from people whom they have never played with; the sender is `author`.
    """

    userids: tuple[str, ...]
    full: tuple[str, ...] = ()
    author: str = ""
    a_day: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TooManyBroadcasts(Refused):
    """One player writes to all so many times a day."""

    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NobodyTunedIn(Refused):
    """Nobody else wants to hear what is written to all, at least not from this sender."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingToWatch(Refused):
    """The sender plays on that board, or watches it already, or it is over."""

    why: Literal["yours", "watched", "over"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TooManyWatched(Refused):
    """One player watches so many boards, `watched` are those; or (empty) a board has so many who watch it."""

    limit: int
    watched: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotWatched(Refused):
    """The sender watches no such board (None: none at all), only `watched`; `plays`: it is a game of theirs."""

    watched: tuple[int, ...]
    plays: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BadSchedule(Refused):
    """No time for a digest can be read from what was said."""
