"""`change password`."""

from datetime import datetime

from pbmserv.commands.changes import NewPassword
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.replies.common import PasswordChanged
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Puts the new password in force; the old one was the proof."""
    player = request.actor.player
    if player is None or request.password_hash is None:
        raise ValueError("a change of password without a player or a password")
    return Decision(PasswordChanged(player.userid), changes=(NewPassword(player.id, request.password_hash),))


command = Command(
    name="change password",
    kind="binding",
    forms=("change password userid old new",),
    summary="choose another password",
    example="change password alice sesame tahini",
    run=run,
)
