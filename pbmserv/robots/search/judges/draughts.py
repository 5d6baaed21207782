"""Draughts, lasca and fanorona: men and kings, how far they are, and what can be captured."""

from collections.abc import Callable
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games import fanorona, lasca
from pbmserv.games.defaults import EMPTY
from pbmserv.games.game import Game, Move
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.judge import Judge, Looked, likelihood, rewards_of

_KING: Final = 1.6
_FLYING_KING: Final = 3.0
_STEP: Final = 0.03
"""What a man gains by a step forward."""
_GUARD: Final = 0.35
"""What each further piece of its own on top of a column adds to it."""
_SHARE: Final = 9.0


def _once_quiet(count: Callable[[Any, Any], tuple[float, float]], game: Game, position: Any, dice: Dice) -> Looked:
    """What both sides have after captures by chance: who must capture hasn't got the say."""
    while True:
        moves = list(game.moves(position))
        if not moves:
            outcome = game.outcome(position)
            assert outcome is not None
            return rewards_of(outcome.ranks), ()
        if "x" not in game.write(position, moves[0]):
            break
        position, _ = game.play(position, moves[dice.below(len(moves))])
    first, second = count(game, position)
    return likelihood(_SHARE * (first - second) / (first + second)), ()


def _draughtsmen(worth_of_king: float, game: Any, position: Any) -> tuple[float, float]:
    cells, size = position.cells, game.size
    worth = [0.0, 0.0]
    for seat in (0, 1):
        man, up = game.men[seat], game.goes_up(seat)
        worth[seat] += cells.count(man) + worth_of_king * cells.count(game.kings[seat])
        place = cells.find(man)
        while place >= 0:
            row = place % size
            worth[seat] += _STEP * (row if up else size - 1 - row)
            place = cells.find(man, place + 1)
    return worth[0], worth[1]


def _columns(_: Any, position: Any) -> tuple[float, float]:
    worth = [0.01, 0.01]
    for cell, column in enumerate(position.cells):
        if column == EMPTY:
            continue
        seat = lasca.SOLDIERS.find(column[-1].lower())
        row = cell % lasca.SIZE
        is_officer = column[-1] in lasca.OFFICERS
        ahead = 0.0 if is_officer else _STEP * (row if seat == 0 else lasca.SIZE - 1 - row)
        own = lasca.SOLDIERS[seat] + lasca.OFFICERS[seat]
        guards = len(column) - len(column.rstrip(own)) - 1
        worth[seat] += (_KING if is_officer else 1.0) + ahead + _GUARD * guards
    return worth[0], worth[1]


_FLYING: Final = ("international-draughts", "brazilian-draughts", "russian-draughts")


_SHARE_OF_MEN: Final = 8.0
"""With all men of one side against none it is ahead by so much."""
_AT_ONCE: Final = 0.6
"""What a man is worth that the mover can capture, and may do without."""
_MOST_TRIED: Final = 60


def _men_and_captures(_: Game, position: Any, __: Dice) -> Looked:
    """The mover has the men that the longest capture takes as good as captured."""
    own, theirs = (float(position.cells.count(side.mark)) for side in fanorona.info.sides)
    if position.turn:
        own, theirs = theirs, own
    theirs -= _AT_ONCE * max(_taken(position), default=0)
    first, second = likelihood(_SHARE_OF_MEN * (own - theirs) / (own + theirs))
    return ((second, first) if position.turn else (first, second)), ()


def _taken(position: Any) -> list[int]:
    """How many men each of the captures takes that are looked at."""
    return [len(fanorona.play(position, move)[0].taken) for move in islice(fanorona.moves(position), _MOST_TRIED)]


def _capturing_most(position: Any) -> tuple[list[Move], bool]:
    """All moves, those that capture most last."""
    found = list(fanorona.moves(position))
    ranked = sorted(
        (len(fanorona.play(position, move)[0].taken), number * 7919 % 101, number)
        for number, move in enumerate(found)
    )
    return [found[number] for _, _, number in ranked], True


judges: Final = MappingProxyType(
    {
        "checkers": Judge(partial(_once_quiet, partial(_draughtsmen, _KING)), curiosity=0.3),
        "lasca": Judge(partial(_once_quiet, _columns), curiosity=0.3),
        **{
            name: Judge(partial(_once_quiet, partial(_draughtsmen, _FLYING_KING)), curiosity=0.3)
            for name in _FLYING
        },
        "fanorona": Judge(_men_and_captures, 0.3, _capturing_most),
    }
)
