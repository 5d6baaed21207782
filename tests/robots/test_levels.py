"""Levels: what a robot makes of a thought."""

from collections import Counter

import pytest

from pbmserv.games import games
from pbmserv.games.game import Move
from pbmserv.robots.levels import RUNGS, Looseness, chosen, level_of
from pbmserv.robots.thought import Candidate, Thought

GOOD, FAIR, BAD, LOST = (1,), (2,), (3,), (4,)
THOUGHT = Thought(
    (Candidate(GOOD, 8, 0.6), Candidate(FAIR, 2, 0.55), Candidate(BAD, 0, 0.2), Candidate(LOST, 0, 0.0)),
    (0.6, 0.4),
    10,
)


def played(temperature: float | Looseness, times: int = 4000) -> Counter[Move]:
    """How often each move is chosen."""
    return Counter(chosen(THOUGHT, temperature, seed) for seed in range(1, times + 1))


def test_without_temperature_the_best() -> None:
    """Whatever the seed."""
    assert played(0.0, 20) == {GOOD: 20}


def test_temperature_goes_by_tries() -> None:
    """At 1 each move as often as it was tried, at less the best more often."""
    warm = played(1.0)
    assert warm[GOOD] / 4000 == pytest.approx(0.8, abs=0.03)
    assert warm[BAD] == warm[LOST] == 0
    assert played(0.5)[GOOD] / 4000 == pytest.approx(16 / 17, abs=0.03)


def test_looseness_goes_by_what_is_expected() -> None:
    """Moves nearly as good nearly as often, tried or not; blunders seldom, more so if it is small."""
    loose, strict = played(Looseness(1.0)), played(Looseness(0.25))
    assert loose[FAIR] / loose[GOOD] == pytest.approx((0.55 / 0.45) / (0.6 / 0.4), abs=0.08)
    assert loose[GOOD] > loose[FAIR] > loose[BAD] > loose[LOST] > 0
    assert strict[FAIR] / strict[GOOD] == pytest.approx(0.44, abs=0.08)
    assert strict[BAD] < 30
    assert strict[LOST] == 0
    assert min(played(Looseness(50.0)).values()) > 700


def test_rungs() -> None:
    """All of them where the game is known, stronger ones never looser and never shorter of thought."""
    game = games()["cephalopod"]
    for size in ("5x5", "3x5"):
        levels = [level_of(name, game, game.start(2, {"size": size})) for name in RUNGS]
        found = [level for level in levels if level is not None]
        assert len(found) == len(RUNGS)
        assert [level.iterations for level in found] == sorted(level.iterations for level in found)
        amounts = [
            level.temperature.amount if isinstance(level.temperature, Looseness) else level.temperature
            for level in found
        ]
        assert amounts == sorted(amounts, reverse=True)
