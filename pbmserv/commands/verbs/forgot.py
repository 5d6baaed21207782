"""`forgot`: a new password in the place of one that is forgotten."""

from datetime import datetime

from pbmserv.commands.command import Command
from pbmserv.commands.confirmation import Confirmation
from pbmserv.commands.decision import Decision, Question
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.account import WhosePassword
from pbmserv.commands.refusals.common import NoSuchPlayer
from pbmserv.commands.replies.account import NewPasswordWanted, PasswordAsked
from pbmserv.commands.words import is_userid
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Mails the player named, or the sender, a question; whoever else asked is not told whether there is one."""
    named = request.arguments.userids
    if not named and request.actor.player is None:
        return WhosePassword()
    if named and not is_userid(named[0]):
        return NoSuchPlayer(suggestions=())
    player = records.player(named[0]) if named else request.actor.player
    reply = PasswordAsked(is_own=not named)
    if player is None or not player.is_confirmed or player.robot is not None:
        return Decision(reply)
    confirmation = Confirmation(
        kind="password", userid=player.userid, address=player.address, about=f"password {player.userid}"
    )
    return Decision(reply, question=Question(confirmation, NewPasswordWanted(player.userid), rests_days=1))


command = Command(
    name="forgot",
    kind="signup",
    forms=("forgot [userid]",),
    summary="choose a new password when you have forgotten yours",
    example="forgot alice",
    run=run,
)
