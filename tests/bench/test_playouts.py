"""How fast Cephalopod is: `pytest tests/bench --benchmark-only` prints rounds per second, and the ratios.

In the group "random 5x5 playouts" a round is one game of two players, played to its end by random moves. In the
group "fold" a round reads and plays the 139 moves of a finished game.
"""

from itertools import count
from random import Random

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from pbmserv.games import cephalopod
from tests.games.brute_force import Table

TYPICAL_PLIES = 139


def playout(seed: int) -> list[str]:
    """A random game on 5x5 by the engine: its moves."""
    random = Random(seed)
    position = cephalopod.start(2, {})
    texts = []
    while cephalopod.to_move(position) is not None:
        move = random.choice(list(cephalopod.moves(position)))
        texts.append(cephalopod.write(position, move))
        position, _ = cephalopod.play(position, move)
    return texts


def playout_by_brute_force(seed: int) -> list[str]:
    """The same by brute force."""
    random = Random(seed)
    table = Table(5, 5, 2)
    texts = []
    while table.result() is None:
        text = random.choice(list(table.legal()))
        texts.append(text)
        table.play(text)
    return texts


def fold(texts: list[str]) -> cephalopod.Position:
    """The position after all of `texts`, as when a stored match is read."""
    position = cephalopod.start(2, {})
    for text in texts:
        position, _ = cephalopod.play(position, cephalopod.read(position, text))
    return position


@pytest.mark.benchmark(group="random 5x5 playouts")
def test_engine(benchmark: BenchmarkFixture) -> None:
    seeds = count()
    texts = benchmark(lambda: playout(next(seeds)))
    assert len(texts) > 60


@pytest.mark.benchmark(group="random 5x5 playouts")
def test_brute_force(benchmark: BenchmarkFixture) -> None:
    seeds = count()
    texts = benchmark(lambda: playout_by_brute_force(next(seeds)))
    assert len(texts) > 60


@pytest.mark.benchmark(group="fold")
def test_fold_of_a_finished_game(benchmark: BenchmarkFixture) -> None:
    texts = next(texts for seed in count() if len(texts := playout(seed)) == TYPICAL_PLIES)
    position = benchmark(fold, texts)
    assert cephalopod.outcome(position) is not None
