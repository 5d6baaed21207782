"""`move`: play on a board; `resign` may stand in the move's place."""

from datetime import datetime

from pbmserv.commands.boards import find_seat
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.replies import Moved
from pbmserv.commands.verbs.resign import resign_seat
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused
from pbmserv.matches.terms import spent
from pbmserv.matches.turn import play


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Plays the move of the player's seat."""
    found = find_seat(request, records)
    if isinstance(found, Refused):
        return found
    board, seat = found
    arguments = request.arguments
    if arguments.move.lower() == "resign":
        return resign_seat(board, seat, now, arguments.ply)
    used = int(spent(board, records.timing(board, now)).total_seconds())
    entry = play(board.match, board.state, seat, arguments.move, arguments.ply, now, used)
    if isinstance(entry, Refused):
        return entry
    return Decision(Moved(entry.match, entry.text), entries=(entry,), boards=(board.then(entry),))


command = Command(
    name="move",
    kind="binding",
    forms=("[game] move board [userid password] move[#ply]",),
    summary="play a move on a board",
    example="move 101 c3",
    run=run,
)
