"""What follows by itself on what somebody did: the queued moves of those who are on turn then are played."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial

from pbmserv.commands.changes import Change, DroppedPlan, NewPlan
from pbmserv.commands.decision import Decision, Remark
from pbmserv.commands.replies.common import Moved
from pbmserv.commands.replies.queue import QueueMissed, QueuePlayed
from pbmserv.games.game import Seat
from pbmserv.matches.plan import Plan
from pbmserv.matches.queued import Ahead, answers
from pbmserv.matches.records import Records
from pbmserv.matches.replay import Replayed


def play_on(decision: Decision, records: Records, now: datetime) -> Decision:
    """The decision with all that queued moves bring about on the boards whose logs it adds to.

    Whoever decides something on a board calls it once, at the end: a command, the clock, the operator.
    """
    changed = {entry.match for entry in decision.entries}
    for board in decision.boards:
        if board.match.number in changed:
            decision = _with(decision, board, answers(board, partial(_queue, decision, records, board), now))
    return decision


def _queue(decision: Decision, records: Records, board: Replayed, seat: Seat) -> Plan | None:
    """What a seat has queued, by what is decided already or else by the records."""
    place = (board.match.number, seat, "queue")
    for change in reversed(decision.changes):
        if isinstance(change, NewPlan | DroppedPlan) and (change.board, change.seat, change.kind) == place:
            return Plan(change.plies, change.content) if isinstance(change, NewPlan) else None
    return records.plan(board.match.number, seat, "queue")


def _with(decision: Decision, before: Replayed, ahead: Ahead) -> Decision:
    if not ahead.plans:
        return decision
    boards = tuple(ahead.board if board is before else board for board in decision.boards)
    remarks = (*decision.remarks, *_remarks(decision, ahead))
    if isinstance(decision.reply, Moved):
        mover = decision.entries[0].seat
        userids = before.match.userids
        told = tuple(
            ("" if entry.seat == mover else userids[entry.seat or 0], entry.text) for entry in ahead.entries
        )
        decision = replace(decision, reply=replace(decision.reply, answers=told))
    return replace(
        decision,
        entries=(*decision.entries, *ahead.entries),
        boards=boards,
        changes=(*decision.changes, *_changes(ahead)),
        remarks=remarks,
    )


def _changes(ahead: Ahead) -> Iterator[Change]:
    number = ahead.board.match.number
    if ahead.board.on_turn is None:
        yield from (DroppedPlan(number, seat, "queue") for seat, _ in enumerate(ahead.board.match.userids))
        return
    for seat, plan in (ahead.plans or {}).items():
        if plan is None:
            yield DroppedPlan(number, seat, "queue")
        else:
            yield NewPlan(number, seat, "queue", plan.plies, plan.content)


def _remarks(decision: Decision, ahead: Ahead) -> Iterator[Remark]:
    """What the owners are told; whoever has moved is told in the answer what was played then."""
    match = ahead.board.match
    told = decision.entries[0].seat if isinstance(decision.reply, Moved) else None
    for seat, userid in enumerate(match.userids):
        moves = tuple(entry.text for entry in ahead.entries if entry.seat == seat)
        if moves and seat != told:
            yield Remark(match.number, userid, QueuePlayed(moves))
    for missed in ahead.missed:
        yield Remark(match.number, match.userids[missed.seat], QueueMissed(match.number, missed))
