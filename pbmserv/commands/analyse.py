"""`analyse`: how a finished game went: the chances after each move, where it turned, and what was better."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pbmserv.commands.changes import AnalysisRequest
from pbmserv.commands.command import Command, Decision, Reply, Request
from pbmserv.commands.lookup import named_board
from pbmserv.matches.errors import CommandError
from pbmserv.matches.evaluations import Evaluation, completed, curve, is_complete, told_seat, turning_points
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import GameState


@dataclass(frozen=True, slots=True)
class TurnTold:
    """A move that lost much."""

    ply: int
    userid: str
    is_readers: bool
    played: str
    best: str
    """The move, and what was better."""
    before: int
    after: int
    """The chances of who made it, of 100: with the better move, and with this one."""


@dataclass(frozen=True, slots=True)
class Course:
    """How a game went."""

    userid: str
    """Whose chances these are."""

    is_readers: bool

    chances: tuple[int, ...]
    """Of 100: at the start, and after each move."""

    turns: tuple[TurnTold, ...]
    """The moves that lost most, two at most."""

    @property
    def plies(self) -> tuple[int, ...]:
        """The numbers of these moves."""
        return tuple(each.ply for each in self.turns)


def course_of(board: GameState, known: Sequence[Evaluation], reader: str | None) -> Course:
    """The course of a finished game for a reader (a userid; None: anybody), from what is known of it."""
    userids, known = board.match.userids, completed(known, board)
    seat = told_seat(board, reader)
    return Course(
        userid=userids[seat],
        is_readers=userids[seat] == reader,
        chances=tuple(map(_of_100, curve(known, board, seat))),
        turns=tuple(
            TurnTold(
                each.ply,
                userids[each.seat],
                userids[each.seat] == reader,
                each.played,
                each.best,
                _of_100(each.before),
                _of_100(each.after),
            )
            for each in turning_points(known)
        ),
    )


def _of_100(chance: float) -> int:
    return round(100 * chance)


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


def run(request: Request, records: Queries, now: datetime) -> Decision:
    """Tells how the game went, or notes who waits for that."""
    player = request.actor.player
    board = named_board(request, records)
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


command = Command(
    name="analyse",
    kind="open",
    forms=("[game] analyse board",),
    summary="see where a finished game turned, and what was better",
    example="analyse 101",
    run=run,
)
