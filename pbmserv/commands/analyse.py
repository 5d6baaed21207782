"""`analyse`: how a finished game went, and where it turned."""

from datetime import datetime

from pbmserv.commands.base.arguments import BoardArguments
from pbmserv.commands.base.changes import AnalysisRequest
from pbmserv.commands.base.course import Course, course_of
from pbmserv.commands.base.decision import Decision, Reply
from pbmserv.commands.base.lookup import find_board
from pbmserv.commands.base.registry import OpenCommand
from pbmserv.commands.base.request import Request
from pbmserv.matches.errors import CommandError
from pbmserv.matches.evaluations import is_complete
from pbmserv.matches.queries import Queries


class Analysed(Reply):
    """How the game on a board went."""

    board: int
    course: Course


class AnalysisFollows(Reply):
    """The game is being thought about; a player is mailed what comes of it, anybody else may ask again."""

    board: int
    is_mailed: bool


class StillPlayed(CommandError):
    """The game goes on, and robots do not say how it stands; `is_rated`: nor do they give hints there."""

    is_rated: bool


class NothingToAnalyse(CommandError):
    """The game counts for nobody, or ended before its first move."""


def run(request: Request[BoardArguments], records: Queries, now: datetime) -> Decision:
    """Tells how the game went, or notes who waits for that."""
    player = request.actor.player
    board = find_board(request.arguments.board, request.arguments.game, records, player)
    number, state = board.match.number, board.state
    if state.status == "active":
        raise StillPlayed(board=number, is_rated=board.match.rated)
    if state.status != "finished" or not state.plies:
        raise NothingToAnalyse(board=number)
    known = records.evaluations(board)
    if is_complete(known, board):
        return Decision(Analysed(number, course_of(board, known, player.userid if player else None)))
    if player is None:
        return Decision(AnalysisFollows(number, is_mailed=False))
    wish = AnalysisRequest(number, player.id, request.actor.proven)
    return Decision(AnalysisFollows(number, is_mailed=True), changes=(wish,))


command = OpenCommand(
    name="analyse",
    kind="open",
    forms=("[game] analyse board",),
    summary="see where a finished game turned, and what was better",
    example="analyse 101",
    arguments=BoardArguments,
    run=run,
    help="commands/analyse.txt:help_analyse",
)
