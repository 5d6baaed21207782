"""`accept`: agree to what others ask for on a board, or to play a game that is offered to all."""

from datetime import datetime

from pbmserv.commands.boards import find_seat
from pbmserv.commands.command import Command
from pbmserv.commands.consent import consent
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.open_offers import accept_offer
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Agrees in the name of the player's seat, or takes one in an open offer."""
    if request.arguments.offer is not None:
        return accept_offer(request, records, now)
    found = find_seat(request, records)
    if isinstance(found, Refused):
        return found
    return consent("accept", *found, request, now)


command = Command(
    name="accept",
    kind="binding",
    forms=("accept offer", "[game] accept board [userid password]"),
    summary="agree to a draw or a take-back, or take an open offer",
    example="accept 101",
    run=run,
    scope="board",
)
