"""Plays the conditional moves that fit after a decision, and tells their owners."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial

from pbmserv.commands.base.changes import Change, DroppedConditionalPlan, NewConditionalPlan
from pbmserv.commands.base.decision import Decision, Remark, Reply
from pbmserv.commands.move import MovePlayed
from pbmserv.games.game import Seat
from pbmserv.matches.conditional_moves import Ahead, ConditionalPlan, Missed, answers
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import GameState


class QueuePlayed(Reply, place="below"):
    """The owner's queued `moves` were played, as written in the log."""

    moves: tuple[str, ...]


class QueueMissed(Reply):
    """The owner's queued moves did not fit, and are dropped."""

    board: int
    missed: Missed


def play_on(decision: Decision, records: Queries, now: datetime) -> Decision:
    """The decision, and with it all conditional moves that fit on the boards whose logs it adds to.

    Call it once, at the end of whatever decides something on a board: a command, the clock, the operator.
    """
    changed = {entry.match for entry in decision.entries}
    for board in decision.boards:
        if board.match.number in changed:
            decision = _with(decision, board, answers(board, partial(_queue, decision, records, board), now))
    return decision


def _queue(decision: Decision, records: Queries, board: GameState, seat: Seat) -> ConditionalPlan | None:
    """What a seat has queued, by what is decided already or else by the records."""
    place = (board.match.number, seat, "queue")
    for change in reversed(decision.changes):
        if (
            isinstance(change, NewConditionalPlan | DroppedConditionalPlan)
            and (change.board, change.seat, change.kind) == place
        ):
            return (
                ConditionalPlan(change.plies, change.content) if isinstance(change, NewConditionalPlan) else None
            )
    return records.plan(board.match.number, seat, "queue")


def _with(decision: Decision, before: GameState, ahead: Ahead) -> Decision:
    if not ahead.plans:
        return decision
    boards = tuple(ahead.board if board is before else board for board in decision.boards)
    remarks = (*decision.notifications.remarks, *_remarks(decision, ahead))
    if isinstance(decision.reply, MovePlayed):
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
        notifications=replace(decision.notifications, remarks=remarks),
    )


def _changes(ahead: Ahead) -> Iterator[Change]:
    number = ahead.board.match.number
    if ahead.board.on_turn is None:
        yield from (
            DroppedConditionalPlan(number, seat, "queue") for seat, _ in enumerate(ahead.board.match.userids)
        )
        return
    for seat, plan in (ahead.plans or {}).items():
        if plan is None:
            yield DroppedConditionalPlan(number, seat, "queue")
        else:
            yield NewConditionalPlan(number, seat, "queue", plan.plies, plan.content)


def _remarks(decision: Decision, ahead: Ahead) -> Iterator[Remark]:
    """What the owners are told; whoever has moved is told in the answer what was played then."""
    match = ahead.board.match
    told = decision.entries[0].seat if isinstance(decision.reply, MovePlayed) else None
    for seat, userid in enumerate(match.userids):
        moves = tuple(entry.text for entry in ahead.entries if entry.seat == seat)
        if moves and seat != told:
            yield Remark(match.number, userid, QueuePlayed(moves))
    for missed in ahead.missed:
        yield Remark(match.number, match.userids[missed.seat], QueueMissed(match.number, missed))
