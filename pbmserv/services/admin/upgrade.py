"""A club that an older program kept is brought up to date: its schema, and the ratings that its games give."""

import logging
import time
from collections.abc import Callable
from datetime import datetime
from typing import Final

from sqlalchemy import Engine

from pbmserv.mail.log_words import pairs
from pbmserv.matches.log import BrokenLog
from pbmserv.services.admin.check import rate_anew
from pbmserv.services.app import App
from pbmserv.store import ratings
from pbmserv.store.engine import reading, run_again, writing
from pbmserv.store.schema import NEWEST, migrate, stored_version

log = logging.getLogger(__name__)


def renew(engine: Engine) -> None:
    """Brings the schema up to date, and rates the games of which nothing was ever rated. Raises OtherSchema.

    Nothing happens where all is so already. Games with a log that does not replay are reported, and left to the
    operator. What a migration leaves to be recounted is recounted before anybody sees it.
    """
    is_newest = stored_version(engine) == NEWEST
    migrate(engine)
    with reading(engine) as connection:
        pools = ratings.never_rated(connection)

    for pool in pools:

        def rate(pool: str = pool) -> None:
            with writing(engine) as connection:
                rate_anew(connection, pool)

        try:
            run_again(rate)
        except BrokenLog as error:
            log.error("the games from before are not rated %s", pairs(game=pool, error=str(error)))
    while not is_newest and _step(engine):
        pass


BATCH: Final = 10
"""Steps before the steward looks after its other duties."""

REST: Final = 0.01
"""Seconds between two steps, in which other processes can get hold of an SQLite file."""


def recount_ratings(app: App, now: datetime) -> bool:
    """Goes on with what is to be counted anew; whether there may be more."""
    return all(_step(app.engine) > 0 for _ in range(BATCH))


def recount_all(app: App, progress: Callable[[int, int], None] = lambda done, of: None) -> None:
    """Does all of it; `progress` is told how many of how many matches are done."""
    with reading(app.engine) as connection:
        total = sum(ratings.to_recount(connection, pool) for pool in ratings.recounted(connection))
    done = 0
    while count := _step(app.engine):
        done += count
        progress(min(done, total), total)


def _step(engine: Engine) -> int:
    """Counts some matches of each pool anew, and gives how many."""
    with reading(engine) as connection:
        pools = sorted(ratings.recounted(connection))
    count = sum(run_again(lambda each=pool: _recount(engine, each)) for pool in pools)  # type: ignore[misc]
    if count:
        time.sleep(REST)
    return count


def _recount(engine: Engine, pool: str) -> int:
    with writing(engine) as connection:
        return ratings.recount(connection, pool)
