"""Cephalopod with three and more: what was learned for two, asked for each seat against all others."""

from math import exp
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games.game import Game
from pbmserv.robots.cephalopod.thinker import judge_for
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.judge import Judge, Looked


def _dice(_: Game, position: Any, __: Dice) -> Looked:
    """Each seat's chance to be ahead of each other one, by how they stand; those that have gone are behind."""
    judge, playing = judge_for(position), position.playing
    seats = len(playing) + sum(map(len, position.gone))
    # Rounded, so that it is the same on every machine.
    stands = {seat: round(exp(_SPREAD * judge.standing(position, seat)), 6) for seat in playing}
    rewards = [0.0] * seats
    for seat, own in stands.items():
        ahead = sum([own / (own + other) for rival, other in stands.items() if rival != seat])
        rewards[seat] = (ahead + seats - len(playing)) / (seats - 1)
    return tuple(rewards), ()


_SPREAD: Final = 0.7
"""How sure the judgement is taken to be: it was learned for two seats."""

judges: Final = MappingProxyType({"cephalopod": Judge(_dice, curiosity=0.3)})
