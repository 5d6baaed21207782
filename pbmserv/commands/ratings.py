"""`ratings`: a player's ratings, and what each match did to them, page by page."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pbmserv.commands.base.decision import Decision, Reply
from pbmserv.commands.base.lookup import player_or_sender, read_page, require_game
from pbmserv.commands.base.registry import OpenCommand
from pbmserv.commands.base.request import Request
from pbmserv.matches.pools import Pool
from pbmserv.matches.queries import Queries
from pbmserv.matches.rankings import RatedMatch
from pbmserv.matches.ratings import Section, Tally


@dataclass(frozen=True, slots=True)
class RatingsArguments:
    """Whose ratings, and which page of them."""

    game: str | None
    userid: str | None
    options: tuple[tuple[str, str], ...]


class RatingsTold(Reply):
    """What the matches of `userid` have come to, by pool, with the section of each; and what single ones did."""

    userid: str
    tallies: tuple[tuple[Pool, Tally, Section], ...]
    lines: tuple[RatedMatch, ...]
    total: int
    command: str
    page: int
    more: int


MOST_LINES: Final = 20


def run(request: Request[RatingsArguments], records: Queries, now: datetime) -> Decision:
    """Tells the ratings of the player named, or of the sender."""
    game = request.arguments.game
    require_game(game)
    player = player_or_sender(request.arguments.userid, request, records)
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


command = OpenCommand(
    name="ratings",
    kind="open",
    forms=("[game] ratings [userid] [-options]",),
    summary="see a player's ratings, and what each game did to them",
    example="ratings alice",
    arguments=RatingsArguments,
    run=run,
    help="commands/ratings.txt:help_ratings",
)
