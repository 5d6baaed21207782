"""`unblock`: want to hear from another player again."""

from datetime import datetime

from pbmserv.commands.boards import no_such_player
from pbmserv.commands.changes import Block
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.account import NotBlocked
from pbmserv.commands.replies.account import Unblocked
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Lifts a block."""
    player = request.actor.player
    if player is None:
        raise ValueError("an end to a block without a player")
    named = request.arguments.userids[0]
    other = records.player(named)
    if other is None:
        return no_such_player(named, records)
    if not records.is_blocked(other.userid, by=player.userid):
        return NotBlocked(userid=other.userid, blocked=tuple(records.blocked_by(player.userid)))
    return Decision(Unblocked(other.userid), changes=(Block(player.id, other.id, is_lifted=True),))


command = Command(
    name="unblock",
    kind="binding",
    forms=("unblock [userid password] userid",),
    summary="hear from a blocked player again",
    example="unblock bob",
    run=run,
)
