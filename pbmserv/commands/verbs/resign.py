"""`resign`: give up a game, or decline it before one's own first move."""

from datetime import datetime

from pbmserv.commands.boards import find_seat
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.replies.common import Declined, Reply, Resigned
from pbmserv.games.game import Seat
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused
from pbmserv.matches.replay import Replayed
from pbmserv.matches.turn import resign


def resign_seat(board: Replayed, seat: Seat, now: datetime, meant_ply: int | None = None) -> Decision | Refused:
    """What comes of it when a seat gives up."""
    entry = resign(board.match, board.state, seat, now, meant_ply)
    if isinstance(entry, Refused):
        return entry
    after = board.then(entry)
    reply: Reply = Resigned(board.match.number, others_play_on=after.state.status == "active")
    if entry.kind == "declined":
        reply = Declined(board.match.number)
    return Decision(reply, entries=(entry,), boards=(after,))


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
    scope="board",
)
