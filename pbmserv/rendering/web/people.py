"""The page of a player, and the standings of a game."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal
from urllib.parse import urlencode

from markupsafe import Markup

from pbmserv.commands.verbs.standings import FILTERS, MOST_LINES
from pbmserv.commands.words import is_number
from pbmserv.games.game import Info
from pbmserv.games.library import games, titles
from pbmserv.matches.profile import Profile, RatedGame
from pbmserv.matches.rankings import Rated, Standings
from pbmserv.matches.rating import Section
from pbmserv.rendering.picture.plot import Point, plot
from pbmserv.rendering.web.page import Page
from pbmserv.rendering.web.question import LONGEST_ECHO
from pbmserv.robots.library import robots

FEWEST_DRAWN: Final = 2
"""Of so many matches there is a plot: one alone has no course."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A player's rating in one game over time: the plot, empty where there is none, and what it shows in words.

    `first` and `last` are its ends, `highest` and `lowest` its turns: of several alike the earliest.
    """

    rated: RatedGame
    plot: Markup
    first: Rated
    last: Rated
    highest: Rated
    lowest: Rated


@dataclass(frozen=True, slots=True)
class PlayerPage(Page):
    """A player: ratings, boards, results. `does` is what the program does that plays for them, if one does.

    `titles` are the games' names as people read them, `challenges` the games that one can ask them for.
    """

    template = "web/player.html"
    profile: Profile
    drawn: tuple[Drawn, ...]
    does: str
    titles: Mapping[str, str]
    challenges: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sought:
    """What the query of a standings page asks for: a filter as by mail, and a page. What was not to be had is
    `wrong`, as it was written.
    """

    show: str = "active"
    page: int = 1
    wrong: tuple[tuple[Literal["show", "page"], str], ...] = ()

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections that are shown."""
        return FILTERS[self.show]

    @property
    def first(self) -> int:
        """How many players stand before those of this page."""
        return (self.page - 1) * MOST_LINES

    def on_last(self, page: int) -> "Sought":
        """The last page in the place of one beyond it."""
        return replace(self, page=page, wrong=(*self.wrong, ("page", str(self.page))))


@dataclass(frozen=True, slots=True)
class StandingsPage(Page):
    """The players of a game by their ratings; `titles` are all games, by name."""

    template = "web/standings.html"
    section = "standings"
    game: Info
    sought: Sought
    found: Standings
    titles: Mapping[str, str]

    @property
    def total(self) -> int:
        """How many players the sections asked for have."""
        return sum(self.found.counts[section] for section in self.sought.sections)

    @property
    def pages(self) -> int:
        """How many pages there are, at least one."""
        return max(1, -(-self.total // MOST_LINES))

    def link(self, page: int = 1, show: str = "") -> str:
        """The address of another page, or of the first one of another choice."""
        chosen = show or self.sought.show
        query = {"show": "" if chosen == "active" else chosen, "page": "" if page == 1 else str(page)}
        told = urlencode({name: value for name, value in query.items() if value})
        return f"/standings/{self.game.name}" + (f"?{told}" if told else "")


def player_page(profile: Profile) -> PlayerPage:
    """The page of a player."""
    robot = robots().get(profile.robot or "")
    return PlayerPage(
        profile=profile,
        drawn=tuple(map(_drawn, profile.ratings)),
        does=robot.summary if robot else "",
        titles=titles(),
        challenges=tuple(games()),
    )


def standings_page(game: str, sought: Sought, found: Standings) -> StandingsPage:
    """The standings of a game."""
    return StandingsPage(games()[game].info, sought, found, titles())


def read_sought(pairs: Iterable[tuple[str, str]]) -> Sought:
    """What a query asks for; of a name that is there twice the last counts."""
    values = {name: value.strip().lower() for name, value in pairs}
    show, page = values.get("show", ""), values.get("page", "")
    wrong: list[tuple[Literal["show", "page"], str]] = []
    if show and show not in FILTERS:
        wrong.append(("show", show[:LONGEST_ECHO]))
    if page and not (is_number(page) and int(page)):
        wrong.append(("page", page[:LONGEST_ECHO]))
    return Sought(
        show=show if show in FILTERS else "active",
        page=max(1, int(page)) if is_number(page) else 1,
        wrong=tuple(wrong),
    )


def _drawn(rated: RatedGame) -> Drawn:
    course = rated.course
    points = [Point(each.at, each.rating.points, each.rating.uncertainty) for each in course]
    return Drawn(
        rated=rated,
        plot=plot(points) if len(points) >= FEWEST_DRAWN else Markup(),
        first=course[0],
        last=course[-1],
        highest=max(course, key=lambda each: each.rating.points),
        lowest=min(course, key=lambda each: each.rating.points),
    )
