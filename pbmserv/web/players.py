"""The page of a player, and the standings of a game."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final
from urllib.parse import quote, urlencode

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from pbmserv.commands.ratings import FILTERS, MOST_RANKED
from pbmserv.commands.server import Server
from pbmserv.commands.vocabulary import is_number, is_userid
from pbmserv.games import games, titles
from pbmserv.matches.queries import Profile, RatedGame
from pbmserv.matches.ratings import Pool, Rated, Section, Standings, is_of_pools, pool_with, pools_of
from pbmserv.rendering.svg.plot import Point, plot
from pbmserv.robots.levels import level_of
from pbmserv.robots.robot import does_play
from pbmserv.services.app import utc_now
from pbmserv.services.views import load_profile, load_standings, similar_userids
from pbmserv.web.layout import NotFoundPage, Page, games_told
from pbmserv.web.query import LONGEST_ECHO
from pbmserv.web.site import HEADERS, Routes, Site

FEWEST_DRAWN: Final = 2
"""Matches from which there is a plot: one alone has no course."""


@dataclass(frozen=True, slots=True)
class RatingPlot:
    """A player's rating in one pool over time: the plot and what it shows in words."""

    rated: RatedGame
    plot: Markup
    """Empty where the rating was not established after FEWEST_DRAWN matches."""
    count: int
    """Matches in the plot: the last ones, and only those with an established rating."""
    first: Rated
    """`first` and `last` are its ends, `highest` and `lowest` its turns: of several alike the earliest."""
    last: Rated
    highest: Rated
    lowest: Rated


@dataclass(frozen=True, slots=True)
class PlayerPage(Page):
    """A player: ratings, boards, results.

    `titles` are the games' names as people read them, `challenges` the games that one can ask them for. Of a
    robot, `strengths` are what was measured of it, by such a game.
    """

    template = "web/player.html"
    profile: Profile
    drawn: tuple[RatingPlot, ...]
    titles: Mapping[str, str]
    challenges: tuple[str, ...]
    strengths: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class StandingsQuery:
    """What a standings page is asked for: a pool, a filter as by mail, and a page."""

    pool: Pool
    show: str = "active"
    page: int = 1
    wrong: tuple[tuple[str, str], ...] = ()
    """What cannot be had, as it was written: "show", "page" or an option of the game, and the value."""

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections that are shown."""
        return FILTERS[self.show]

    @property
    def first(self) -> int:
        """How many players stand before those of this page."""
        return (self.page - 1) * MOST_RANKED

    def on_last(self, page: int) -> "StandingsQuery":
        """The last page in the place of one beyond it."""
        return replace(self, page=page, wrong=(*self.wrong, ("page", str(self.page))))


@dataclass(frozen=True, slots=True)
class StandingsPage(Page):
    """The players of a pool by their ratings; `titles` are all games, by name.

    `pools` are those to choose from: the plain one, and what anybody has a rating in.
    """

    template = "web/standings.html"
    section = "standings"
    sought: StandingsQuery
    found: Standings
    titles: Mapping[str, str]
    pools: tuple[Pool, ...]

    @property
    def total(self) -> int:
        """How many players the sections asked for have."""
        return sum(self.found.counts[section] for section in self.sought.sections)

    @property
    def pages(self) -> int:
        """How many pages there are, at least one."""
        return max(1, -(-self.total // MOST_RANKED))

    def link(self, page: int = 1, show: str = "", pool: Pool | None = None) -> str:
        """The address of another page, or of the first one of another choice."""
        wanted, chosen = pool or self.sought.pool, show or self.sought.show
        query = {
            **dict(wanted.options),
            "show": "" if chosen == "active" else chosen,
            "page": "" if page == 1 else str(page),
        }
        told = urlencode({name: value for name, value in query.items() if value})
        return f"/standings/{wanted.game}" + (f"?{told}" if told else "")


def player_page(profile: Profile, server: Server) -> PlayerPage:
    """The page of a player."""
    robot = profile.robot
    told = [info.name for info in games_told(server)]
    starts = {name: games()[name].start(games()[name].info.least_seats, {}) for name in told if robot}
    levels = {name: level_of(robot or "", games()[name], start) for name, start in starts.items()}
    return PlayerPage(
        profile=profile,
        drawn=tuple(map(_drawn, profile.ratings)),
        titles=titles(),
        challenges=tuple(name for name in told if robot is None or does_play(robot, games()[name], starts[name])),
        strengths={name: level.elo for name, level in levels.items() if level is not None and level.elo},
    )


def standings_page(sought: StandingsQuery, found: Standings, rated: Sequence[Pool]) -> StandingsPage:
    """The standings of a pool; `rated` are the pools of its game in which anybody has a rating."""
    pools = tuple(pool for pool in pools_of(sought.pool.game) if pool in (*rated, sought.pool) or not pool.options)
    return StandingsPage(sought, found, titles(), pools)


def read_sought(game: str, pairs: Iterable[tuple[str, str]]) -> StandingsQuery:
    """What a query asks for; of a name that is there twice the last counts."""
    values = {name: value.strip().lower() for name, value in pairs}
    show, page = values.get("show", ""), values.get("page", "")
    offered = {each.name: each for each in games()[game].info.options}
    options = [(name, values[name]) for name in offered if values.get(name)]
    wrong = [(name, value[:LONGEST_ECHO]) for name, value in options if not is_of_pools(offered[name], value)]
    if show and show not in FILTERS:
        wrong.append(("show", show[:LONGEST_ECHO]))
    if page and not (is_number(page) and int(page)):
        wrong.append(("page", page[:LONGEST_ECHO]))
    return StandingsQuery(
        pool=pool_with(game, [(name, value) for name, value in options if is_of_pools(offered[name], value)]),
        show=show if show in FILTERS else "active",
        page=max(1, int(page)) if is_number(page) else 1,
        wrong=tuple(wrong),
    )


def _drawn(rated: RatedGame) -> RatingPlot:
    course = [each for each in rated.course if each.rating.is_established] or rated.course[-1:]
    points = [Point(each.at, each.rating.points, each.rating.uncertainty) for each in course]
    return RatingPlot(
        rated=rated,
        plot=plot(points) if len(points) >= FEWEST_DRAWN else Markup(),
        count=len(course),
        first=course[0],
        last=course[-1],
        highest=max(course, key=lambda each: each.rating.points),
        lowest=min(course, key=lambda each: each.rating.points),
    )


_NOT_TO_BE_FOUND: Final = MappingProxyType({"X-Robots-Tag": "noindex"})
"""Search engines are asked to leave people alone."""


def routes(site: Site) -> Routes:
    """The pages of players, and the standings; `/standings` are those of the game that comes first."""

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
        sought = read_sought(known, request.query_params.multi_items())
        page = _standings(site, sought)
        if sought.page > page.pages:
            page = _standings(site, sought.on_last(page.pages))
        return site.show(request, page)

    return {
        "/players/{userid}": show_player,
        "/standings": show_standings,
        "/standings/{game}": show_standings,
    }


def _standings(site: Site, sought: StandingsQuery) -> StandingsPage:
    loaded = load_standings(site.app, sought.pool, sought.sections, utc_now(), sought.first, MOST_RANKED)
    return standings_page(sought, *loaded)
