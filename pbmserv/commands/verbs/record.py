"""`record`: a whole game as text, and as a file for programs."""

from datetime import datetime

from pbmserv.commands.boards import find_board
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.replies.record import Recorded
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Finds the board; the answer holds its record as it stands."""
    arguments = request.arguments
    board = find_board(arguments.boards[0].number, arguments.game, records, request.actor.player)
    if isinstance(board, Refused):
        return board
    return Decision(Recorded(board.match.number, board.state.status == "active"), recorded=(board,))


command = Command(
    name="record",
    kind="open",
    forms=("[game] record board",),
    summary="get a whole game, as text and as a file",
    example="record 101",
    run=run,
)
