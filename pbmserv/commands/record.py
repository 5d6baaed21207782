"""`record`: a whole game, as text and as a file."""

from datetime import datetime

from pbmserv.commands.base.arguments import BoardArguments
from pbmserv.commands.base.decision import Decision, Reply, ShownBoards
from pbmserv.commands.base.lookup import find_board
from pbmserv.commands.base.registry import OpenCommand
from pbmserv.commands.base.request import Request
from pbmserv.matches.queries import Queries


class Recorded(Reply):
    """The record of the board follows, so far where it `goes_on`."""

    board: int
    goes_on: bool


def run(request: Request[BoardArguments], records: Queries, now: datetime) -> Decision:
    """Finds the board; the answer holds its record as it stands."""
    arguments = request.arguments
    board = find_board(arguments.board, arguments.game, records, request.actor.player)
    return Decision(
        Recorded(board.match.number, board.state.status == "active"), shown=ShownBoards(records=(board,))
    )


command = OpenCommand(
    name="record",
    kind="open",
    forms=("[game] record board",),
    summary="get a whole game, as text and as a file",
    example="record 101",
    arguments=BoardArguments,
    run=run,
    help="commands/record.txt:help_record",
)
