"""`ratings`: a player's ratings, and how they came about."""

from datetime import datetime
from typing import Final

from pbmserv.commands.boards import no_such_player, unknown_game
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.pages import read_page
from pbmserv.commands.refusals.common import NotOurPlayer
from pbmserv.commands.replies.rating import RatingsTold
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused

MOST_LINES: Final = 20


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Tells the ratings of the player named, or of the sender."""
    game, player = request.arguments.game, request.actor.player
    refused = unknown_game(game)
    if refused is not None:
        return refused
    if request.arguments.userids:
        player = records.player(request.arguments.userids[0])
        if player is None:
            return no_such_player(request.arguments.userids[0], records)
    if player is None:
        return NotOurPlayer(command="ratings")
    page = read_page(request)
    if isinstance(page, Refused):
        return page
    tallies = records.tallies(player, game)
    found = records.rated_matches(player, game, (page - 1) * MOST_LINES, MOST_LINES)
    reply = RatingsTold(
        userid=player.userid,
        tallies=tuple((name, tally, tally.section(now)) for name, tally in tallies.items()),
        lines=found.lines,
        total=found.total,
        command=" ".join([*([game] if game else []), "ratings", player.userid]),
        page=page,
        more=max(0, found.total - page * MOST_LINES),
    )
    return Decision(reply)


command = Command(
    name="ratings",
    kind="open",
    forms=("[game] ratings [userid] [-options]",),
    summary="see how strong a player is, and what each game did to it",
    example="ratings alice",
    run=run,
)
