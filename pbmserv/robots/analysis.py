"""What a robot makes of positions, for teaching: the chances, the best move and why, what another one costs.

It never plays. How long it thinks is fixed in iterations, and therefore what it finds. The reason of a move, what
it takes or prevents, is looked for by the rules of the game alone, one answer deep, and so in any game.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal, cast

from pbmserv.games.game import Event, Game, Move, Seat
from pbmserv.robots.levels import level_of, thinker_of
from pbmserv.robots.search import uct
from pbmserv.robots.thought import Thinker, Thought, shuffled

WITH_KNOWLEDGE: Final = 400
"""Iterations for a position where a thinker knows the game: a tenth of a second, or less."""

AS_MANY_AS: Final = "club"
"""The robot whose iterations are enough in any other game: a quarter of a second."""

DOUBTED: Final = 0.12
"""A move that seems to lose so much is looked at again, and more closely."""

CLOSELY: Final = 2
"""How many times the iterations that takes."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a position is worth."""

    chances: tuple[float, ...]
    """Of each seat, from 0, the last place, to 1, the first one."""

    best: Move | None
    """The best move; None when the game is over."""

    best_value: float
    """The chances of the seat that makes it, as they seem at first: rather too high."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A move beside the best one: what either brings to the seat that makes it."""

    best: Move
    best_value: float
    played_value: float


def iterations_of(game: Game, position: Any) -> int:
    """How long a position is thought about."""
    if thinker_of(game, position) is not cast(Thinker, uct):
        return WITH_KNOWLEDGE
    level = level_of(AS_MANY_AS, game, position)
    return WITH_KNOWLEDGE if level is None else level.iterations


def estimate(game: Game, position: Any, seed: int, times: float = 1) -> Estimate:
    """What a position is worth, after `times` as many iterations as usual. A finished game needs none."""
    outcome = game.outcome(position)
    if outcome is not None:
        return Estimate(outcome.shares, None, 0.0)
    thought = _thought(game, position, seed, times)
    first = thought.candidates[0]
    return Estimate(_chances(game, position, thought), first.move, first.value)


def compare(game: Game, position: Any, played: Move, before: Estimate, after: Estimate, seed: int) -> Comparison:
    """What a move has cost, from the estimates of the position and of the one that it led to.

    What a search gives the best move at its root is too high, the more so the less it has searched. So where the
    move seems to have cost anything, the better one is followed and judged from there, as the move itself is; and
    where it seems to have cost much, the better one is looked for again, and both are judged more closely.
    """
    seat = game.to_move(position)
    if seat is None or before.best is None:
        raise ValueError("nobody is to move")
    best, value = before.best, after.chances[seat]
    if best == played:
        return Comparison(played, value, value)
    if before.best_value - value < DOUBTED:
        return Comparison(best, max(before.best_value, value), value)
    instead = _after(game, position, best, seat, seed, 1)
    if instead - value >= DOUBTED:
        best = estimate(game, position, seed, CLOSELY).best or best
        if best == played:
            return Comparison(played, value, value)
        instead, value = (_after(game, position, move, seat, seed + 1, CLOSELY) for move in (best, played))
    return Comparison(best, max(instead, value), value)


def _after(game: Game, position: Any, move: Move, seat: Seat, seed: int, times: float) -> float:
    """The chances of a seat after its move."""
    return estimate(game, game.play(position, move)[0], seed, times).chances[seat]


def _thought(game: Game, position: Any, seed: int, times: float) -> Thought:
    iterations = max(1, round(times * iterations_of(game, position)))
    return thinker_of(game, position).think(game, position, seed, iterations)


def _chances(game: Game, position: Any, thought: Thought) -> tuple[float, ...]:
    """What the search expects for each seat; it knows better where it has searched to the end."""
    seat, value = game.to_move(position), thought.candidates[0].value
    if thought.is_proven and len(thought.values) == 2:
        return (value, 1 - value) if seat == 0 else (1 - value, value)
    return thought.values


HASTE: Final = 0.5
"""How long a hint is thought about, beside a position of an analysis."""

HintReason = Literal["only", "wins", "saves", "takes", "prevents", "promotes", "leads"]
"""There is no other move; it wins at once; most others lose at once; it takes something; it keeps the others from
taking something; a piece is promoted; it is the most promising one."""

_MOST_ANSWERS: Final = 400
"""Answers to a move that are looked at."""

_LOOKED_AT: Final = 2
"""Other moves after which all answers are looked at, and how many more are asked whether they allow the same."""
_ASKED: Final = 8

_NOTABLE: Final = 8
"""Answers that are remembered: the strongest."""

_MOST: Final = 0.6
"""The part of all other moves that must allow what a move prevents."""

_WINS: Final = 1000


@dataclass(frozen=True, slots=True)
class MoveReason:
    """Why a move is good; cells are numbers, moves are in stored notation."""

    kind: HintReason

    taken: tuple[int, ...] = ()
    """The cells on which it takes or turns what belongs to others."""

    is_turned: bool = False
    """Whether it turns that, and takes nothing."""

    threat: str = ""
    """The answer that other moves allow."""

    lost: int = 0
    """How many pieces that answer would take; 0 if it would win."""


def reason_for(game: Game, position: Any, move: Move, seed: int) -> MoveReason:
    """Why that move may be good in a position, in which somebody is to move."""
    seat = game.to_move(position)
    if seat is None:
        raise ValueError("nobody is to move")
    others = [each for each in islice(game.moves(position), 4 * _MOST_ANSWERS) if each != move]
    after, events = game.play(position, move)
    taken = taken_by(events, seat)
    is_turned = bool(taken) and not any(event.kind == "captured" for event in events)
    if _has_won(game, after, seat):
        return MoveReason("wins")
    if not others:
        return MoveReason("only")
    threat, gain = _prevented(game, position, after, shuffled(seed, others)[: _LOOKED_AT + _ASKED])
    if gain >= _WINS:
        return MoveReason("saves", threat=threat)
    if gain > len(taken):
        return MoveReason("prevents", threat=threat, lost=gain)
    if taken:
        return MoveReason("takes", taken, is_turned)
    is_promoted = any(event.kind == "promoted" and event.seat == seat for event in events)
    return MoveReason("promotes" if is_promoted else "leads")


def taken_by(events: Iterable[Event], seat: Seat) -> tuple[int, ...]:
    """The cells on which a seat's move took or turned what belonged to others, each once."""
    cells = [
        cell
        for event in events
        if (event.kind == "captured" and event.seat != seat) or (event.kind == "turned" and event.seat == seat)
        for cell in event.cells
    ]
    return tuple(dict.fromkeys(cells))


def _prevented(game: Game, position: Any, after: Any, others: list[Move]) -> tuple[str, int]:
    """The strongest answer that most other moves allow and this one does not, and what it gains; else "" and 0.

    It only counts as prevented where nothing as strong is possible instead.
    """
    left = _gains(game, after)
    strongest = max(left.values(), default=0)
    places = [game.play(position, each)[0] for each in others]
    notable: Counter[Move] = Counter()
    for place in places[:_LOOKED_AT]:
        notable.update({answer: gain for answer, gain in _gains(game, place).items() if gain > strongest})
    allowed: dict[Move, list[int]] = {
        answer: [gain for place in places if (gain := _gain_of(game, place, answer)) > strongest]
        for answer, _ in notable.most_common(_NOTABLE)
    }
    found = [
        (sorted(gains)[len(gains) // 2], answer)
        for answer, gains in allowed.items()
        if len(gains) >= _MOST * len(places)
    ]
    if not found:
        return "", 0
    gain, answer = max(found, key=lambda each: each[0])
    place = next(place for place in places if _gain_of(game, place, answer) > strongest)
    return game.write(place, answer), gain


def _gains(game: Game, position: Any) -> Mapping[Move, int]:
    """What each answer gains in a position."""
    return {answer: _gain_of(game, position, answer, True) for answer in _answers(game, position)}


def _answers(game: Game, position: Any) -> Iterable[Move]:
    return islice(game.moves(position), _MOST_ANSWERS) if game.to_move(position) is not None else ()


def _gain_of(game: Game, position: Any, answer: Move, is_legal: bool = False) -> int:
    """How many pieces an answer takes, more than any number if it wins; 0 where it is not possible."""
    seat = game.to_move(position)
    if seat is None or not (is_legal or answer in game.moves(position, answer)):
        return 0
    after, events = game.play(position, answer)
    if _has_won(game, after, seat):
        return _WINS
    points = sum(event.count for event in events if event.kind == "scored" and event.seat == seat)
    return max(points, len(taken_by(events, seat)))


def _has_won(game: Game, position: Any, seat: Seat) -> bool:
    outcome = game.outcome(position)
    return outcome is not None and outcome.ranks[seat] == 1 and outcome.ranks.count(1) == 1
