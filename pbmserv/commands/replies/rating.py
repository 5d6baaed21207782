"""What the commands about ratings say, and what a board mail says of them.

A listing has a `page` (from 1); `more` lines follow after it, and `command` with the next number brings them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from pbmserv.commands.replies.common import Reply
from pbmserv.games.game import Info
from pbmserv.matches.rankings import Ranked, RatedMatch
from pbmserv.matches.rating import Section, Tally
from pbmserv.matches.records import Listed
from pbmserv.matches.state import Ending


@dataclass(frozen=True, slots=True)
class StandingsTable(Reply):
    """A page of the `sections` asked for, and how many players each section of all has."""

    game: Info
    sections: tuple[Section, ...]
    lines: tuple[Ranked, ...]
    counts: Mapping[Section, int]
    command: str
    page: int
    more: int


@dataclass(frozen=True, slots=True)
class RatingsTold(Reply):
    """What the matches of `userid` have come to, by game, with the section of each; and what single ones did."""

    userid: str
    tallies: tuple[tuple[str, Tally, Section], ...]
    lines: tuple[RatedMatch, ...]
    total: int
    command: str
    page: int
    more: int


@dataclass(frozen=True, slots=True)
class Finished:
    """A match that is over: how it ended, the rank that one of its players came out at, alone or not.

    `rated` is what it did to that player's rating, None when it does not count.
    """

    listed: Listed
    rank: int
    is_shared: bool
    ending: Ending
    rated: RatedMatch | None


@dataclass(frozen=True, slots=True)
class HistoryTold(Reply):
    """The finished matches of `userid` in which all of the `others` played too; beside them `void` were declined
    or annulled.
    """

    userid: str
    others: tuple[str, ...]
    game: str | None
    lines: tuple[Finished, ...]
    total: int
    void: int
    command: str
    page: int
    more: int


@dataclass(frozen=True, slots=True)
class RatingChanged(Reply):
    """What a match that is over did to the rating of whoever is mailed it."""

    match: RatedMatch
