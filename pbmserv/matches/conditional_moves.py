"""Conditional moves and submitted moves: what a player plans on a board. Nobody else may know it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Literal

from pbmserv.games.game import MoveError, Seat, Unreadable
from pbmserv.matches.log import Entry, EntryKind, rules_of
from pbmserv.matches.next_state import entry_after
from pbmserv.matches.replay import GameState, fold

PlanKind = Literal["queue", "submit"]
"""Answers that play by themselves when they fit; a move that waits for `confirm`."""


@dataclass(frozen=True, slots=True)
class ConditionalPlan:
    """`plies` were played when it was made, or when what came before it was played; `content` is as stored."""

    plies: int
    content: Mapping[str, Any] = field(repr=False)


MOST_MOVES: Final = 100
DEEPEST: Final = 20

_TAKING_BACK: Final[frozenset[EntryKind]] = frozenset({"accepted", "rewound"})


@dataclass(frozen=True, slots=True)
class Branch:
    """When the others have played `others`, in order, until one's own turn, `answer` is played; `then` follows.

    Without `others` it is played whatever they have done. Moves are in lower case.
    """

    others: tuple[str, ...]
    answer: str
    then: "tuple[Branch, ...]" = ()


class TwoAnswers(Exception):
    """Two branches answer the same moves of the others differently: `others`, and the second `answer`."""

    def __init__(self, others: tuple[str, ...], answer: str) -> None:
        super().__init__(others, answer)
        self.others = others
        self.answer = answer


@dataclass(frozen=True, slots=True)
class Missed:
    """A seat's queue did not fit, and is dropped.

    `why`: the `others` played something it has no answer to; its `answer` cannot be played there; what it was
    made for has been taken back.
    """

    seat: Seat
    why: Literal["other", "answer", "taken back"]
    others: tuple[str, ...] = ()
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Ahead:
    """What came of queues: the entries that they brought, the board then, and what is queued by each seat now.

    Only seats whose queue has changed are in `plans`; None is for one that is used up or dropped.
    """

    board: GameState
    entries: tuple[Entry, ...] = ()
    plans: Mapping[Seat, ConditionalPlan | None] | None = None
    missed: tuple[Missed, ...] = ()


def joined(branches: Iterable[Branch], first_wins: bool = False) -> tuple[Branch, ...]:
    """The same tree with each condition once, in the order of their first mention.

    Raises TwoAnswers, unless the first answer to a condition wins.
    """
    found: dict[tuple[str, ...], Branch] = {}
    for branch in branches:
        same = found.get(branch.others)
        if same is None:
            found[branch.others] = branch
        elif same.answer == branch.answer:
            found[branch.others] = replace(same, then=(*same.then, *branch.then))
        elif not first_wins:
            raise TwoAnswers(branch.others, branch.answer)
    return tuple(replace(branch, then=joined(branch.then, first_wins)) for branch in found.values())


def count_moves(branches: Iterable[Branch]) -> int:
    """How many moves a tree holds, the others' and one's own."""
    return sum(len(branch.others) + 1 + count_moves(branch.then) for branch in branches)


def plan_of(board: GameState, branches: Iterable[Branch]) -> ConditionalPlan:
    """The tree as it is stored for a board as it stands: it is about what comes after its last ply."""
    return ConditionalPlan(board.state.plies, {"entries": board.state.entries, "branches": _stored(branches)})


def branches_of(plan: ConditionalPlan | None) -> tuple[Branch, ...]:
    """The tree of a stored plan, or none."""
    return () if plan is None else _read(plan.content["branches"])


def _stored(branches: Iterable[Branch]) -> list[Any]:
    return [[list(branch.others), branch.answer, _stored(branch.then)] for branch in branches]


def _read(stored: Iterable[Any]) -> tuple[Branch, ...]:
    return tuple(Branch(tuple(others), answer, _read(then)) for others, answer, then in stored)


def still_stands(board: GameState, plan: ConditionalPlan) -> bool:
    """Whether what was played when a plan was made has not been taken back since."""
    made_at = plan.content["entries"]
    since = board.match.entries[made_at:]
    if all(entry.kind not in _TAKING_BACK for entry in since):
        return True
    was = fold(replace(board.match, entries=board.match.entries[:made_at])).turns
    return board.state.turns[: len(was)] == was


def fitting(branches: Sequence[Branch], played: tuple[str, ...]) -> Branch | None:
    """The branch that answers what the others have played, in lower case."""
    by_condition = {branch.others: branch for branch in branches}
    return by_condition.get(played) or by_condition.get(())


def played_since(board: GameState, ply: int) -> tuple[str, ...]:
    """The moves after a ply, in lower case."""
    turns = board.state.turns
    return tuple(turn.move.lower() for turn in turns if turn.ply is not None and turn.move and turn.ply > ply)


def answers(board: GameState, find: Callable[[Seat], ConditionalPlan | None], now: datetime) -> Ahead:
    """What the queues of those on turn come to, one after the other, until one has nothing to say.

    `find` gives what a seat has queued. It ends since each ply uses up a level of somebody's tree.
    """
    plans: dict[Seat, ConditionalPlan | None] = {}
    entries: list[Entry] = []
    missed: list[Missed] = []
    while (seat := board.state.to_move) is not None:
        plan = plans[seat] if seat in plans else find(seat)
        if plan is None:
            break
        plans[seat] = None
        entry = _answer(board, seat, plan, now)
        if isinstance(entry, Missed):
            missed.append(entry)
            break
        branch, ply = entry
        entries.append(ply)
        board = board.apply(ply)
        rest = branch.then if branch.others else possible(board, seat, branch.then)
        plans[seat] = plan_of(board, rest) if rest and board.on_turn is not None else None
    return Ahead(board, tuple(entries), plans, tuple(missed))


def _answer(board: GameState, seat: Seat, plan: ConditionalPlan, now: datetime) -> tuple[Branch, Entry] | Missed:
    state, game = board.state, rules_of(board.match)
    if state.plies < plan.plies or not still_stands(board, plan):
        return Missed(seat, "taken back")
    others = played_since(board, plan.plies)
    branch = fitting(branches_of(plan), others)
    if branch is None:
        return Missed(seat, "other", others)
    try:
        move = game.read(state.position, branch.answer)
    except MoveError:
        return Missed(seat, "answer", others, branch.answer)
    text = game.write(state.position, move)
    return branch, entry_after(board.match, state, now, "played", seat, text)


def possible(board: GameState, seat: Seat, branches: Iterable[Branch]) -> tuple[Branch, ...]:
    """The branches that can still come true as a board stands, in stored notation.

    What follows on a move that was to be played whatever the others do can be known only when it was played.
    """
    return _possible(board, board.state.position, seat, branches)


def _possible(board: GameState, position: Any, seat: Seat, branches: Iterable[Branch]) -> tuple[Branch, ...]:
    found = []
    for branch in branches:
        try:
            found.append(_noted(board, position, seat, branch) if branch.others else branch)
        except MoveError:
            continue
    return joined(found, first_wins=True)


def _noted(board: GameState, position: Any, seat: Seat, branch: Branch) -> Branch:
    """A branch in stored notation. Raises MoveError where it cannot come true."""
    game, others = rules_of(board.match), []
    for text in branch.others:
        move = game.read(position, text)
        others.append(game.write(position, move).lower())
        position, _ = game.play(position, move)
    if game.to_move(position) != seat:
        raise Unreadable
    move = game.read(position, branch.answer)
    answer = game.write(position, move).lower()
    position, _ = game.play(position, move)
    return Branch(tuple(others), answer, _possible(board, position, seat, branch.then))
