"""`undo`: ask the others of a board to let one take a move back."""

from datetime import datetime

from pbmserv.commands.boards import find_seat
from pbmserv.commands.command import Command
from pbmserv.commands.consent import consent
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Asks for a take-back in the name of the player's seat."""
    found = find_seat(request, records)
    if isinstance(found, Refused):
        return found
    return consent("undo", *found, request, now)


command = Command(
    name="undo",
    kind="binding",
    forms=("[game] undo board [userid password]",),
    summary="ask the others to let you take your last move back",
    example="undo 101",
    run=run,
    scope="board",
)
