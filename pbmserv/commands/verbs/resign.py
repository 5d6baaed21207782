"""`resign`: give up a game, or decline it before one's own first move."""

from datetime import datetime

from pbmserv.commands.boards import find_seat
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.replies import Declined, Resigned
from pbmserv.games.game import Seat
from pbmserv.matches.match import Match, State, fold
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused
from pbmserv.matches.turn import resign


def resign_seat(
    match: Match, state: State, seat: Seat, now: datetime, meant_ply: int | None = None
) -> Decision | Refused:
    """What comes of it when a seat gives up."""
    entry = resign(match, state, seat, now, meant_ply)
    if isinstance(entry, Refused):
        return entry
    if entry.kind == "declined":
        return Decision(Declined(match.number), entries=(entry,))
    after = fold(match.with_entries((entry,)))
    return Decision(Resigned(match.number, others_play_on=after.status == "active"), entries=(entry,))


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Resigns the player's seat."""
    found = find_seat(request, records)
    if isinstance(found, Refused):
        return found
    return resign_seat(*found, now)


command = Command(
    name="resign",
    kind="binding",
    forms=("[game] resign board [userid password]",),
    summary="give up a game, or decline it before your first move",
    example="resign 101",
    run=run,
)
