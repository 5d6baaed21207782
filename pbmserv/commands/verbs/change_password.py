"""`change password`."""

from datetime import datetime

from pbmserv.commands.boards import waiting_boards
from pbmserv.commands.changes import NewPassword, RevokedWords
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.replies.common import PasswordChanged
from pbmserv.matches.player import Player
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Puts the new password in force; the old one was the proof."""
    player = request.actor.player
    if player is None or request.password_hash is None:
        raise ValueError("a change of password without a player or a password")
    return new_password(player, request.password_hash, records)


def new_password(player: Player, password_hash: str, records: Records) -> Decision:
    """The password is another one; whatever older mails prove ends with the old one, and boards that wait go
    out."""
    waiting = waiting_boards(player, records)
    return Decision(
        PasswordChanged(player.userid, waiting.numbers, waiting.more),
        shows=waiting.refs,
        changes=(NewPassword(player.id, password_hash), RevokedWords(player.id)),
    )


command = Command(
    name="change password",
    kind="binding",
    forms=("change password userid old new",),
    summary="choose another password",
    example="change password alice sesame tahini",
    run=run,
)
