"""`analyse` and `hint`: the course of a finished game, and a good move in unrated games."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pbmserv.commands.changes import AnalysisRequest
from pbmserv.commands.command import (
    BoardRef,
    Command,
    Decision,
    Reply,
    Request,
)
from pbmserv.commands.lookup import find_seat, named_board
from pbmserv.games.game import Seat
from pbmserv.matches.errors import CommandError
from pbmserv.matches.evaluations import Evaluation, completed, curve, is_complete, told_seat, turning_points
from pbmserv.matches.log import rules_of
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import GameState
from pbmserv.robots.analysis import HASTE, HintReason, estimate, reason_for
from pbmserv.robots.thought import seed_of


@dataclass(frozen=True, slots=True)
class TurnTold:
    """A move that lost much."""

    ply: int
    userid: str
    is_readers: bool
    played: str
    best: str
    """The move played, and a better one."""
    before: int
    after: int
    """The mover's winning chances in percent: after the better move, and after this one."""


@dataclass(frozen=True, slots=True)
class Course:
    """How a game went."""

    userid: str
    """The player whose chances these are."""

    is_readers: bool

    chances: tuple[int, ...]
    """In percent: at the start, and after each move."""

    turns: tuple[TurnTold, ...]
    """The moves that cost most, at most two."""

    @property
    def plies(self) -> tuple[int, ...]:
        """The numbers of these moves."""
        return tuple(each.ply for each in self.turns)


def course_of(board: GameState, known: Sequence[Evaluation], reader: str | None) -> Course:
    """The course of a finished game for a reader (a userid; None: anybody), from its stored evaluations."""
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
    """The analysis is not ready: a player is mailed it later, anybody else may ask again."""

    board: int
    is_mailed: bool


class StillPlayed(CommandError):
    """The game is still played, so it is not analysed; with `is_rated`, robots give no hints either."""

    is_rated: bool


class NothingToAnalyse(CommandError):
    """The game does not count, or ended before its first move."""


def run_analyse(request: Request, records: Queries, now: datetime) -> Decision:
    """Reports how the game went, or records that the sender waits for it."""
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


analyse_command = Command(
    name="analyse",
    kind="open",
    forms=("[game] analyse board",),
    summary="see where a finished game turned, and what was better",
    example="analyse 101",
    run=run_analyse,
)


class Hinted(Reply):
    """A good move on a board, and why."""

    board: int
    move: str

    chances: int
    """The reader's chances after it, in percent."""

    reason: HintReason

    taken: tuple[str, ...]
    """The cells on which it captures, or turns pieces (`is_turned`)."""

    is_turned: bool

    threat: str
    """The answer of `next_player` that most other moves allow."""

    lost: int
    """How many pieces that would capture; meaningless where it wins."""

    next_player: str


class HintInRatedGame(CommandError):
    """The game is rated, so there are no hints; `example` can be played."""

    example: str


class NoHintNow(CommandError):
    """It is the turn of `userid`, not the sender's; None if the game is over."""

    userid: str | None


def run_hint(request: Request, records: Queries, now: datetime) -> Decision:
    """Finds a good move for the sender, whose turn it must be."""
    board, seat = find_seat(request, records)
    number = board.match.number
    game, position = rules_of(board.match), board.state.position
    if board.match.rated and board.on_turn is not None:
        example = game.write(position, next(iter(game.moves(position))))
        raise HintInRatedGame(board=number, example=example.lower())
    if board.state.to_move != seat:
        raise NoHintNow(board=number, userid=board.on_turn)
    return Decision(_hinted(board, seat, records), shown=(BoardRef(number),))


def _hinted(board: GameState, seat: Seat, records: Queries) -> Hinted:
    """The best move already stored, or found by a quick search."""
    game, position = rules_of(board.match), board.state.position
    seed = seed_of(board.match.number, board.state.plies)
    known = records.evaluations(board)
    if len(known) > board.state.plies:
        move, chances = game.read(position, known[-1].best), known[-1].chances
    else:
        found = estimate(game, position, seed, HASTE)
        if found.best is None:
            raise ValueError("nobody is to move")
        move, chances = found.best, found.chances
    reason = reason_for(game, position, move, seed)
    after = game.to_move(game.play(position, move)[0])
    names = game.scene(position).board.names
    return Hinted(
        board.match.number,
        game.write(position, move),
        round(100 * chances[seat]),
        reason.kind,
        tuple(names[cell] for cell in reason.taken),
        reason.is_turned,
        reason.threat,
        reason.lost,
        "" if after is None else board.match.userids[after],
    )


hint_command = Command(
    name="hint",
    kind="open",
    forms=("[game] hint board",),
    summary="ask a robot for a good move and why, in unrated games",
    example="hint 101",
    run=run_hint,
)
