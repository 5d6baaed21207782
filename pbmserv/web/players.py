"""The page of a player, and the standings of a game."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Literal
from urllib.parse import quote, urlencode

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from pbmserv.commands.base.server import Server
from pbmserv.commands.base.vocabulary import is_number, is_userid
from pbmserv.commands.standings import FILTERS, MOST_LINES
from pbmserv.games import games, titles
from pbmserv.games.game import Info
from pbmserv.matches.queries import Profile, RatedGame
from pbmserv.matches.rankings import Rated, Standings
from pbmserv.matches.ratings import Section
from pbmserv.rendering.svg.plot import Point, plot
from pbmserv.robots.robot import robots
from pbmserv.services.app import utc_now
from pbmserv.services.views import load_profile, load_standings, similar_userids
from pbmserv.web.layout import NotFoundPage, Page, games_told
from pbmserv.web.query import LONGEST_ECHO
from pbmserv.web.site import HEADERS, Routes, Site

FEWEST_DRAWN: Final = 2
"""Of so many matches there is a plot: one alone has no course."""


@dataclass(frozen=True, slots=True)
class RatingPlot:
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
    drawn: tuple[RatingPlot, ...]
    does: str
    titles: Mapping[str, str]
    challenges: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StandingsQuery:
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

    def on_last(self, page: int) -> "StandingsQuery":
        """The last page in the place of one beyond it."""
        return replace(self, page=page, wrong=(*self.wrong, ("page", str(self.page))))


@dataclass(frozen=True, slots=True)
class StandingsPage(Page):
    """The players of a game by their ratings; `titles` are all games, by name."""

    template = "web/standings.html"
    section = "standings"
    game: Info
    sought: StandingsQuery
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


def player_page(profile: Profile, server: Server) -> PlayerPage:
    """The page of a player."""
    robot = robots().get(profile.robot or "")
    return PlayerPage(
        profile=profile,
        drawn=tuple(map(_drawn, profile.ratings)),
        does=robot.summary if robot else "",
        titles=titles(),
        challenges=tuple(info.name for info in games_told(server)),
    )


def standings_page(game: str, sought: StandingsQuery, found: Standings) -> StandingsPage:
    """The standings of a game."""
    return StandingsPage(games()[game].info, sought, found, titles())


def read_sought(pairs: Iterable[tuple[str, str]]) -> StandingsQuery:
    """What a query asks for; of a name that is there twice the last counts."""
    values = {name: value.strip().lower() for name, value in pairs}
    show, page = values.get("show", ""), values.get("page", "")
    wrong: list[tuple[Literal["show", "page"], str]] = []
    if show and show not in FILTERS:
        wrong.append(("show", show[:LONGEST_ECHO]))
    if page and not (is_number(page) and int(page)):
        wrong.append(("page", page[:LONGEST_ECHO]))
    return StandingsQuery(
        show=show if show in FILTERS else "active",
        page=max(1, int(page)) if is_number(page) else 1,
        wrong=tuple(wrong),
    )


def _drawn(rated: RatedGame) -> RatingPlot:
    course = rated.course
    points = [Point(each.at, each.rating.points, each.rating.uncertainty) for each in course]
    return RatingPlot(
        rated=rated,
        plot=plot(points) if len(points) >= FEWEST_DRAWN else Markup(),
        first=course[0],
        last=course[-1],
        highest=max(course, key=lambda each: each.rating.points),
        lowest=min(course, key=lambda each: each.rating.points),
    )


_NOT_TO_BE_FOUND: Final = MappingProxyType({"X-Robots-Tag": "noindex"})
"""Search engines are asked to leave people alone."""


def routes(site: Site) -> Routes:
    """The pages of players, and the standings; `/standings` are those of the game that is told of first."""

    def show_player(request: Request, userid: str) -> Response:
        profile = load_profile(site.app, userid, utc_now())
        if profile is None:
            similar = tuple(similar_userids(site.app, userid)) if is_userid(userid) else ()
            return site.show(
                request, NotFoundPage("player", userid[:LONGEST_ECHO], similar), 404, _NOT_TO_BE_FOUND
            )
        if userid != profile.userid:
            location = f"/players/{quote(profile.userid, safe='')}"
            return Response(status_code=308, headers={**HEADERS, **_NOT_TO_BE_FOUND, "Location": location})
        return site.show(request, player_page(profile, site.app.server), headers=_NOT_TO_BE_FOUND)

    def show_standings(request: Request, game: str = "") -> Response:
        asked = game or request.query_params.get("game", games_told(site.app.server)[0].name)
        known = asked.lower()
        if known not in games():
            return site.show(request, NotFoundPage("game", asked[:LONGEST_ECHO], tuple(games())), 404)
        sought = read_sought(request.query_params.multi_items())
        page = _standings(site, known, sought)
        if sought.page > page.pages:
            page = _standings(site, known, sought.on_last(page.pages))
        return site.show(request, page)

    return {
        "/players/{userid}": show_player,
        "/standings": show_standings,
        "/standings/{game}": show_standings,
    }


def _standings(site: Site, game: str, sought: StandingsQuery) -> StandingsPage:
    found = load_standings(site.app, game, sought.sections, utc_now(), sought.first, MOST_LINES)
    return standings_page(game, sought, found)
