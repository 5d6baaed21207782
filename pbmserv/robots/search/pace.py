"""How many iterations of `uct` a second are, so that a robot's rung means about the same time in every game.

Measured on 23 November 2026 with CPython 3.11 on one of two shared cores, some plies into a game. They are kept as
numbers, and not measured where the robot runs, so that it plays the same everywhere.
"""

from types import MappingProxyType
from typing import Any, Final

from pbmserv.games.game import Game

_MEASURED: Final = MappingProxyType(
    {
        "amazons": {100: 4800, 64: 7200, 36: 12_000},
        "antichess": {64: 8500},
        "atomic": {64: 3000},
        "brandubh": {49: 6000},
        "brazilian-draughts": {64: 9000},
        "breakthrough": {64: 25_000, 36: 30_000},
        "bridges": {572: 33, 320: 90, 140: 400},
        "catchup": {127: 2600, 61: 5000},
        "cephalopod": {25: 12_000, 15: 20_000},
        "checkers": {64: 16_000},
        "chess": {64: 3500},
        "clobber": {30: 13_000, 64: 4500, 100: 2200},
        "connect6": {361: 17_000},
        "crazyhouse": {64: 3000},
        "dots-and-boxes": {120: 600, 85: 800, 56: 1000, 33: 1200},
        "fanorona": {45: 1800},
        "five-or-pairs": {361: 20_000},
        "four-in-a-row": {42: 8000},
        "game-of-y": {190: 4400, 120: 6000, 91: 8000, 45: 12_000},
        "go": {361: 500, 169: 1000, 81: 1900},
        "gomoku": {361: 21_000, 225: 22_000, 169: 21_000},
        "havannah": {271: 3300, 169: 5000, 91: 7600, 61: 9500, 37: 12_000},
        "hex": {361: 4300, 196: 7000, 169: 7000, 121: 9000},
        "hnefatafl": {121: 4500},
        "infection": {49: 14_000, 25: 22_000},
        "international-draughts": {100: 6500},
        "kalah": {12: 25_000},
        "konane": {64: 20_000, 100: 11_000, 36: 30_000},
        "lasca": {49: 9000},
        "lines-of-action": {64: 14_000},
        "minishogi": {25: 4000},
        "morris": {24: 21_000},
        "oust": {361: 3600, 169: 5600, 81: 12_000},
        "oware": {12: 28_000},
        "reversi": {64: 17_000, 36: 21_000},
        "russian-draughts": {64: 11_500},
        "shogi": {81: 2500},
        "six-mens-morris": {16: 25_000},
        "slither": {225: 320, 169: 470, 81: 1400},
        "star-halma": {121: 2500},
        "tablut": {81: 5500},
        "tanbo": {361: 1600},
        "three-mens-morris": {9: 22_000},
        "tic-tac-toe": {9: 100_000},
        "tumbleweed": {169: 4300, 91: 7000, 61: 10_000},
        "twelve-mens-morris": {24: 14_000},
        "ultimate-tic-tac-toe": {81: 8000},
        "wall-race": {81: 2000},
        "xiangqi": {90: 3000},
    }
)
"""By game and cells of the board."""

_UNKNOWN: Final = MappingProxyType({25: 500})
"""A game that was not measured is taken to be slow: it may have to be played to its end."""

MOST: Final = 20_000
"""Iterations for one move, so that a tree takes some twenty megabytes and not hundreds."""


def iterations_in(seconds: float, game: Game, position: Any) -> int:
    """About how many iterations so many seconds are, on the board of a position; at most `MOST`."""
    cells = len(game.scene(position).board.names)
    measured = _MEASURED.get(game.info.name, _UNKNOWN)
    nearest = min(measured, key=lambda each: (abs(each - cells), each))
    pace = measured[nearest] * (nearest / cells) ** 2
    return max(1, min(MOST, round(seconds * pace)))
