"""Conditional moves and submitted moves: what a player plans on a board, and whether it can come true there.

Nobody else may know it. Each condition and each answer of a tree of queued moves must be legal.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any, Final, Literal

from pbmserv.games.game import Game, Illegal, Move, MoveError, Seat, Unfinished, Unreadable
from pbmserv.matches.log import Entry, EntryKind, rules_of
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
class FailedQueue:
    """A seat's queue that no longer fits the board.

    `why`: "other", the `others` made moves it has no answer to; "answer", its `answer` cannot be played there;
    "taken back", moves it was made after have been taken back.
    """

    seat: Seat
    why: Literal["other", "answer", "taken back"]
    others: tuple[str, ...] = ()
    answer: str = ""


@dataclass(frozen=True, slots=True)
class QueueResult:
    """The result of playing queued moves: the board, the new entries, the changed queues and the failed ones.

    `plans` has only the seats whose queue has changed; None means it is used up or dropped.
    """

    board: GameState
    entries: tuple[Entry, ...] = ()
    plans: Mapping[Seat, ConditionalPlan | None] | None = None
    failed: tuple[FailedQueue, ...] = ()


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


def play_queues(board: GameState, find: Callable[[Seat], ConditionalPlan | None], now: datetime) -> QueueResult:
    """Plays queued moves, seat after seat, until the seat on turn has none that fits.

    `find` returns a seat's queue. The loop ends because each ply uses up a level of somebody's tree.
    """
    plans: dict[Seat, ConditionalPlan | None] = {}
    entries: list[Entry] = []
    failed: list[FailedQueue] = []
    while (seat := board.state.to_move) is not None:
        plan = plans[seat] if seat in plans else find(seat)
        if plan is None:
            break
        plans[seat] = None
        found = _ply(board, seat, plan, now)
        if isinstance(found, FailedQueue):
            failed.append(found)
            break
        branch, ply = found
        entries.append(ply)
        board = board.apply(ply)
        rest = branch.then if branch.others else possible(board, seat, branch.then)
        plans[seat] = plan_of(board, rest) if rest and board.on_turn is not None else None
    return QueueResult(board, tuple(entries), plans, tuple(failed))


def _ply(board: GameState, seat: Seat, plan: ConditionalPlan, now: datetime) -> tuple[Branch, Entry] | FailedQueue:
    state, game = board.state, rules_of(board.match)
    if state.plies < plan.plies or not still_stands(board, plan):
        return FailedQueue(seat, "taken back")
    others = played_since(board, plan.plies)
    branch = fitting(branches_of(plan), others)
    if branch is None:
        return FailedQueue(seat, "other", others)
    try:
        move = game.read(state.position, branch.answer)
    except MoveError:
        return FailedQueue(seat, "answer", others, branch.answer)
    text = game.write(state.position, move)
    return branch, board.entry(now, "played", seat, text)


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


MOST_LOOKED_AT: Final = 1000
"""Positions that are looked at to find a reply after which a move without a condition is legal."""

_MOST_CHOICES: Final = 4

Why = Literal["unreadable", "illegal", "ambiguous", "over", "few", "many", "twice"]


@dataclass(frozen=True, slots=True)
class Misfit:
    """What is wrong at `word`, which stands behind `before` in the line.

    `why`: the word is no move, a `rule` forbids it, it could be several moves, the game is over there, another
    seat (`to_move`) is on turn where one's own answer stands (`few`: `before` ends before `then`), one's own seat
    where another one's move stands (`many`), the same condition was answered differently before. `choices` are
    what could stand in the word's place, to the end of a branch.
    """

    before: tuple[str, ...]
    word: str
    why: Why
    rule: int = 0
    choices: tuple[str, ...] = ()
    to_move: Seat | None = None


class _CannotBe(Exception):
    """The tree cannot come true; `misfit` tells where."""

    def __init__(self, misfit: Misfit) -> None:
        super().__init__(misfit)
        self.misfit = misfit


def checked(
    board: GameState, seat: Seat, branches: Iterable[Branch], before: tuple[str, ...] = ()
) -> tuple[Branch, ...] | Misfit:
    """The tree in stored notation, in lower case, as a seat queues it on a board as it stands; else a Misfit.

    `before` are the words of the line that stand before the tree. A move without a condition stays as written, and
    what follows on it too, since the position is not known in which it will be read.
    """
    try:
        return _Check(rules_of(board.match), seat).tree(board.state.position, tuple(branches), before)
    except _CannotBe as error:
        return error.misfit


def example(board: GameState, seat: Seat) -> str:
    """A branch that a seat could queue on a board as it stands."""
    game, position = rules_of(board.match), board.state.position
    said = _Check(game, seat).to_answer(position, _middle(game, position))
    return said if board.state.to_move == seat else f"if {said}"


@dataclass(slots=True)
class _Check:
    game: Game
    seat: Seat
    looks_left: int = field(default=MOST_LOOKED_AT)

    def tree(self, position: Any, branches: tuple[Branch, ...], before: tuple[str, ...]) -> tuple[Branch, ...]:
        """The tree in stored notation, from a position on. Raises _CannotBe."""
        found = tuple(self._branch(position, branch, before) for branch in branches)
        try:
            return joined(found)
        except TwoAnswers as error:
            path = (*before, "if", *error.others, "then") if error.others else before
            raise _CannotBe(Misfit(path, error.answer, "twice")) from error

    def _branch(self, position: Any, branch: Branch, before: tuple[str, ...]) -> Branch:
        if not branch.others:
            return self._whatever_comes(position, branch, (*before, "then") if before else ())
        path, others = (*before, "if"), []
        for place, text in enumerate(branch.others, 1):
            move = self._read(position, text, path, branch.others[place:], branch.answer)
            others.append(self.game.write(position, move).lower())
            position, _ = self.game.play(position, move)
            path = (*path, others[-1])
        return self._answered(position, branch, tuple(others), (*path, "then"))

    def _answered(self, position: Any, branch: Branch, others: tuple[str, ...], path: tuple[str, ...]) -> Branch:
        move = self._read(position, branch.answer, path, (), "")
        answer = self.game.write(position, move).lower()
        after, _ = self.game.play(position, move)
        return Branch(others, answer, self.tree(after, branch.then, (*path, answer)))

    def _whatever_comes(self, position: Any, branch: Branch, path: tuple[str, ...]) -> Branch:
        """The branch as it is, if some reply lets it come true; else what is wrong where it came furthest."""
        furthest: Misfit | None = None
        for reached in self._replies(position):
            try:
                self._answered(reached, branch, (), path)
            except _CannotBe as error:
                if furthest is None or len(error.misfit.before) > len(furthest.before):
                    furthest = error.misfit
            else:
                return branch
        raise _CannotBe(furthest or Misfit(path, branch.answer, "over"))

    def _replies(self, position: Any) -> Iterator[Any]:
        """Positions that the others can bring about until it is one's own turn, as many as may be tried."""
        if self.looks_left <= 0:
            return
        self.looks_left -= 1
        on_turn = self.game.to_move(position)
        if on_turn == self.seat:
            yield position
        elif on_turn is not None:
            for move in self.game.moves(position):
                yield from self._replies(self.game.play(position, move)[0])

    def _read(
        self, position: Any, text: str, before: tuple[str, ...], others: tuple[str, ...], answer: str
    ) -> Any:
        """The move of a text, behind which `others` and their `answer` stand; without one it is one's own."""
        is_own, ready = not answer, partial(self._ready, others=others, answer=answer)
        self.looks_left -= 1
        on_turn = self.game.to_move(position)
        if on_turn is None:
            raise _CannotBe(Misfit(before, text, "over"))
        if is_own and on_turn != self.seat:
            more = self._ready(position, (), answer=text)
            raise _CannotBe(Misfit(before[:-1], text, "few", choices=more, to_move=on_turn))
        if not is_own and on_turn == self.seat:
            raise _CannotBe(Misfit(before, text, "many", choices=(f"then {self._ready(position, ())[0]}",)))
        try:
            return self.game.read(position, text)
        except MoveError as error:
            raise _CannotBe(self._misfit(position, text, before, error, ready)) from error

    def _misfit(
        self,
        position: Any,
        text: str,
        before: tuple[str, ...],
        error: MoveError,
        ready: Callable[[Any, Iterable[Move]], tuple[str, ...]],
    ) -> Misfit:
        match error:
            case Illegal(rule=rule, near=near):
                return Misfit(before, text, "illegal", rule, ready(position, near))
            case Unfinished(begun=begun, fits=fits):
                found = fits or self.game.moves(position, begun)
                return Misfit(before, text, "ambiguous", 0, ready(position, found))
        return Misfit(before, text, "unreadable", 0, ready(position, ()))

    def _ready(
        self, position: Any, moves: Iterable[Move], others: tuple[str, ...] = (), answer: str = ""
    ) -> tuple[str, ...]:
        """What can stand from there to the end of a branch, beginning with these moves, or with any."""
        first = list(islice(moves, _MOST_CHOICES)) or [_middle(self.game, position)]
        return tuple(self.to_answer(position, move, others, answer) for move in first)

    def to_answer(self, position: Any, move: Any, others: tuple[str, ...] = (), answer: str = "") -> str:
        """A legal move, and others up to one's own: to the end of a branch; where they can be, those written."""
        words = [self.game.write(position, move).lower()]
        was_own = self.game.to_move(position) == self.seat
        while not was_own:
            position, _ = self.game.play(position, move)
            on_turn = self.game.to_move(position)
            if on_turn is None:
                break
            was_own = on_turn == self.seat
            said, others = (answer, others) if was_own else (" ".join(others[:1]), others[1:])
            move = self._written(position, said)
            words += ["then"] * was_own + [self.game.write(position, move).lower()]
        return " ".join(words)

    def _written(self, position: Any, text: str) -> Any:
        """The move that a text means, or any where it means none."""
        try:
            return self.game.read(position, text)
        except MoveError:
            return _middle(self.game, position)


def _middle(game: Game, position: Any) -> Any:
    legal = list(islice(game.moves(position), MOST_LOOKED_AT))
    return legal[len(legal) // 2]
