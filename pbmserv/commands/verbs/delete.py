"""`delete`: leave, and be forgotten."""

from datetime import datetime

from pbmserv.commands.changes import Erased
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.open_offers import without
from pbmserv.commands.replies.account import Deleted
from pbmserv.commands.verbs.signoff import leave_all
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Leaves every game and erases the account."""
    player = request.actor.player
    if player is None:
        raise ValueError("a deletion without a player")
    left = leave_all(player, records, now)
    _, tells = without(player, records)
    return Decision(
        Deleted(player.userid, left.numbers("resigned"), left.numbers("declined")),
        entries=left.entries,
        boards=left.boards,
        changes=(Erased(player.id),),
        tells=tells,
    )


command = Command(
    name="delete",
    kind="binding",
    forms=("delete [userid password]",),
    summary="resign all your games and be forgotten",
    example="delete",
    run=run,
    asks_again=True,
)
