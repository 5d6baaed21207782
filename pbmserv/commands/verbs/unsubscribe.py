"""`unsubscribe`: watch a board of others, or all of them, no more."""

from datetime import datetime

from pbmserv.commands.changes import Subscription
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.talk import NotWatched
from pbmserv.commands.replies.talk import Unsubscribed
from pbmserv.matches.player import Player
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Ends it for the board named or answered, or else for all."""
    player = request.actor.player
    if player is None:
        raise ValueError("a subscription without a player")
    number = next((ref.number for ref in request.arguments.boards), None)
    watched = tuple(records.watched(player))
    ended = tuple(board for board in watched if number in (None, board))
    if not ended:
        return NotWatched(board=number, watched=watched, plays=_plays(player, number, records))
    changes = tuple(Subscription(board, player.id, is_over=True) for board in ended)
    return Decision(Unsubscribed(ended), changes=changes)


def _plays(player: Player, number: int | None, records: Records) -> bool:
    board = None if number is None else records.board(number)
    return board is not None and board.match.seat_of(player.userid) is not None


command = Command(
    name="unsubscribe",
    kind="binding",
    forms=("unsubscribe [userid password] board", "unsubscribe [userid password]"),
    summary="watch a game of others no more, or none of them",
    example="unsubscribe 101",
    run=run,
    scope="mail",
)
