"""Looking for boards page by page: what is sought, where a page begins, and what was found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from pbmserv.matches.records import Listed

Boards = Literal["active", "inactive", "all"]
Sort = Literal["last", "newest", "time"]
"""By the last move, the latest first; by number, the highest first; by the time left, the least first, which are
only boards whose clock runs."""

MOST_COUNTED: Final = 1000
"""Of more boards nobody is told how many there are: counting a million takes long."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a sorted listing: that of a board when it was listed. `at` is what it was sorted by, in UTC.

    It stays where it is, whatever becomes of the board. Where boards are sorted by number there is no `at`.
    """

    number: int
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """Boards of a game (None: of any), of all the players named, and of a status, in an order.

    The page has at most `count` of them: those that follow on the place `after`, or go before
    `before`, or the first.
    """

    game: str | None = None
    userids: tuple[str, ...] = ()
    boards: Boards = "active"
    sort: Sort = "last"
    after: Place | None = None
    before: Place | None = None
    count: int = 50


@dataclass(frozen=True, slots=True)
class Found:
    """A page of boards, whether others go before it and follow on it, and how many fit in all.

    `total` is exact up to MOST_COUNTED, and one more for whatever is more. `winners` are the userids of the first
    in rank, by board, where that is known without replaying the game: of all that count for ratings.
    """

    lines: tuple[Listed, ...]
    total: int
    has_earlier: bool = False
    has_later: bool = False
    winners: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


def place_of(line: Listed, sort: Sort) -> Place:
    """Where a line stands in a listing."""
    at = {"last": line.summary.last_at, "newest": None, "time": line.deadline}[sort]
    return Place(line.number, at)
