"""`revoke`: what older mails prove comes to an end."""

from datetime import datetime

from pbmserv.commands.boards import waiting_boards
from pbmserv.commands.changes import RevokedWords
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.replies.account import Revoked
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Ends them all, and shows the boards that wait, since mails about them can be answered no more."""
    player = request.actor.player
    if player is None:
        raise ValueError("a revocation without a player")
    waiting = waiting_boards(player, records)
    return Decision(Revoked(waiting.numbers, waiting.more), shows=waiting.refs, changes=(RevokedWords(player.id),))


command = Command(
    name="revoke",
    kind="binding",
    forms=("revoke [userid password]",),
    summary="end what older mails from here can do for you",
    example="revoke",
    run=run,
    scope="mail",
)
