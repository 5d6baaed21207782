"""`delete`: leave, and be forgotten."""

from datetime import datetime

from pbmserv.commands.addresses import TAKEN_BACK_WITHIN, takes_back
from pbmserv.commands.changes import Erased
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.open_offers import without
from pbmserv.commands.refusals.account import ChangedOfLate
from pbmserv.commands.replies.account import Deleted
from pbmserv.commands.verbs.signoff import leave_all
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Leaves every game and erases the account; not while a former address could take it back."""
    player = request.actor.player
    if player is None:
        raise ValueError("a deletion without a player")
    elsewhere = [each for each in takes_back(player, records, now) if each.address != player.address]
    if elsewhere and request.actor.proof != "operator":
        return ChangedOfLate(until=elsewhere[-1].asked + TAKEN_BACK_WITHIN)
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
