"""Contests: fair to both sides, the same again, and what they come to."""

from itertools import count

import pytest

from pbmserv.games import games
from pbmserv.robots.contest import (
    Contest,
    Effort,
    PairResult,
    UnknownRobot,
    contestant,
    ladder_of,
    play_pair,
    result_of,
)
from pbmserv.robots.levels import Looseness


def no_time() -> float:
    """A clock that stands."""
    return 0.0


def test_the_same_again() -> None:
    """With the same seed and number; other seeds and other numbers give other games."""
    contest = Contest("reversi", ("greedy", "random"), {"size": "6"})
    first = [play_pair(contest, number, no_time) for number in range(4)]
    assert [play_pair(contest, number, no_time) for number in range(4)] == first
    other = Contest("reversi", ("greedy", "random"), {"size": "6"}, seed=1)
    assert [play_pair(other, number, no_time) for number in range(4)] != first


def test_both_sides_are_counted_for_whom_they_are() -> None:
    """The stronger robot wins from both sides, whichever is named first."""
    strong_first = Contest("tic-tac-toe", ("search:200", "random"))
    points = [play_pair(strong_first, number, no_time).points for number in range(6)]
    assert sum(map(sum, points)) > 10
    weak_first = Contest("tic-tac-toe", ("random", "search:200"))
    assert sum(sum(play_pair(weak_first, number, no_time).points) for number in range(6)) < 2


def test_what_moves_take() -> None:
    """Time goes by between two looks at the clock, one tick a move; what is proven takes fewer iterations."""
    ticks = count()
    pair = play_pair(Contest("tic-tac-toe", ("search:30", "random")), 0, lambda: float(next(ticks)))
    mine, others = pair.efforts
    assert mine.seconds == mine.moves
    assert mine.milliseconds_a_move == 1000
    assert 1 < mine.iterations_a_move <= 30
    assert others.iterations_a_move == 1
    assert 0 <= mine.moves + others.moves <= 2 * 7


def test_a_share_of_the_iterations() -> None:
    """It makes searches shorter, but none of them nothing."""
    for share, iterations in ((0.1, 3), (0.001, 1)):
        pair = play_pair(Contest("reversi", ("search:30", "random"), share=share), 0, no_time)
        assert iterations - 0.5 < pair.efforts[0].iterations_a_move <= iterations


def test_three_seats() -> None:
    """They are shared in turns; swapping makes up for whoever has two of them."""
    contest = Contest("cephalopod", ("greedy", "random"), {"size": "3x3"}, seats=3)
    result = result_of(play_pair(contest, number, no_time) for number in range(10))
    assert result.wins + result.losses + result.draws == 20
    assert result.score > 8


def test_results() -> None:
    """Points of games, not of pairs; efforts of each robot."""
    efforts = Effort(2, 0.5, 10), Effort(3, 0.25, 6)
    result = result_of([PairResult((1.0, 0.5), efforts), PairResult((0.0, 1.0), efforts)])
    assert (result.wins, result.losses, result.draws, result.score) == (2, 1, 1, 2.5)
    assert result.efforts == (Effort(4, 1.0, 20), Effort(6, 0.5, 12))
    assert result.efforts[0].milliseconds_a_move == 250


def test_names() -> None:
    """Rungs, plain robots, and searches at any budget; greedy only where there are scores."""
    cephalopod, hex_game = games()["cephalopod"], games()["hex"]
    position = cephalopod.start(2, {})
    assert ladder_of(cephalopod, position)[:2] == ("random", "greedy")
    assert "greedy" not in ladder_of(hex_game, hex_game.start(2, {}))
    for name in ladder_of(cephalopod, position):
        assert contestant(name, cephalopod, position).iterations > 0
    level = contestant("best:70:0.5", cephalopod, position)
    assert (level.iterations, level.temperature) == (70, Looseness(0.5))
    assert contestant("search:70", cephalopod, position).temperature == 0


@pytest.mark.parametrize(
    "name", ["nobody", "search", "search:", "search:x", "search:0", "best:1:-1", "best:1:2:3"]
)
def test_names_of_nobody(name: str) -> None:
    """They are told what would do."""
    game = games()["cephalopod"]
    with pytest.raises(UnknownRobot) as error:
        contestant(name, game, game.start(2, {}))
    assert error.value.known[:2] == ("random", "greedy")
    assert error.value.name == name
