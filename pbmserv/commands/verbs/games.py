"""`games`: the listing of current games."""

from datetime import datetime

from pbmserv.commands.boards import named_players, unknown_game
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.replies.common import BoardList
from pbmserv.commands.verbs.show import filter_of
from pbmserv.matches.records import Records, Wanted
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Lists the boards of the game and of all the players named."""
    refused = unknown_game(request.arguments.game)
    if refused is not None:
        return refused
    userids = named_players(request, records)
    if isinstance(userids, Refused):
        return userids
    wanted_filter = filter_of(request, "active")
    if wanted_filter == "next" and not userids and request.actor.player is not None:
        userids = (request.actor.player.userid,)
    wanted = Wanted(request.arguments.game, userids, wanted_filter)
    found = records.boards(wanted)
    return Decision(BoardList(wanted, found.lines, found.total))


command = Command(
    name="games",
    kind="open",
    forms=("[game] games [userid+] [filter]",),
    summary="list boards: all, active, inactive, or next (yours to move)",
    example="games alice next",
    run=run,
)
