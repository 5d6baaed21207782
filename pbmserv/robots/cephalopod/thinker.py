"""Thinks about Cephalopod between two: best-first search with the learned table, then endings to their end.

An ending is searched by alpha-beta with two values and a table of the positions that are decided. Moves after
which the other side has least for good come first, then those that the game's knowledge likes, so mostly the first
one it looks at wins.
"""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from operator import itemgetter
from typing import Any, Final, Protocol

from pbmserv.games.board import Board
from pbmserv.games.boards import squares
from pbmserv.games.cephalopod import FEWEST_TAKEN, MOST_PIPS, Position
from pbmserv.games.game import Game
from pbmserv.robots.cephalopod.table import (
    CONTENTS,
    PIPS_A_STEP,
    UNIT,
    ZERO,
    LearnedTable,
    first_numbers,
    table_of,
    windows,
)
from pbmserv.robots.search import puct
from pbmserv.robots.search.puct import LOST, WON, Knowledge
from pbmserv.robots.thought import Candidate, Thought

Placing = tuple[int, ...]
"""A move: the square of the new die, then those of the dice that it takes."""

OTHER: Final = 6
"""How much larger the content of a square is for a die of seat 1; 0 is an empty square, 1 to 6 are seat 0's."""


@dataclass(frozen=True, slots=True)
class Ground:
    """A position: contents of the squares, what each window shows (`table.STARTS`), counts, whose turn it is."""

    squares: tuple[int, ...]
    numbers: tuple[int, ...]
    turn: int
    empty: int
    ahead: int
    """Dice of seat 0 less those of seat 1."""
    pips: int
    """On all dice together."""


class WindowJudge:
    """Looks at positions of one board with its table (`search.puct.Knowledge`)."""

    def __init__(self, columns: int, rows: int, table: LearnedTable) -> None:
        self.table = table
        self._first = first_numbers(columns, rows)
        self._size = columns * rows
        self._neighbours = _neighbours(columns, rows)
        self._beside = tuple(itemgetter(*beside) for beside in self._neighbours)
        self._around = tuple(
            tuple(
                (beside, tuple(other for other in self._neighbours[beside] if other != square))
                for beside in self._neighbours[square]
            )
            for square in range(self._size)
        )
        self._changes = _changes(columns, rows)
        self._chances = _chances(len(self._first) + 2)

    def ground(self, position: Position) -> Ground:
        """A position of the game, as a search wants it."""
        squares, numbers = [0] * self._size, list(self._first)
        for square, (pips, owner) in enumerate(zip(position.pips, position.owners, strict=True)):
            if owner is not None:
                squares[square] = pips + OTHER * owner
                for window, change in self._changes[square][squares[square]]:
                    numbers[window] += change
        ahead = position.owners.count(0) - position.owners.count(1)
        return Ground(tuple(squares), tuple(numbers), position.turn, squares.count(0), ahead, sum(position.pips))

    def key(self, ground: Ground) -> tuple[tuple[int, ...], int]:
        """What tells positions apart."""
        return ground.squares, ground.turn

    def standing(self, position: Position, seat: int) -> float:
        """How a seat stands among any number: the logarithm of its odds after its move, as if all others were one.

        Its lead is counted before the average of the others.
        """
        squares = [
            0 if owner is None else pips if owner == seat else pips + OTHER
            for pips, owner in zip(position.pips, position.owners, strict=True)
        ]
        numbers = list(self._first)
        for changes, content in zip(self._changes, squares, strict=True):
            for window, change in changes[content]:
                numbers[window] += change
        pips, empty, own = sum(position.pips), squares.count(0), position.owners.count(seat)
        lead = round(own - (self._size - empty - own) / max(len(position.playing) - 1, 1)) + self._size
        row = 2 * self._size + 1
        total = sum(map(self.table.views[0][self.table.phase_of[pips]][empty % 2].__getitem__, numbers))
        total += self.table.by_empties[empty * row + lead] + self.table.by_pips[pips // PIPS_A_STEP * row + lead]
        return (total - ZERO * (len(numbers) + 2)) * UNIT

    def foresee(self, ground: Ground) -> float:
        """Whether a side has more than half of all squares for good: WON or LOST for the side to move, or between.

        A die stays for good if each square beside it does so too, or if from there it could be taken only together
        with dice that stay and show too much. A six always stays.
        """
        squares, around = ground.squares, self._around
        pips = [content - OTHER if content > OTHER else content for content in squares]
        # What each square shows for good; 0 where that may change.
        stays = [shown if shown == MOST_PIPS else 0 for shown in pips]
        loose = [square for square, shown in enumerate(pips) if 0 < shown < MOST_PIPS]
        found = True
        while found:
            found = False
            for square in loose:
                if stays[square]:
                    continue
                room = MOST_PIPS - pips[square]
                for beside, others in around[square]:
                    if not stays[beside] and not all(stays[other] > room for other in others):
                        break
                else:
                    stays[square] = pips[square]
                    found = True
        kept = [content for content, shown in zip(squares, stays, strict=True) if shown]
        of_second = sum([content > OTHER for content in kept])
        own = of_second if ground.turn else len(kept) - of_second
        if 2 * own > self._size:
            return WON
        if 2 * (len(kept) - own) > self._size:
            return LOST
        return 0.5 + (2 * own - len(kept)) / (2 * self._size + 2)

    def moves(self, ground: Ground) -> list[tuple[Placing, int]]:
        """All legal moves, each with the pips of the new die."""
        found: list[tuple[Placing, int]] = []
        squares = ground.squares
        for square, content in enumerate(squares):
            if not content:
                found += _placings(square, self._neighbours[square], self._beside[square](squares))
        return found

    def after(self, ground: Ground, move: Placing) -> Ground:
        """The position after a legal move."""
        square, *taken = move
        pips = 0
        turn, ahead = ground.turn, ground.ahead + (-1 if ground.turn else 1)
        squares, numbers, changes = list(ground.squares), list(ground.numbers), self._changes
        for each in taken:
            content = squares[each]
            squares[each] = 0
            is_other = content > OTHER
            pips += content - OTHER if is_other else content
            ahead += 1 if is_other else -1
            for window, change in changes[each][content]:
                numbers[window] -= change
        content = squares[square] = (pips or 1) + OTHER * turn
        for window, change in changes[square][content]:
            numbers[window] += change
        return Ground(
            tuple(squares),
            tuple(numbers),
            1 - turn,
            ground.empty - 1 + len(taken),
            ahead,
            ground.pips if taken else ground.pips + 1,
        )

    def look(self, ground: Ground) -> list[tuple[float, Placing]]:
        """All legal moves, each with its worth to the side to move."""
        turn, squares, changes, size = ground.turn, ground.squares, self._changes, self._size
        views, phases = self.table.views[turn], self.table.phase_of
        # A plain placement changes few windows, so the others are added up once.
        view = views[phases[ground.pips + 1]][(ground.empty - 1) % 2]
        capture_views = views[phases[ground.pips]]
        numbers = ground.numbers
        seen = [view[number] for number in numbers]
        whole = sum(seen)
        by_empties, by_pips = self.table.by_empties, self.table.by_pips
        row = 2 * size + 1
        own_ahead = size + (-ground.ahead if turn else ground.ahead) + 1
        most_own = OTHER * (turn + 1)
        looked: list[tuple[float, Placing]] = []
        for placing, pips in self.moves(ground):
            content = pips + OTHER * turn
            ahead, empty = own_ahead, ground.empty - 1
            if len(placing) == 1:
                total = whole
                for window, change in changes[placing[0]][content]:
                    total += view[numbers[window] + change] - seen[window]
                steps = (ground.pips + 1) // PIPS_A_STEP
            else:
                after = list(numbers)
                for each in placing[1:]:
                    taken = squares[each]
                    ahead += -1 if most_own - OTHER < taken <= most_own else 1
                    for window, change in changes[each][taken]:
                        after[window] -= change
                for window, change in changes[placing[0]][content]:
                    after[window] += change
                empty += len(placing) - 1
                total = sum(map(capture_views[empty % 2].__getitem__, after))
                steps = ground.pips // PIPS_A_STEP
            if empty:
                total += by_empties[empty * row + ahead] + by_pips[steps * row + ahead]
                looked.append((self._chances[total], placing))
            else:
                looked.append((WON if ahead > size else LOST, placing))
        return looked


def _neighbours(columns: int, rows: int) -> tuple[tuple[int, ...], ...]:
    """The squares beside each square."""
    return squares(columns, rows, width=1, empty=".").neighbours


@lru_cache(maxsize=2**16)
def _placings(square: int, beside: tuple[int, ...], contents: tuple[int, ...]) -> tuple[tuple[Placing, int], ...]:
    """The moves to an empty square, `beside` which these contents are seen, each with the pips of the new die."""
    pips = [content - OTHER if content > OTHER else content for content in contents]
    occupied = [place for place, shown in enumerate(pips) if shown]
    captures = tuple(
        ((square, *(beside[place] for place in chosen)), total)
        for count in range(FEWEST_TAKEN, len(occupied) + 1)
        for chosen in combinations(occupied, count)
        if (total := sum(pips[place] for place in chosen)) <= MOST_PIPS
    )
    return captures or (((square,), 1),)


@lru_cache(maxsize=8)
def _changes(columns: int, rows: int) -> tuple[tuple[tuple[tuple[int, int], ...], ...], ...]:
    """By square and content: the windows that see the square, and by how much their numbers grow for it."""
    seen_by: list[list[tuple[int, int]]] = [[] for _ in range(columns * rows)]
    for at, window in enumerate(windows(columns, rows)):
        for place, cell in enumerate(window.cells):
            seen_by[cell].append((at, CONTENTS**place))
    return tuple(
        tuple(tuple((window, unit * content) for window, unit in each) for content in range(CONTENTS))
        for each in seen_by
    )


@lru_cache(maxsize=8)
def _chances(weights: int) -> tuple[float, ...]:
    """The chance of winning by the sum of this many weights. Rounded, so that it is the same on every machine."""
    sums = range(2 * ZERO * weights)
    chances = [1 / (1 + math.exp((ZERO * weights - each) * UNIT)) for each in sums]
    return tuple(min(max(round(chance, 5), _LEAST), 1 - _LEAST) for chance in chances)


_LEAST: Final = 0.0005
"""Of a chance that is not certain."""


class Recalled(Knowledge, Protocol):
    """Knowledge of positions that can be told apart."""

    def key(self, position: Any) -> Hashable:
        """The same for two positions exactly if the same can happen in both."""

    def foresee(self, position: Any) -> float:
        """What is certain already, for the side to move: exactly WON or LOST where the game is settled by it.

        Else in between, the higher the more the side has for good.
        """


@dataclass(frozen=True, slots=True)
class Ending:
    """What is certain of a position."""

    worth: float | None
    """WON or LOST for the side to move; None where the nodes did not suffice."""
    move: Any
    """A move that wins; None where there is none, or none was found."""
    nodes: int
    """Positions that were looked at."""


def solve(knowledge: Recalled, position: Any, nodes: int) -> Ending:
    """Who wins, if that can be found out by looking at no more positions than `nodes`."""
    solver = _Solver(knowledge, nodes)
    try:
        move = solver.winning_move(position)
    except _TooLong:
        return Ending(None, None, nodes)
    return Ending(LOST if move is None else WON, move, nodes - solver.left)


class _TooLong(Exception):
    """All nodes were looked at."""


@dataclass(slots=True)
class _Solver:
    """One search: what is decided so far, and how many positions it may still look at."""

    knowledge: Recalled
    left: int
    decided: dict[Hashable, bool]

    def __init__(self, knowledge: Recalled, nodes: int) -> None:
        self.knowledge = knowledge
        self.left = nodes
        self.decided = {}

    def winning_move(self, position: Any) -> Any:
        """A move that wins; None if there is none."""
        if not self.left:
            raise _TooLong
        self.left -= 1
        knowledge = self.knowledge
        replies: list[tuple[float, float, int, Any, Any, Hashable]] = []
        for worth, move in knowledge.look(position):
            if worth == WON:
                return move
            if worth == LOST:
                continue
            after = knowledge.after(position, move)
            key = knowledge.key(after)
            # A move is the cheaper to decide on if it is known who wins after it.
            known = self.decided.get(key)
            certain = knowledge.foresee(after) if known is None else LOST
            if known is False or (known is None and certain == LOST):
                return move
            if known is None and certain < WON:
                replies.append((certain, -worth, len(replies), move, after, key))
        for _, _, _, move, after, key in sorted(replies):
            if not self._wins(after, key):
                return move
        return None

    def _wins(self, position: Any, key: Hashable) -> bool:
        known = self.decided.get(key)
        if known is None:
            known = self.decided[key] = self.winning_move(position) is not None
        return known


ENDING_FROM: Final = 5000
"""With fewer iterations endings are not searched to their end."""

NODES_AN_ITERATION: Final = 12
"""Positions of an ending that are looked at for each iteration of the search before it."""

LATE: Final = 20
"""Pips for ten squares with which an ending may begin: some 20 to 40 plies before the last one."""


def knows(position: Any) -> bool:
    """Whether the table covers a position: one with two seats."""
    return len(position.playing) == 2 and not position.gone


def think(game: Game, position: Any, seed: int, iterations: int) -> Thought:
    """The thought about a position that it `knows`, in which somebody is to move."""
    judge = judge_for(position)
    ground = judge.ground(position)
    root = puct.search(judge, ground, iterations, seed)
    thought = puct.thought(root, position.turn)
    if not thought.is_proven and iterations >= ENDING_FROM and 10 * ground.pips >= LATE * len(ground.squares):
        thought = _to_the_end(judge, ground, thought, iterations * NODES_AN_ITERATION)
    return thought


def _to_the_end(judge: WindowJudge, ground: Ground, thought: Thought, nodes: int) -> Thought:
    """The thought with what is certain, if `nodes` suffice to find it out."""
    ending = solve(judge, ground, nodes)
    if ending.worth is None:
        return thought
    values = (ending.worth, 1 - ending.worth) if ground.turn == 0 else (1 - ending.worth, ending.worth)
    if ending.move is None:
        # All moves lose; the one that the search likes best is hardest to answer.
        lost = tuple(Candidate(each.move, each.visits, puct.LOST) for each in thought.candidates)
        return Thought(lost, values, thought.iterations, True)
    best = next(each for each in thought.candidates if each.move == ending.move)
    others = tuple(each for each in thought.candidates if each.move != ending.move)
    return Thought((Candidate(best.move, best.visits, puct.WON), *others), values, thought.iterations, True)


def judge_for(position: Position) -> WindowJudge:
    """Who judges positions on the board of this one."""
    return _judge(position.board)


@lru_cache(maxsize=8)
def _judge(board: Board) -> WindowJudge:
    # The first column is A.
    rows = sum(name.startswith("A") for name in board.names)
    columns = len(board.names) // rows
    return WindowJudge(columns, rows, table_of(columns, rows))
