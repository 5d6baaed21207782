"""`no`: what was asked about will not be done."""

from datetime import datetime

from pbmserv.commands.changes import Erased
from pbmserv.commands.command import Command
from pbmserv.commands.consent import nothing_to_confirm
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.replies.common import Dropped, NotOpened
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Closes the question; an account that was only just asked for is none then."""
    asked = request.confirmation
    player = records.player(asked.userid) if asked else None
    if asked is None or player is None or (asked.kind == "sign-up" and player.is_confirmed):
        return nothing_to_confirm(request, records)
    if asked.kind == "sign-up":
        return Decision(NotOpened(player.userid), changes=(Erased(player.id),))
    return Decision(Dropped(asked.lines))


command = Command(
    name="no",
    kind="token",
    forms=("no [token]",),
    summary="do not do what a mail has asked you to confirm",
    example="no",
    run=run,
)
