"""`next`: every board where it is one's turn, in one mail."""

from datetime import datetime

from pbmserv.commands.boards import no_such_player
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import BoardRef, Request
from pbmserv.commands.refusals.common import NotOurPlayer
from pbmserv.commands.replies.common import NextBoards
from pbmserv.matches.records import Records, Wanted
from pbmserv.matches.refusals import Refused

MOST_BOARDS = 20


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Shows the boards that wait for the player named, or for the sender."""
    player = request.actor.player
    if request.arguments.userids:
        player = records.player(request.arguments.userids[0])
        if player is None:
            return no_such_player(request.arguments.userids[0], records)
    if player is None:
        return NotOurPlayer(command="next")
    boards = records.boards(Wanted(userids=(player.userid,), filter="next", count=MOST_BOARDS))
    numbers = tuple(line.number for line in boards.lines)
    reply = NextBoards(player.userid, numbers, boards.total - len(numbers))
    return Decision(reply, shows=tuple(map(BoardRef, numbers)))


command = Command(
    name="next",
    kind="open",
    forms=("next [userid]",),
    summary="get every board where it is your turn",
    example="next",
    run=run,
)
