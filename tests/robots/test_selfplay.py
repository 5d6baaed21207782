"""The trainer's compiled loops against the quick board, where numba is installed."""

from typing import Any

import pytest

from pbmserv.robots.cephalopod.table import unpacked
from pbmserv.robots.cephalopod.thinker import WindowJudge
from tests.robots.test_cephalopod_thinker import positions


@pytest.fixture(autouse=True)
def numba() -> None:
    """Skips where it is not installed; it is imported, which takes a second, only where something runs."""
    pytest.importorskip("numba")


@pytest.mark.slow
@pytest.mark.parametrize("size", ["3x5", "5x5"])
def test_judges_as_the_quick_board_does(size: str) -> None:
    """Same moves, same windows and nearly the same worth, all along a game; bytes are a little coarse."""
    import numpy as np

    from pbmserv.robots.cephalopod import train

    columns, rows = map(int, size.split("x"))
    arrays = train.layout_of(columns, rows)
    weights = train.untrained(columns, rows)
    chance = np.random.default_rng(1)
    weights[:] = chance.normal(0, 0.3, len(weights))
    judge = WindowJudge(columns, rows, unpacked(train.as_bytes(weights), columns * rows))
    for position in positions(size, 2):
        ground = judge.ground(position)
        on = train.scratch_for(arrays)
        for square, content in enumerate(ground.squares):
            if content:
                train.put(arrays, on, square, content, 1)
        moves = train.find_moves(arrays, on)
        lead = -ground.ahead if ground.turn else ground.ahead
        train.judge_moves(arrays, on, weights, moves, ground.turn, ground.empty, lead, ground.pips)
        looked: dict[Any, float] = {move: worth for worth, move in judge.look(ground)}
        assert moves == len(looked)
        for at in range(moves):
            beside = [int(arrays.neighbours[on.squares[at], place]) for place in range(4)]
            taken = [cell for place, cell in enumerate(beside) if on.masks[at] >> place & 1]
            worth = looked[(int(on.squares[at]), *sorted(taken))]
            assert worth == pytest.approx(1 / (1 + np.exp(-on.worths[at])), abs=0.05)


@pytest.mark.slow
def test_training_is_reproducible_and_teaches() -> None:
    """The same seed gives the same table; after a few thousand games it foresees who wins."""
    from pbmserv.robots.cephalopod import train

    first, again = (train.trained(3, 3, 3000, 7) for _ in range(2))
    assert first == again
    assert first != train.trained(3, 3, 3000, 8)
    judge = WindowJudge(3, 3, unpacked(first, 9))
    right = seen = 0
    for seed in range(200):
        *_, last = (position for position in positions("3x3", seed) if judge.ground(position).empty > 1)
        for worth, move in judge.look(judge.ground(last)):
            after = judge.after(judge.ground(last), move)
            if after.empty and abs(after.ahead) >= 3:
                seen += 1
                right += (worth > 0.5) == ((after.ahead > 0) == (last.turn == 0))
    assert right / seen > 0.8
