"""`queue`: stores conditional moves, and plays those that fit after a decision."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final

from pbmserv.commands import queue_notation
from pbmserv.commands.changes import Change, DroppedConditionalPlan, NewConditionalPlan
from pbmserv.commands.command import (
    BoardRef,
    Command,
    Decision,
    Remark,
    Reply,
    Request,
)
from pbmserv.commands.echo import echo_words
from pbmserv.commands.lookup import find_seat
from pbmserv.commands.move import MovePlayed, play_ply
from pbmserv.commands.queue_notation import Misread
from pbmserv.games.game import MoveError, Seat
from pbmserv.matches import conditional_moves
from pbmserv.matches.conditional_moves import Branch, ConditionalPlan, Misfit, QueueResult, checked, example
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import rules_of
from pbmserv.matches.moves import is_legal, require_may_act
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import GameState


class MovesQueued(Reply):
    """The moves will be played when they fit. `replaced`: they replace earlier ones."""

    board: int
    branches: tuple[Branch, ...]
    replaced: bool


class QueueShown(Reply):
    """What is queued, perhaps nothing."""

    board: int
    branches: tuple[Branch, ...]


class QueueDropped(Reply):
    """Nothing is queued now; `had` is whether anything was."""

    board: int
    had: bool


class BadQueue(CommandError):
    """Nothing was queued, since the line is wrong at `word`, which follows `before`.

    For `why` see `queue_notation.Misread` and `conditional_moves.Misfit`. `ready` are lines that would work,
    `to_move` is the player whose move is expected at `word`.
    """

    game: str
    before: str
    word: str
    why: queue_notation.Why | conditional_moves.Why
    rule: int = 0
    ready: tuple[str, ...] = ()
    to_move: str = ""


class QueueOnTurn(CommandError):
    """It is the sender's turn, and no branch of the line answers what was played. `ready` begins with a move.

    `moved`: the sender has moved since the board they reply to was sent.
    """

    ready: str
    moved: bool = False


_OFF: Final = frozenset({"off", "none", "nothing", "drop", "cancel", "clear", "stop"})


def run(request: Request, records: Queries, now: datetime) -> Decision:
    """Shows, drops or stores what the player has queued; on their own turn the first move is played at once."""
    board, seat = find_seat(request, records)
    require_may_act(board, seat, "queue", None)
    said = request.arguments.ahead
    had = conditional_moves.branches_of(records.plan(board.match.number, seat, "queue"))
    if not said:
        return _about(board, QueueShown(board.match.number, had))
    if said.lower().strip(".!") in _OFF:
        return _about(board, QueueDropped(board.match.number, bool(had)), *_dropped(board, seat, bool(had)))
    if queue_notation.is_wrapped(said, request.comment):
        raise _misread(board, seat, Misread(said, "", "wrapped"))
    read = queue_notation.read(said)
    if isinstance(read, Misread):
        raise _misread(board, seat, read, _kept(board, seat, said))
    if board.state.to_move == seat:
        return _on_turn(board, seat, read, request, records, now)
    tree = checked(board, seat, from_now(board, seat, read))
    if isinstance(tree, Misfit):
        raise _misfit(board, tree)
    return _about(board, MovesQueued(board.match.number, tree, bool(had)), _stored(board, seat, tree))


def _about(board: GameState, reply: MovesQueued | QueueShown | QueueDropped, *changes: Change) -> Decision:
    return Decision(reply, shown=(BoardRef(board.match.number),), changes=changes)


def _stored(board: GameState, seat: Seat, tree: tuple[Branch, ...]) -> NewConditionalPlan:
    plan = conditional_moves.plan_of(board, tree)
    return NewConditionalPlan(board.match.number, seat, "queue", plan.plies, plan.content)


def _dropped(board: GameState, seat: Seat, had: bool) -> tuple[Change, ...]:
    return (DroppedConditionalPlan(board.match.number, seat, "queue"),) if had else ()


def _on_turn(
    board: GameState,
    seat: Seat,
    tree: tuple[Branch, ...],
    request: Request,
    records: Queries,
    now: datetime,
) -> Decision:
    """Plays the answer to the others' last moves, or the move without a condition; queues what follows it."""
    meant, number = request.arguments.ply, board.match.number
    has_moved = meant is not None and meant - 1 < _last_own_ply(board, seat)
    fits = (
        now for now, said in zip(from_now(board, seat, tree), tree, strict=True) if said.others and not now.others
    )
    branch = next(fits, None) or conditional_moves.fitting(tree, ())
    if branch is None or has_moved:
        raise QueueOnTurn(board=number, ready=_beginning(board, seat, tree), moved=has_moved)
    played = play_ply(board, seat, branch.answer, None, records, now)
    (after,) = played.boards
    rest = checked(after, seat, branch.then, (played.entries[0].text.lower(),))
    if isinstance(rest, Misfit):
        raise _misfit(board, rest)
    had = records.plan(number, seat, "queue") is not None
    return replace(played, changes=(_stored(after, seat, rest),) if rest else _dropped(board, seat, had))


def _last_own_ply(board: GameState, seat: Seat) -> int:
    return max((turn.ply for turn in board.state.turns if turn.seat == seat and turn.ply is not None), default=0)


def from_now(board: GameState, seat: Seat, tree: tuple[Branch, ...]) -> tuple[Branch, ...]:
    """The tree without the moves at the start of its conditions that were played since the player's last move.

    The sender may not have known of these moves, and they fit.
    """
    since = _last_own_ply(board, seat)
    played = conditional_moves.played_since(board, since)
    if not played:
        return tree
    count, is_all = len(played), board.state.to_move == seat
    return tuple(
        replace(branch, others=branch.others[count:])
        if (len(branch.others) == count if is_all else len(branch.others) > count)
        and _are_same(board, since, branch.others[:count], played)
        else branch
        for branch in tree
    )


def _are_same(board: GameState, since: int, texts: tuple[str, ...], played: tuple[str, ...]) -> bool:
    """Whether the texts mean the moves that were played after ply `since`."""
    game = rules_of(board.match)
    for ply, (text, move) in enumerate(zip(texts, played, strict=True), since):
        position = board.at(ply).state.position
        try:
            if game.read(position, text) != game.read(position, move):
                return False
        except MoveError:
            return False
    return True


def that_fits(ready: str, board: GameState, seat: Seat) -> tuple[str, bool]:
    """The line, if it can be queued; else its first move, if the seat can play it; else an example.

    Also returns whether it is only an example. Empty if nobody can play.
    """
    if board.state.status != "active":
        return "", False
    line = ready.removeprefix(f"queue {board.match.number} ")
    tree = queue_notation.read(line)
    if not isinstance(tree, Misread) and not isinstance(checked(board, seat, from_now(board, seat, tree)), Misfit):
        return ready, False
    first = next((word for word in line.split() if word != "if"), "")
    if is_legal(board, seat, first):
        return f"move {board.match.number} {first}", False
    return f"queue {board.match.number} {example(board, seat)}", True


def _kept(board: GameState, seat: Seat, said: str) -> tuple[str, ...]:
    """The `queue` line for alternating moves written without the words between them, if they can be played."""
    line = queue_notation.in_turns(said.split(), is_own=board.state.to_move == seat)
    tree = queue_notation.read(line)
    is_possible = not isinstance(tree, Misread) and not isinstance(checked(board, seat, tree), Misfit)
    return (line,) if is_possible else ()


def _beginning(board: GameState, seat: Seat, tree: tuple[Branch, ...]) -> str:
    """A line that begins with a move of the seat's own, followed by the rest as written."""
    game, position, number = rules_of(board.match), board.state.position, board.match.number
    text = example(board, seat)
    after = replace(board, state=replace(board.state, position=game.play(position, game.read(position, text))[0]))
    rest = checked(after, seat, tree)
    return (
        f"queue {number} {text if isinstance(rest, Misfit) else queue_notation.write((Branch((), text, rest),))}"
    )


def _misread(board: GameState, seat: Seat, wrong: Misread, kept: tuple[str, ...] = ()) -> BadQueue:
    number = board.match.number
    choices = wrong.choices or kept or (example(board, seat),)
    ready = tuple(f"queue {number} {line}" for line in choices)
    return BadQueue(
        board=number,
        game=board.match.game,
        before=echo_words(wrong.before),
        word=echo_words(wrong.word),
        why=wrong.why,
        ready=ready,
    )


def _misfit(board: GameState, wrong: Misfit) -> BadQueue:
    number, before = board.match.number, " ".join(wrong.before)
    return BadQueue(
        board=number,
        game=board.match.game,
        before=before,
        word=wrong.word,
        why=wrong.why,
        rule=wrong.rule,
        ready=tuple(" ".join(f"queue {number} {before} {line}".split()) for line in wrong.choices),
        to_move="" if wrong.to_move is None else board.match.userids[wrong.to_move],
    )


command = Command(
    name="queue",
    forms=("[game] queue board [userid password] [moves]",),
    summary="queue your answers to what the others may play",
    example="queue 101 if b2 then c3; if d4 then e5 if a1 then a2",
    run=run,
    scope="board",
)


class QueuePlayed(Reply, place="below"):
    """The owner's queued `moves` were played, as written in the log."""

    moves: tuple[str, ...]


class QueueFailed(Reply):
    """The owner's queued moves are dropped, because they no longer fit."""

    board: int
    failed: conditional_moves.FailedQueue


def play_on(decision: Decision, records: Queries, now: datetime) -> Decision:
    """The decision with all queued moves that fit on the boards whose logs it adds to.

    Call it once, at the end of each decision on a board: by a command, the clock or the operator.
    """
    changed = {entry.match for entry in decision.entries}
    for board in decision.boards:
        if board.match.number in changed:
            find = partial(_queue, decision, records, board)
            decision = _with(decision, board, conditional_moves.play_queues(board, find, now))
    return decision


def _queue(decision: Decision, records: Queries, board: GameState, seat: Seat) -> ConditionalPlan | None:
    """A seat's queue, from the decision so far, or else from the records."""
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


def _with(decision: Decision, before: GameState, played: QueueResult) -> Decision:
    if not played.plans:
        return decision
    boards = tuple(played.board if board is before else board for board in decision.boards)
    remarks = (*decision.remarks, *_remarks(decision, played))
    if isinstance(decision.reply, MovePlayed):
        mover = decision.entries[0].seat
        userids = before.match.userids
        told = tuple(
            ("" if entry.seat == mover else userids[entry.seat or 0], entry.text) for entry in played.entries
        )
        decision = replace(decision, reply=replace(decision.reply, answers=told))
    return replace(
        decision,
        entries=(*decision.entries, *played.entries),
        boards=boards,
        changes=(*decision.changes, *_changes(played)),
        remarks=remarks,
    )


def _changes(played: QueueResult) -> Iterator[Change]:
    match = played.board.match
    if played.board.on_turn is None:
        yield from (DroppedConditionalPlan(match.number, seat, "queue") for seat, _ in enumerate(match.userids))
        return
    for seat, plan in (played.plans or {}).items():
        if plan is None:
            yield DroppedConditionalPlan(match.number, seat, "queue")
        else:
            yield NewConditionalPlan(match.number, seat, "queue", plan.plies, plan.content)


def _remarks(decision: Decision, played: QueueResult) -> Iterator[Remark]:
    """Remarks to the owners of queues, except that the mover reads in the answer what was played."""
    match = played.board.match
    told = decision.entries[0].seat if isinstance(decision.reply, MovePlayed) else None
    for seat, userid in enumerate(match.userids):
        moves = tuple(entry.text for entry in played.entries if entry.seat == seat)
        if moves and seat != told:
            yield Remark(match.number, userid, QueuePlayed(moves))
    for failed in played.failed:
        yield Remark(match.number, match.userids[failed.seat], QueueFailed(match.number, failed))
