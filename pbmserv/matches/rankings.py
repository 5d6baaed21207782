"""What listings tell of ratings."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pbmserv.matches.log import EntryKind
from pbmserv.matches.pools import Pool
from pbmserv.matches.ratings import Rating, Section, Tally
from pbmserv.matches.state import Ending

SECTIONS: Final[tuple[Section, ...]] = ("established", "provisional", "inactive")
"""In the order in which standings list them.

In a section, established ratings come first, the highest on top. The other players follow, those with more matches
first: the order of their ratings is not told either.
"""

ENDED_BY: Final[Mapping[EntryKind, Ending]] = {
    "played": "played",
    "resigned": "resigned",
    "forfeited": "forfeited",
    "removed": "removed",
    "accepted": "agreed",
    "awarded": "awarded",
}
"""How a finished match came to its end, by the last entry of its log: whatever follows on an end changes it."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A line of the standings; only who is established has a `place` (from 1)."""

    section: Section
    place: int | None
    userid: str
    is_robot: bool
    tally: Tally


@dataclass(frozen=True, slots=True)
class Standings:
    """A page of the sections that were asked for, and how many players there are in each section."""

    lines: tuple[Ranked, ...]
    counts: Mapping[Section, int]


@dataclass(frozen=True, slots=True)
class RatedMatch:
    """What one match did to the rating of one of its players, who came out at `rank`."""

    at: datetime
    board: int
    pool: Pool
    userids: tuple[str, ...]
    rank: int
    before: Rating
    after: Rating
    counted: int
    """Matches of the pool that have counted for the player, with this one."""

    @property
    def is_shown(self) -> bool:
        """Whether the rating after it is established, and so is told."""
        return self.after.is_established

    @property
    def is_first_shown(self) -> bool:
        """Whether it is established with this match, so that there is none to compare it with."""
        return self.after.is_established and not self.before.is_established

    @property
    def gain(self) -> int:
        """Points won, or lost when negative, as the rounded numbers show it."""
        return self.after.points - self.before.points


@dataclass(frozen=True, slots=True)
class RatedMatches:
    """A page of them, and how many there are in all."""

    lines: tuple[RatedMatch, ...]
    total: int


@dataclass(frozen=True, slots=True)
class RatedResult:
    """A match that counts, as one of its players sees it: `is_shared` is the rank that they came out at."""

    match: RatedMatch
    is_shared: bool
    ending: Ending


@dataclass(frozen=True, slots=True)
class Rated:
    """What a player's rating was after one match."""

    at: datetime
    rating: Rating
