"""The setups of every game, of which the quick run takes some."""

from collections.abc import Iterable
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st

from pbmserv.games import games
from pbmserv.services.laws.setups import setups_of

NAMES = tuple(games())

QUICK = 2
"""How many setups of a game the quick run takes."""

SEEDS = st.integers(0, 2**32)
PLIES = st.integers(0, 120)
"""How far from the start a position is that is looked at."""


def cases(names: Iterable[str] = NAMES) -> list[Any]:
    """The setups as parameters: of each game all but a few are slow."""
    found = []
    for name in names:
        first, *others = setups_of(name)
        quick = {first, *Random(name).sample(others, min(QUICK - 1, len(others)))}
        for setup in (first, *others):
            marks = () if setup in quick else pytest.mark.slow
            found.append(pytest.param(setup, id=str(setup), marks=marks))
    return found
