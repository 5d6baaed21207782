"""What players have queued, told to them alone with the boards that they are sent."""

from collections.abc import Sequence

from pbmserv.commands import queue_lines
from pbmserv.commands.replies.queue import StillQueued
from pbmserv.matches.queued import branches_of, still_stands
from pbmserv.matches.replay import Replayed
from pbmserv.store.records import TransactionRecords


def still_queued(records: TransactionRecords, board: Replayed, userid: str | None) -> Sequence[StillQueued]:
    """The words about a player's own queue on a board, if there is one."""
    seat = None if userid is None else board.match.seat_of(userid)
    if seat is None or board.on_turn is None:
        return ()
    plan = records.plan(board.match.number, seat, "queue")
    if plan is None or not still_stands(board, plan):
        return ()
    return (StillQueued(queue_lines.write(branches_of(plan))),)
