"""The robot of any game at half a second a move against greed, or chance where greed has nothing to go by.

`make bench-robots PART=general` plays up to 40 games each, stops where 36 are won or out of
reach, and prints a table: games, points (a draw counts half), iterations, milliseconds a move. `SHARE` of the
iterations is enough in nearly every game, so that it takes minutes and not hours.
"""

import os
import time
from typing import Any

import pytest

from pbmserv.games import games
from pbmserv.games.game import scores_of
from pbmserv.robots import greedy
from pbmserv.robots.levels import iterations_in
from pbmserv.robots.search import uct
from pbmserv.robots.thought import AnyMove, seed_of

GAMES, ENOUGH = 40, 36
ASKED_BY = "PBMSERV_BENCH_ROBOTS"
HALF_A_SECOND = 0.5
SHARE = {"dots-and-boxes": 10, "go": 2, "hnefatafl": 10}
"""Of the iterations of half a second one in so many is played; of those not named one in twenty."""

BOARDS = (
    *(("amazons", size, 2) for size in ("6", "8", "10")),
    ("antichess", "", 2),
    ("atomic", "", 2),
    ("brandubh", "", 2),
    ("brazilian-draughts", "", 2),
    ("breakthrough", "8", 2),
    ("bridges", "12", 2),
    ("catchup", "5", 2),
    ("cephalopod", "5x5", 3),
    ("checkers", "", 2),
    ("chess", "", 2),
    *(("clobber", size, 2) for size in ("6x5", "8x8", "10x10")),
    ("connect6", "", 2),
    ("crazyhouse", "", 2),
    ("dots-and-boxes", "5", 2),
    ("fanorona", "", 2),
    ("five-or-pairs", "", 2),
    ("four-in-a-row", "", 2),
    ("game-of-y", "13", 2),
    ("go", "13", 2),
    ("go", "9", 2),
    ("gomoku", "13", 2),
    ("havannah", "5", 2),
    ("havannah", "8", 2),
    ("hex", "11", 2),
    ("hex", "13", 2),
    ("hnefatafl", "", 2),
    *(("infection", size, 2) for size in ("7", "5")),
    ("international-draughts", "", 2),
    ("kalah", "", 2),
    ("konane", "8", 2),
    ("lasca", "", 2),
    ("lines-of-action", "", 2),
    ("minishogi", "", 2),
    ("morris", "", 2),
    ("oust", "9", 2),
    ("oware", "", 2),
    ("reversi", "8", 2),
    ("russian-draughts", "", 2),
    ("shogi", "", 2),
    ("six-mens-morris", "", 2),
    ("slither", "9", 2),
    ("star-halma", "", 2),
    ("tablut", "", 2),
    ("tanbo", "", 2),
    ("three-mens-morris", "", 2),
    ("tic-tac-toe", "", 2),
    ("tumbleweed", "5", 2),
    ("twelve-mens-morris", "", 2),
    ("ultimate-tic-tac-toe", "", 2),
    ("wall-race", "", 2),
    ("xiangqi", "", 2),
)


def series(
    name: str, size: str, seats: int, iterations: int, most: int, enough: float
) -> tuple[float, int, float]:
    """Points of the search, games played, and its milliseconds a move."""
    game = games()[name]
    other = greedy if scores_of(game, game.start(seats, {})) else AnyMove()
    points, played, spent, moves = 0.0, 0, 0.0, 0
    while played < most and points < enough and points + most - played >= enough:
        position: Any = game.start(seats, {"size": size} if size else {})
        own, ply = played % seats, 0
        while (seat := game.to_move(position)) is not None:
            begun = time.process_time()
            thinker: Any = uct if seat == own else other
            thought = thinker.think(
                game, position, seed_of(name, played, ply), iterations if seat == own else 1000
            )
            spent += (time.process_time() - begun) * (seat == own)
            moves += seat == own
            position, _ = game.play(position, thought.candidates[0].move)
            ply += 1
        outcome = game.outcome(position)
        assert outcome is not None
        first = outcome.ranks.count(1)
        points += outcome.shares[own] if seats == 2 else (outcome.ranks[own] == 1) / min(first, 2)
        played += 1
    return points, played, 1000 * spent / max(moves, 1)


@pytest.mark.skipif(ASKED_BY not in os.environ, reason="takes forty minutes: make bench-robots PART=general")
@pytest.mark.slow
@pytest.mark.parametrize(("name", "size", "seats"), BOARDS)
def test_half_a_second_is_enough(name: str, size: str, seats: int, capsys: pytest.CaptureFixture[str]) -> None:
    game = games()[name]
    position = game.start(seats, {"size": size} if size else {})
    iterations = iterations_in(HALF_A_SECOND, game, position) // SHARE.get(name, 20)
    points, played, milliseconds = series(name, size, seats, iterations, GAMES, ENOUGH)
    with capsys.disabled():
        print(
            f"\n{name:14} {size:4} {seats} seats: {points:4} of {played}, {iterations} its, {milliseconds:.0f} ms"
        )
    assert points >= ENOUGH


@pytest.mark.parametrize(("name", "size"), [("oware", ""), ("gomoku", "13"), ("hex", "11"), ("breakthrough", "6")])
def test_a_sample(name: str, size: str) -> None:
    """Four games with few iterations are won."""
    assert series(name, size, 2, 100, 4, 4)[0] >= 3.5
