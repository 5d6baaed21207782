"""`ratings` and `standings`: a player's ratings, and a game's players by rating, in pages."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from pbmserv.commands.command import Command, Decision, Reply, Request
from pbmserv.commands.lookup import player_or_sender, read_page, require_game, wrong_form
from pbmserv.commands.new_game import Options, read_game
from pbmserv.games import games
from pbmserv.matches.errors import CommandError
from pbmserv.matches.queries import Queries
from pbmserv.matches.ratings import (
    SECTIONS,
    Pool,
    Ranked,
    RatedMatch,
    Section,
    Tally,
    is_of_pools,
    pool_with,
    values_of,
)


class RatingsTold(Reply):
    """The ratings of `userid` by pool, with the section of each, and the changes by single matches."""

    userid: str
    tallies: tuple[tuple[Pool, Tally, Section], ...]
    lines: tuple[RatedMatch, ...]
    total: int
    command: str
    page: int
    more: int


MOST_LINES: Final = 20


def run_ratings(request: Request, records: Queries, now: datetime) -> Decision:
    """Shows the ratings of the named player, or of the sender."""
    game = request.arguments.game
    require_game(game)
    player = player_or_sender(request, records)
    page = read_page(request.arguments.options, request.command)
    tallies = records.tallies(player, game)
    found = records.rated_matches(player, game, (page - 1) * MOST_LINES, MOST_LINES)
    reply = RatingsTold(
        userid=player.userid,
        tallies=tuple((pool, tally, tally.section(now)) for pool, tally in tallies.items()),
        lines=found.lines,
        total=found.total,
        command=" ".join([*([game] if game else []), "ratings", player.userid]),
        page=page,
        more=max(0, found.total - page * MOST_LINES),
    )
    return Decision(reply)


ratings_command = Command(
    name="ratings",
    kind="open",
    forms=("[game] ratings [userid] [-options]",),
    summary="see a player's ratings, and what each game did to them",
    example="ratings alice",
    run=run_ratings,
)


class StandingsTable(Reply):
    """A page of the requested `sections`, and the number of players in every section.

    `others` are the game's other pools that have ratings.
    """

    pool: Pool
    sections: tuple[Section, ...]
    lines: tuple[Ranked, ...]
    counts: Mapping[Section, int]
    command: str
    page: int
    more: int
    others: tuple[Pool, ...]


class NoSuchStandings(CommandError):
    """The option `name` has no such value, or two in the line; it can be one of `choices`."""

    game: str
    name: str
    choices: tuple[str, ...]


MOST_RANKED: Final = 50

FILTERS: Final[dict[str, tuple[Section, ...]]] = {
    "all": SECTIONS,
    "active": ("established", "provisional"),
    "inactive": ("inactive",),
}
"""The sections that a filter word asks for."""


def run_standings(request: Request, records: Queries, now: datetime) -> Decision:
    """Lists the standings: recently active players, unless others are asked for."""
    game = read_game(request.arguments.game, "standings", request.server)
    pool, others = _read_pool(game, request.arguments.options)
    page = read_page(others, request.command)
    filtered = "".join(request.arguments.words) or "active"
    if filtered not in FILTERS:
        raise wrong_form(request.command)
    sections = FILTERS[filtered]
    found = records.standings(pool, sections, now, (page - 1) * MOST_RANKED, MOST_RANKED)
    total = sum(found.counts[section] for section in sections)
    reply = StandingsTable(
        pool=pool,
        sections=sections,
        lines=found.lines,
        counts=found.counts,
        command=" ".join([game, "standings", filtered, *(f"-{name}={value}" for name, value in pool.options)]),
        page=page,
        more=max(0, total - page * MOST_RANKED),
        others=tuple(each for each in records.rated_pools(game) if each != pool),
    )
    return Decision(reply)


def _read_pool(game: str, options: Options) -> tuple[Pool, Options]:
    """The pool that these options select, and the other options. Raises BadOptionValue."""
    offered = {option.name: option for option in games()[game].info.options}
    asked = tuple((name, value.lower()) for name, value in options if name in offered)
    for name, value in asked:
        option = offered[name]
        if not is_of_pools(option, value) or [each for each, _ in asked].count(name) > 1:
            raise NoSuchStandings(game=game, name=name, choices=values_of(option))
    return pool_with(game, asked), tuple(pair for pair in options if pair[0] not in offered)


standings_command = Command(
    name="standings",
    kind="open",
    forms=("[game] standings [filter] [-options]",),
    summary="rank a game's players: all, active or inactive",
    example="cephalopod standings",
    run=run_standings,
)
