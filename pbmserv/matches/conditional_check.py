"""Whether a tree of queued moves can come true on a board: each condition and each answer must be legal there."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Final, Literal

from pbmserv.games.game import Game, Illegal, Move, MoveError, Seat, Unfinished
from pbmserv.matches.conditional_moves import Branch, TwoAnswers, joined
from pbmserv.matches.log import rules_of
from pbmserv.matches.replay import GameState

MOST_LOOKED_AT: Final = 1000
"""A move without a condition may be legal after some reply only; so many positions are looked at to find one."""

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
