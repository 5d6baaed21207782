"""`submit` and `confirm`: look at a move before it is played."""

from dataclasses import replace
from datetime import datetime

from pbmserv.commands.changes import DroppedConditionalPlan, NewConditionalPlan
from pbmserv.commands.command import (
    Command,
    Decision,
    Reply,
    Request,
    ShownBoards,
)
from pbmserv.commands.lookup import find_seat
from pbmserv.commands.move import play_ply
from pbmserv.games.game import Seat
from pbmserv.matches.conditional_moves import still_stands
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import rules_of
from pbmserv.matches.moves import play, require_may_act
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import GameState


class Submitted(Reply):
    """A move waits for `confirm`; the board shows how it would stand. `moves` is that one, in lower case."""

    board: int
    moves: tuple[str]


class NothingSubmitted(CommandError):
    """No move waits for `confirm`; `example` can be submitted, or is empty when it is not the sender's turn.

    `taken_back`: one did, but what was played before it was taken back.
    """

    example: str
    taken_back: bool = False


def run_submit(request: Request, records: Queries, now: datetime) -> Decision:
    """Keeps the move in mind, and shows the board as it would stand."""
    board, seat = find_seat(request, records)
    entry = play(board.match, board.state, seat, request.arguments.move, request.arguments.ply, now)
    content = {"entries": board.state.entries, "move": entry.text}
    plan = NewConditionalPlan(board.match.number, seat, "submit", board.state.plies, content)
    return Decision(
        Submitted(board.match.number, (entry.text.lower(),)),
        shown=ShownBoards(previews=(board.apply(entry),)),
        changes=(plan,),
    )


submit_command = Command(
    name="submit",
    forms=("[game] submit board [userid password] move[#ply]",),
    summary="look at a move before you play it with confirm",
    example="submit 101 c3",
    run=run_submit,
    scope="board",
)


def run_confirm(request: Request, records: Queries, now: datetime) -> Decision:
    """Plays it as `move` would, on the board for which it was submitted and on no later one."""
    board, seat = find_seat(request, records)
    require_may_act(board.match, board.state, seat, "confirm", None)
    plan = records.plan(board.match.number, seat, "submit")
    if plan is None or not still_stands(board, plan):
        raise NothingSubmitted(
            board=board.match.number, example=_example(board, seat), taken_back=plan is not None
        )
    played = play_ply(board, seat, plan.content["move"].lower(), plan.plies + 1, records, now)
    return replace(played, changes=(DroppedConditionalPlan(board.match.number, seat, "submit"),))


def _example(board: GameState, seat: Seat) -> str:
    """A legal move of the seat; none when it is not its turn."""
    if board.state.to_move != seat:
        return ""
    game = rules_of(board.match)
    legal = list(game.moves(board.state.position))
    return game.write(board.state.position, legal[len(legal) // 2]).lower()


confirm_command = Command(
    name="confirm",
    forms=("[game] confirm board [userid password]",),
    summary="play the move you have submitted",
    example="confirm 101",
    run=run_confirm,
    scope="board",
)
