"""A planted blunder is always named: in sensible games of Cephalopod, and of others where nothing is known."""

from typing import Any, Final

import pytest

from pbmserv.games import games
from pbmserv.games.game import Game
from pbmserv.matches.evaluations import turning_points
from pbmserv.matches.log import Entry, Match
from pbmserv.matches.replay import GameState, replay
from pbmserv.robots.analysis import estimate, iterations_of
from pbmserv.robots.levels import thinker_of
from pbmserv.robots.thought import Dice
from pbmserv.services.teaching import extended
from tests.matches.test_evaluations import NOON

pytestmark = pytest.mark.slow

PLANTED: Final = 0.4
"""What the blunder costs at least."""

SURELY: Final = 4
"""How many times the iterations of an analysis it is made sure by."""

AFTERWARDS: Final = 8
"""So many plies follow the blunder."""


def planted(name: str, options: dict[str, str], seed: int, plies: int) -> tuple[GameState, int] | None:
    """A game played sensibly but for one blunder, up to some plies after it; the number of that move.

    None where no move of so many plies costs so much.
    """
    game, dice = games()[name], Dice(seed)
    position, moves, blunder = game.start(2, options), list[str](), 0
    while game.outcome(position) is None and len(moves) < (blunder + AFTERWARDS if blunder else plies):
        legal = list(game.moves(position))
        # Two plies by chance, so that each game is another one.
        move = legal[dice.below(len(legal))] if len(moves) < 2 else estimate(game, position, seed).best
        if not blunder and len(moves) >= plies // 4:
            found = _blunder(game, position)
            move, blunder = (found, len(moves) + 1) if found is not None else (move, 0)
        assert move is not None
        moves.append(game.write(position, move))
        position, _ = game.play(position, move)
    match = Match(101, name, game.info.rules, tuple(options.items()), False, ("ann", "bob"), "ann", NOON)
    seats = _seats(game, options, moves)
    entries = (Entry(101, seq, NOON, "played", seats[seq - 1], text) for seq, text in enumerate(moves, 1))
    return (replay(match.with_entries(tuple(entries))), blunder) if blunder else None


def _blunder(game: Game, position: Any) -> Any:
    """The move that a quick look likes least, if it costs so much, surely."""
    seat = game.to_move(position)
    assert seat is not None
    looked = thinker_of(game, position).think(game, position, 1, iterations_of(game, position)).candidates
    worst = min(looked, key=lambda each: each.value)
    if looked[0].value - worst.value < PLANTED:
        return None

    def worth(move: Any) -> float:
        return estimate(game, game.play(position, move)[0], 2, SURELY).chances[seat]

    return worst.move if worth(looked[0].move) - worth(worst.move) >= PLANTED + 0.05 else None


def _seats(game: Game, options: dict[str, str], moves: list[str]) -> list[int]:
    position, seats = game.start(2, options), []
    for text in moves:
        seats.append(game.to_move(position) or 0)
        position, _ = game.play(position, game.read(position, text))
    return seats


@pytest.mark.parametrize(
    ("name", "options", "plies"),
    [
        ("cephalopod", {"size": "3x5"}, 60),
        pytest.param(*("cephalopod", {"size": "5x5"}, 120), marks=pytest.mark.soak),
        pytest.param(*("four-in-a-row", {}, 28), marks=pytest.mark.soak),
        pytest.param(*("morris", {}, 36), marks=pytest.mark.soak),
        pytest.param(*("reversi", {"size": "6"}, 28), marks=pytest.mark.soak),
    ],
)
def test_a_planted_blunder_is_named(name: str, options: dict[str, str], plies: int) -> None:
    """In three games, each time as one of the two moves that lost most."""
    found = 0
    for seed in range(1, 20):
        made = planted(name, options, seed, plies)
        if made is None:
            continue
        board, blunder = made
        known = extended(board, (), lambda: True)
        named = turning_points(known)
        assert blunder in [each.ply for each in named], (seed, blunder, known[blunder - 1], named)
        found += 1
        if found == 3:
            return
    raise AssertionError(f"only {found} games with a blunder")
