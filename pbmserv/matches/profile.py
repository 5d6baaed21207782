"""What anybody may know of a player."""

from dataclasses import dataclass

from pbmserv.matches.rankings import Rated, RatedResult
from pbmserv.matches.rating import Section, Tally
from pbmserv.matches.records import Listed


@dataclass(frozen=True, slots=True)
class RatedGame:
    """What the matches of one game have come to for a player, and what the rating was after each of the last."""

    game: str
    tally: Tally
    section: Section
    course: tuple[Rated, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """A player; `robot` names the program that plays for them.

    `waiting` are boards on which they are to move, the most urgent first, `others` more that are being played, the
    latest first, of `running` in all (`matches.search.MOST_COUNTED`). `results` are the newest that count, of
    `rated`.
    """

    userid: str
    robot: str | None
    ratings: tuple[RatedGame, ...]
    waiting: tuple[Listed, ...]
    others: tuple[Listed, ...]
    running: int
    results: tuple[RatedResult, ...]
    rated: int
