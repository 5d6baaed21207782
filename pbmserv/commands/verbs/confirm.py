"""`confirm`: play the move that was submitted."""

from dataclasses import replace
from datetime import datetime

from pbmserv.commands.boards import find_seat
from pbmserv.commands.changes import DroppedPlan
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.queue import NothingSubmitted
from pbmserv.commands.verbs.move import play_ply
from pbmserv.games.game import Seat
from pbmserv.matches.match import rules_of
from pbmserv.matches.queued import still_stands
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused
from pbmserv.matches.replay import Replayed
from pbmserv.matches.turn import may_act


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Plays it as `move` would, on the board for which it was submitted and on no later one."""
    found = find_seat(request, records)
    if isinstance(found, Refused):
        return found
    board, seat = found
    refused = may_act(board.match, board.state, seat, "confirm", None)
    if refused is not None:
        return refused
    plan = records.plan(board.match.number, seat, "submit")
    if plan is None or not still_stands(board, plan):
        return NothingSubmitted(
            board=board.match.number, example=_example(board, seat), taken_back=plan is not None
        )
    played = play_ply(board, seat, plan.content["move"].lower(), plan.plies + 1, records, now)
    if isinstance(played, Refused):
        return played
    return replace(played, changes=(DroppedPlan(board.match.number, seat, "submit"),))


def _example(board: Replayed, seat: Seat) -> str:
    """A legal move of the seat; none when it is not its turn."""
    if board.state.to_move != seat:
        return ""
    game = rules_of(board.match)
    legal = list(game.moves(board.state.position))
    return game.write(board.state.position, legal[len(legal) // 2]).lower()


command = Command(
    name="confirm",
    kind="binding",
    forms=("[game] confirm board [userid password]",),
    summary="play the move that you have submitted",
    example="confirm 101",
    run=run,
    scope="board",
)
