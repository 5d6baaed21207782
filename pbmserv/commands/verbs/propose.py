"""`propose`: ask the others of a board for a draw."""

from datetime import datetime

from pbmserv.commands.boards import find_seat
from pbmserv.commands.command import Command
from pbmserv.commands.consent import consent
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Proposes a draw in the name of the player's seat."""
    found = find_seat(request, records)
    if isinstance(found, Refused):
        return found
    return consent("propose", *found, request, now)


command = Command(
    name="propose",
    kind="binding",
    forms=("[game] propose board [userid password]",),
    summary="propose a draw",
    example="propose 101",
    run=run,
    scope="board",
)
