"""`next`: every board where it is one's turn, in one mail."""

from datetime import datetime

from pbmserv.commands.boards import no_such_player, waiting_boards
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.common import NotOurPlayer
from pbmserv.commands.replies.common import NextBoards
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Shows the boards that wait for the player named, or for the sender."""
    player = request.actor.player
    if request.arguments.userids:
        player = records.player(request.arguments.userids[0])
        if player is None:
            return no_such_player(request.arguments.userids[0], records)
    if player is None:
        return NotOurPlayer(command="next")
    waiting = waiting_boards(player, records)
    return Decision(NextBoards(player.userid, waiting.numbers, waiting.more), shows=waiting.refs)


command = Command(
    name="next",
    kind="open",
    forms=("next [userid]",),
    summary="get every board where it is your turn",
    example="next",
    run=run,
)
