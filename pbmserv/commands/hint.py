"""`hint`: a good move and why, in games that are not rated."""

from datetime import datetime

from pbmserv.commands.command import (
    BoardRef,
    Command,
    Decision,
    Reply,
    Request,
    ShownBoards,
)
from pbmserv.commands.lookup import find_seat
from pbmserv.games.game import Seat
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import rules_of
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import GameState
from pbmserv.robots.analysis import HASTE, HintReason, estimate, reason_for
from pbmserv.robots.chance import seed_of


class Hinted(Reply):
    """A good move on a board, and why."""

    board: int
    move: str

    chances: int
    """Those of the reader after it, of 100."""

    reason: HintReason

    taken: tuple[str, ...]
    """The cells on which it takes something, or turns it (`is_turned`)."""

    is_turned: bool

    threat: str
    """The answer of `next_player` that most other moves allow."""

    lost: int
    """How many pieces that would take; of no account where it wins."""

    next_player: str


class HintInRatedGame(CommandError):
    """The game counts for ratings, so that everybody plays alone; `example` can be played."""

    example: str


class NoHintNow(CommandError):
    """It is the turn of somebody else, `userid`; or the game is over, and nobody's (None)."""

    userid: str | None


def run(request: Request, records: Queries, now: datetime) -> Decision:
    """Finds a move for the sender, whose turn it must be."""
    board, seat = find_seat(request, records)
    number = board.match.number
    game, position = rules_of(board.match), board.state.position
    if board.match.rated and board.on_turn is not None:
        example = game.write(position, next(iter(game.moves(position))))
        raise HintInRatedGame(board=number, example=example.lower())
    if board.state.to_move != seat:
        raise NoHintNow(board=number, userid=board.on_turn)
    return Decision(_hinted(board, seat, records), shown=ShownBoards(boards=(BoardRef(number),)))


def _hinted(board: GameState, seat: Seat, records: Queries) -> Hinted:
    """The best move that is known already, or that a quick look finds."""
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


command = Command(
    name="hint",
    kind="open",
    forms=("[game] hint board",),
    summary="ask a robot for a good move and why, in unrated games",
    example="hint 101",
    run=run,
)
