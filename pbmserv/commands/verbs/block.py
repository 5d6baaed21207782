"""`block`: want nothing from another player."""

from datetime import datetime

from pbmserv.commands.boards import no_such_player
from pbmserv.commands.changes import Block
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.account import NotYourself
from pbmserv.commands.replies.account import Blocked
from pbmserv.matches.records import Records, Wanted
from pbmserv.matches.refusals import Refused

_MOST_LOOKED_AT = 50


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Challenges, chat and comments of that player come through no more; games that run go on."""
    player = request.actor.player
    if player is None:
        raise ValueError("a block without a player")
    named = request.arguments.userids[0]
    other = records.player(named)
    if other is None:
        return no_such_player(named, records)
    if other.id == player.id:
        return NotYourself(userid=player.userid)
    together = _played_together(player.userid, other.userid, records)
    return Decision(Blocked(other.userid, together), changes=(Block(player.id, other.id),))


def _played_together(one: str, other: str, records: Records) -> tuple[int, ...]:
    """The running games in which both still have a part."""
    lines = records.boards(Wanted(userids=(one, other), count=_MOST_LOOKED_AT)).lines
    boards = (records.board(line.number) for line in lines)
    return tuple(sorted(board.match.number for board in boards if board and {one, other} <= board.playing))


command = Command(
    name="block",
    kind="binding",
    forms=("block [userid password] userid",),
    summary="get no games and no words from a player",
    example="block bob",
    run=run,
)
