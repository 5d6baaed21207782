"""Fanorona: men, and what the mover can capture at once."""

from itertools import islice
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games import fanorona
from pbmserv.games.game import Game, Move
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.judge import Judge, Looked, likelihood

_SHARE: Final = 8.0
"""With all men of one side against none it is ahead by so much."""
_AT_ONCE: Final = 0.6
"""What a man is worth that the mover can capture, and may do without."""
_MOST_TRIED: Final = 60


def _look(_: Game, position: Any, __: Dice) -> Looked:
    """The mover has the men that the longest capture takes as good as captured."""
    own, theirs = (float(position.cells.count(side.mark)) for side in fanorona.info.sides)
    if position.turn:
        own, theirs = theirs, own
    theirs -= _AT_ONCE * max(_taken(position), default=0)
    first, second = likelihood(_SHARE * (own - theirs) / (own + theirs))
    return ((second, first) if position.turn else (first, second)), ()


def _taken(position: Any) -> list[int]:
    """How many men each of the captures takes that are looked at."""
    return [len(fanorona.play(position, move)[0].taken) for move in islice(fanorona.moves(position), _MOST_TRIED)]


def _likely(position: Any) -> tuple[list[Move], bool]:
    """All moves, those that capture most last."""
    found = list(fanorona.moves(position))
    ranked = sorted(
        (len(fanorona.play(position, move)[0].taken), number * 7919 % 101, number)
        for number, move in enumerate(found)
    )
    return [found[number] for _, _, number in ranked], True


judges: Final = MappingProxyType({"fanorona": Judge(_look, 0.3, _likely)})
