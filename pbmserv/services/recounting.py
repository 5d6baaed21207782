"""Counting ratings anew after an old game has come out otherwise: in short transactions: others write between.

How far that has come stands in the database. Whoever died over it, the steward goes on.
"""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Final

from pbmserv.services.house import House
from pbmserv.store import ratings
from pbmserv.store.engine import reading, run_again, writing

BATCH: Final = 10
"""Steps before the steward looks after its other duties."""

REST: Final = 0.01
"""Seconds between two steps, in which other processes can get hold of an SQLite file."""


def recount_ratings(house: House, now: datetime) -> bool:
    """Goes on with what is to be counted anew; whether there may be more."""
    return all(_step(house) > 0 for _ in range(BATCH))


def recount_all(house: House, progress: Callable[[int, int], None] = lambda done, of: None) -> None:
    """Does all of it; `progress` is told how many of how many matches are done."""
    with reading(house.engine) as connection:
        total = sum(ratings.to_recount(connection, game) for game in ratings.recounted(connection))
    done = 0
    while count := _step(house):
        done += count
        progress(min(done, total), total)


def _step(house: House) -> int:
    """Counts some matches of each game anew, and gives how many."""
    with reading(house.engine) as connection:
        games = sorted(ratings.recounted(connection))
    count = sum(run_again(lambda each=game: _recount(house, each)) for game in games)  # type: ignore[misc]
    if count:
        time.sleep(REST)
    return count


def _recount(house: House, game: str) -> int:
    with writing(house.engine) as connection:
        return ratings.recount(connection, game)
