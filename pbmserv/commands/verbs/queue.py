"""`queue`: moves that are played by themselves when what the others play fits."""

from dataclasses import replace
from datetime import datetime
from typing import Final

from pbmserv.commands import queue_lines
from pbmserv.commands.boards import find_seat
from pbmserv.commands.changes import Change, DroppedPlan, NewPlan
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.echoed import echoed_words
from pbmserv.commands.message import BoardRef, Request
from pbmserv.commands.queue_lines import Misread
from pbmserv.commands.refusals.queue import BadQueue, QueueOnTurn
from pbmserv.commands.replies.queue import Queued, QueueDropped, QueueShown
from pbmserv.commands.verbs.move import play_ply
from pbmserv.games.game import MoveError, Seat
from pbmserv.games.squares import is_square_like
from pbmserv.matches.match import rules_of
from pbmserv.matches.queue_check import Misfit, checked, example
from pbmserv.matches.queued import Branch, branches_of, fitting, plan_of, played_since
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused
from pbmserv.matches.replay import Replayed
from pbmserv.matches.turn import may_act

_OFF: Final = frozenset({"off", "none", "nothing", "drop", "cancel", "clear", "stop"})
_MOST_BELOW: Final = 5
_GOES_ON: Final = frozenset({"if", "then", "and", "or", "else", "otherwise"})


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Shows, drops or stores what the player has queued; on their own turn the first move is played at once."""
    found = find_seat(request, records)
    if isinstance(found, Refused):
        return found
    board, seat = found
    refused = may_act(board.match, board.state, seat, "queue", None)
    if refused is not None:
        return refused
    said = request.arguments.ahead
    had = branches_of(records.plan(board.match.number, seat, "queue"))
    if not said:
        return _about(board, QueueShown(board.match.number, had))
    if said.lower().strip(".!") in _OFF:
        return _about(board, QueueDropped(board.match.number, bool(had)), *_dropped(board, seat, bool(had)))
    if _is_wrapped(request):
        return _misread(board, seat, Misread(said, "", "wrapped"))
    read = queue_lines.read(said)
    if isinstance(read, Misread):
        return _misread(board, seat, read)
    if board.state.to_move == seat:
        return _on_turn(board, seat, read, request, records, now)
    tree = checked(board, seat, _from_now(board, seat, read))
    if isinstance(tree, Misfit):
        return _misfit(board, tree)
    return _about(board, Queued(board.match.number, tree, bool(had)), _stored(board, seat, tree))


def _about(board: Replayed, reply: Queued | QueueShown | QueueDropped, *changes: Change) -> Decision:
    return Decision(reply, shows=(BoardRef(board.match.number),), changes=changes)


def _stored(board: Replayed, seat: Seat, tree: tuple[Branch, ...]) -> NewPlan:
    plan = plan_of(board, tree)
    return NewPlan(board.match.number, seat, "queue", plan.plies, plan.content)


def _dropped(board: Replayed, seat: Seat, had: bool) -> tuple[Change, ...]:
    return (DroppedPlan(board.match.number, seat, "queue"),) if had else ()


def _on_turn(
    board: Replayed, seat: Seat, tree: tuple[Branch, ...], request: Request, records: Records, now: datetime
) -> Decision | Refused:
    """Plays what answers the others' last moves, or the move without a condition; queues what follows on it."""
    meant, number = request.arguments.ply, board.match.number
    has_moved = meant is not None and meant - 1 < _last_own_ply(board, seat)
    fits = (
        now for now, said in zip(_from_now(board, seat, tree), tree, strict=True) if said.others and not now.others
    )
    branch = next(fits, None) or fitting(tree, ())
    if branch is None or has_moved:
        return QueueOnTurn(board=number, ready=_beginning(board, seat, tree), moved=has_moved)
    played = play_ply(board, seat, branch.answer, None, records, now)
    if isinstance(played, Refused):
        return played
    (after,) = played.boards
    rest = checked(after, seat, branch.then, (played.entries[0].text.lower(),))
    if isinstance(rest, Misfit):
        return _misfit(board, rest)
    had = records.plan(number, seat, "queue") is not None
    return replace(played, changes=(_stored(after, seat, rest),) if rest else _dropped(board, seat, had))


def _last_own_ply(board: Replayed, seat: Seat) -> int:
    return max((turn.ply for turn in board.state.turns if turn.seat == seat and turn.ply is not None), default=0)


def _from_now(board: Replayed, seat: Seat, tree: tuple[Branch, ...]) -> tuple[Branch, ...]:
    """The tree without those moves of its first conditions that were played since the player's last one.

    Whoever wrote it may not have known of them yet, and they fit.
    """
    since = _last_own_ply(board, seat)
    played = played_since(board, since)
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


def _are_same(board: Replayed, since: int, texts: tuple[str, ...], played: tuple[str, ...]) -> bool:
    """Whether texts mean the moves that were played after a ply, the first after `since`."""
    game = rules_of(board.match)
    for ply, (text, move) in enumerate(zip(texts, played, strict=True), since):
        position = board.at(ply).state.position
        try:
            if game.read(position, text) != game.read(position, move):
                return False
        except MoveError:
            return False
    return True


def _beginning(board: Replayed, seat: Seat, tree: tuple[Branch, ...]) -> str:
    """A line that begins with a move of one's own, with what was written behind it."""
    game, position, number = rules_of(board.match), board.state.position, board.match.number
    text = example(board, seat)
    after = replace(board, state=replace(board.state, position=game.play(position, game.read(position, text))[0]))
    rest = checked(after, seat, tree)
    return f"queue {number} {text if isinstance(rest, Misfit) else queue_lines.write((Branch((), text, rest),))}"


def _is_wrapped(request: Request) -> bool:
    """Whether a mail program has broken the line: what stands below would go to the others as a comment."""
    *_, last = request.arguments.ahead.lower().split()
    below = [word.strip(",;:") for word in request.comment.lower().split()[:_MOST_BELOW]]
    is_open = last in _GOES_ON or last.endswith((";", ","))
    after = next((word for word in below if word and word not in _GOES_ON), "")
    return bool(below) and (is_open or (below[0] in {*_GOES_ON, ""} and is_square_like(after)))


def _misread(board: Replayed, seat: Seat, wrong: Misread) -> BadQueue:
    number = board.match.number
    choices = wrong.choices or (example(board, seat),)
    ready = tuple(f"queue {number} {line}" for line in choices)
    return BadQueue(
        board=number,
        game=board.match.game,
        before=echoed_words(wrong.before),
        word=echoed_words(wrong.word),
        why=wrong.why,
        ready=ready,
    )


def _misfit(board: Replayed, wrong: Misfit) -> BadQueue:
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
    kind="binding",
    forms=("[game] queue board [userid password] [moves]",),
    summary="say ahead of time what to play when the others have moved",
    example="queue 101 if b2 then c3; if d4 then e5 if a1 then a2",
    run=run,
    scope="board",
)
