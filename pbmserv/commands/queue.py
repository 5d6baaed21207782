"""`queue`: conditional moves, which are played as soon as they fit. Only their owner is told."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import ClassVar, Final

from pbmserv.commands.base import queue_notation
from pbmserv.commands.base.arguments import BoardArguments, BoardRef
from pbmserv.commands.base.changes import Change, DroppedConditionalPlan, NewConditionalPlan
from pbmserv.commands.base.decision import Decision, Reply, ShownBoards
from pbmserv.commands.base.echo import echo_words
from pbmserv.commands.base.lookup import find_seat
from pbmserv.commands.base.queue_notation import Misread
from pbmserv.commands.base.registry import PlayerCommand
from pbmserv.commands.base.request import PlayerRequest
from pbmserv.commands.move import play_ply
from pbmserv.games.game import MoveError, Seat
from pbmserv.matches import conditional_check
from pbmserv.matches.conditional_check import Misfit, checked, example
from pbmserv.matches.conditional_moves import Branch, branches_of, fitting, plan_of, played_since
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import rules_of
from pbmserv.matches.moves import is_legal, require_may_act
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import GameState


@dataclass(frozen=True, slots=True)
class QueueArguments(BoardArguments):
    """A board, and conditional moves as written."""

    ahead: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class MovesQueued(Reply):
    """The moves will be played when they fit. `replaced`: in the place of others."""

    template: ClassVar[str] = "commands/queue.txt:moves_queued"

    board: int
    branches: tuple[Branch, ...]
    replaced: bool


@dataclass(frozen=True, slots=True)
class QueueShown(Reply):
    """What is queued, perhaps nothing."""

    template: ClassVar[str] = "commands/queue.txt:queue_shown"

    board: int
    branches: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class QueueDropped(Reply):
    """Nothing is queued any more; `had` tells whether anything was."""

    template: ClassVar[str] = "commands/queue.txt:queue_dropped"

    board: int
    had: bool


@dataclass(kw_only=True)
class BadQueue(CommandError):
    """Nothing was queued, since the line is wrong at `word`, which stands behind `before`.

    What each `why` means is told in `queue_lines.Misread` and `queue_check.Misfit`. `ready` are lines that would
    do, `to_move` who has to play where something else stands.
    """

    template: ClassVar[str] = "commands/queue.txt:bad_queue"

    game: str
    before: str
    word: str
    why: queue_notation.Why | conditional_check.Why
    rule: int = 0
    ready: tuple[str, ...] = ()
    to_move: str = ""


@dataclass(kw_only=True)
class QueueOnTurn(CommandError):
    """It is the sender's own turn, and nothing of the line answers what was played. `ready` begins with a move.

    `moved`: they have moved since they were sent the board that they answer.
    """

    template: ClassVar[str] = "commands/queue.txt:queue_on_turn"

    ready: str
    moved: bool = False


_OFF: Final = frozenset({"off", "none", "nothing", "drop", "cancel", "clear", "stop"})


def run(request: PlayerRequest[QueueArguments], records: Queries, now: datetime) -> Decision:
    """Shows, drops or stores what the player has queued; on their own turn the first move is played at once."""
    found = find_seat(request, records)
    board, seat = found
    require_may_act(board.match, board.state, seat, "queue", None)
    said = request.arguments.ahead
    had = branches_of(records.plan(board.match.number, seat, "queue"))
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
    return Decision(reply, shown=ShownBoards(boards=(BoardRef(board.match.number),)), changes=changes)


def _stored(board: GameState, seat: Seat, tree: tuple[Branch, ...]) -> NewConditionalPlan:
    plan = plan_of(board, tree)
    return NewConditionalPlan(board.match.number, seat, "queue", plan.plies, plan.content)


def _dropped(board: GameState, seat: Seat, had: bool) -> tuple[Change, ...]:
    return (DroppedConditionalPlan(board.match.number, seat, "queue"),) if had else ()


def _on_turn(
    board: GameState,
    seat: Seat,
    tree: tuple[Branch, ...],
    request: PlayerRequest[QueueArguments],
    records: Queries,
    now: datetime,
) -> Decision:
    """Plays what answers the others' last moves, or the move without a condition; queues what follows on it."""
    meant, number = request.arguments.ply, board.match.number
    has_moved = meant is not None and meant - 1 < _last_own_ply(board, seat)
    fits = (
        now for now, said in zip(from_now(board, seat, tree), tree, strict=True) if said.others and not now.others
    )
    branch = next(fits, None) or fitting(tree, ())
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


def _are_same(board: GameState, since: int, texts: tuple[str, ...], played: tuple[str, ...]) -> bool:
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


def that_fits(ready: str, board: GameState, seat: Seat) -> tuple[str, bool]:
    """A line that queues, if it can; else the first move that it names, if a seat can play it; else an example.

    And whether it is but an example. Nothing where nobody can play.
    """
    if board.state.status != "active":
        return "", False
    line = ready.removeprefix(f"queue {board.match.number} ")
    tree = queue_notation.read(line)
    if not isinstance(tree, Misread) and not isinstance(checked(board, seat, from_now(board, seat, tree)), Misfit):
        return ready, False
    first = next((word for word in line.split() if word != "if"), "")
    if is_legal(board.match, board.state, seat, first):
        return f"move {board.match.number} {first}", False
    return f"queue {board.match.number} {example(board, seat)}", True


def _kept(board: GameState, seat: Seat, said: str) -> tuple[str, ...]:
    """The line of moves in turns that were written without the words between them, if it can be played."""
    line = queue_notation.in_turns(said.split(), is_own=board.state.to_move == seat)
    tree = queue_notation.read(line)
    is_possible = not isinstance(tree, Misread) and not isinstance(checked(board, seat, tree), Misfit)
    return (line,) if is_possible else ()


def _beginning(board: GameState, seat: Seat, tree: tuple[Branch, ...]) -> str:
    """A line that begins with a move of one's own, with what was written behind it."""
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


command = PlayerCommand(
    name="queue",
    kind="binding",
    forms=("[game] queue board [userid password] [moves]",),
    summary="queue your answers to what the others may play",
    example="queue 101 if b2 then c3; if d4 then e5 if a1 then a2",
    arguments=QueueArguments,
    run=run,
    help="commands/queue.txt:help_queue",
    scope="board",
)
