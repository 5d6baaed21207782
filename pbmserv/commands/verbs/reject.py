"""`reject`: do not agree to what others ask for on a board, or withdraw what one has asked for."""

from datetime import datetime

from pbmserv.commands.boards import find_seat
from pbmserv.commands.command import Command
from pbmserv.commands.consent import consent
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Rejects in the name of the player's seat."""
    found = find_seat(request, records)
    if isinstance(found, Refused):
        return found
    return consent("reject", *found, request, now)


command = Command(
    name="reject",
    kind="binding",
    forms=("[game] reject board [userid password]",),
    summary="do not agree to a draw or a take-back",
    example="reject 101",
    run=run,
    scope="board",
)
