"""Finds positions with one clearly best move: what a puzzle asks for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games.game import Game, Move, Seat, scores_of
from pbmserv.robots import greedy
from pbmserv.robots.levels import thinker_of
from pbmserv.robots.thought import Thought

MARGIN: Final = 0.25
"""How much more the best move must bring than any other, where a win brings 1 and a loss 0."""

FEWEST_MOVES: Final = 4
MOST_MOVES: Final = 60
"""With fewer legal moves there is nothing to find; of more not all could be looked at."""

LEAST_WORTH: Final = 0.4
"""Where the best move brings less, the game is lost anyway."""

WINNING: Final = 0.8
"""A best move that brings so much is said to win."""

_AGAIN: Final = 3
"""How many times the iterations that found a best move have to agree on it."""

_QUICK: Final = 5
"""A position is first looked at with a fifth of the iterations, and dropped if not half the margin shows."""

_MOST_FOLLOWING: Final = 4
"""Moves that are told of how the game may go on."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What is to be found in a position; moves are in stored notation."""

    best: str
    worth: float
    """What the best move brings, 0 to 1."""

    margin: float
    """How much less any other brings."""

    line: tuple[str, ...]
    """How the game may go on after it; at most a few moves."""

    replies: Mapping[str, str]
    """For each other move what the opponent best answers; empty where the game is over then."""

    @property
    def wins(self) -> bool:
        """Whether it is said to win."""
        return self.worth >= WINNING


@dataclass(frozen=True, slots=True)
class _Follow:
    """What comes after a move."""

    worth: float
    reply: str
    ends: bool
    """Whether the game is over after that move, or was so before it."""


def solution_of(
    game: Game, position: Any, seed: int, iterations: int, between: Callable[[], None] = lambda: None
) -> Solution | None:
    """What is to be found in a position with somebody to move; None if that is nothing, or too easy.

    The best move has to be best after `iterations`, again after three times as many, and against each other move
    after twice as many shared out among them. It must not end the game, nor be the only one that does not lose at
    once; and where there are scores, it must not be the one that gains most at once. `between` is called between
    two thoughts, and may raise.
    """
    seat = game.to_move(position)
    moves = list(islice(game.moves(position), MOST_MOVES + 1))
    if seat is None or not FEWEST_MOVES <= len(moves) <= MOST_MOVES:
        return None
    if not _is_promising(_think(game, position, seed, iterations // _QUICK)):
        return None
    between()
    best = _found(_think(game, position, seed, iterations))
    if best is None or _is_easy(game, position, best, len(moves)):
        return None
    between()
    if _found(_think(game, position, seed + 1, _AGAIN * iterations)) != best:
        return None
    after, _ = game.play(position, best)
    worth = _follow(game, after, seat, seed, iterations).worth
    replies: dict[str, str] = {}
    margin, is_forced = 1.0, True
    for move in moves:
        there, _ = game.play(position, move)
        if there == after:
            continue
        between()
        follow = _follow(game, there, seat, seed, max(100, 2 * iterations // len(moves)))
        margin = min(margin, worth - follow.worth)
        if margin < MARGIN:
            return None
        replies[game.write(position, move)] = follow.reply
        is_forced = is_forced and follow.ends
    if is_forced:
        return None
    line = tuple(_line(game, after, seed, iterations))
    return Solution(game.write(position, best), worth, margin, line, MappingProxyType(replies))


def _think(game: Game, position: Any, seed: int, iterations: int) -> Thought:
    return thinker_of(game, position).think(game, position, seed, iterations)


def _is_promising(thought: Thought) -> bool:
    first, *others = thought.candidates
    return bool(others) and first.value - others[0].value >= MARGIN / 2


def _found(thought: Thought) -> Move | None:
    """The best move of a thought, if it is clearly so."""
    first, *others = thought.candidates
    if first.value < LEAST_WORTH or not others:
        return None
    return first.move if first.value - others[0].value >= MARGIN else None


def _is_easy(game: Game, position: Any, best: Move, count: int) -> bool:
    """Whether a move ends the game, or is what one takes who does not look further."""
    if game.outcome(game.play(position, best)[0]) is not None:
        return True
    return bool(scores_of(game, position)) and best in greedy.best_at_once(game, position, 0, count)


def _follow(game: Game, position: Any, seat: Seat, seed: int, iterations: int) -> _Follow:
    """What a position is worth to a seat, and the best move there."""
    outcome = game.outcome(position)
    if outcome is not None:
        first = outcome.ranks[seat] == 1
        return _Follow(0.5 if outcome.ranks.count(1) > 1 else float(first), "", ends=True)
    thought = _think(game, position, seed, iterations)
    move = thought.candidates[0].move
    is_over = game.outcome(game.play(position, move)[0]) is not None
    return _Follow(thought.values[seat], game.write(position, move), is_over)


def _line(game: Game, position: Any, seed: int, iterations: int) -> list[str]:
    """How the game may go on from a position."""
    line: list[str] = []
    while len(line) < _MOST_FOLLOWING and game.outcome(position) is None:
        move = _think(game, position, seed, iterations).candidates[0].move
        line.append(game.write(position, move))
        position, _ = game.play(position, move)
    return line
