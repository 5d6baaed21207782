"""`submit`: look at a move before it is played; `confirm` plays it."""

from datetime import datetime

from pbmserv.commands.boards import find_seat
from pbmserv.commands.changes import NewPlan
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.replies.queue import Submitted
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused
from pbmserv.matches.turn import play


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Keeps the move in mind, and shows the board as it would stand."""
    found = find_seat(request, records)
    if isinstance(found, Refused):
        return found
    board, seat = found
    entry = play(board.match, board.state, seat, request.arguments.move, request.arguments.ply, now)
    if isinstance(entry, Refused):
        return entry
    content = {"entries": board.state.entries, "move": entry.text}
    plan = NewPlan(board.match.number, seat, "submit", board.state.plies, content)
    return Decision(
        Submitted(board.match.number, (entry.text.lower(),)), imagined=(board.then(entry),), changes=(plan,)
    )


command = Command(
    name="submit",
    kind="binding",
    forms=("[game] submit board [userid password] move[#ply]",),
    summary="look at a move before you play it with confirm",
    example="submit 101 c3",
    run=run,
    scope="board",
)
