"""Clocks that have stood still for long enough: opponents of a player whom no mail reaches are told that they run.

The player is told once mail arrives there again.
"""

import logging
from datetime import datetime
from functools import partial
from typing import Final

from pbmserv.services.bounce import notices_about
from pbmserv.services.house import House
from pbmserv.store import outbox, players, standstills
from pbmserv.store.engine import run_again, writing

BATCH: Final = 50

log = logging.getLogger(__name__)


def tell_over(house: House, now: datetime) -> bool:
    """Tells of standstills that are over, each in a transaction of its own; whether there may be more."""
    return all(run_again(partial(_tell_next, house, now)) for _ in range(BATCH))


def _tell_next(house: House, now: datetime) -> bool:
    with writing(house.engine) as connection:
        over = standstills.next_over(connection, now)
        if over is None:
            return False
        player = players.find_at(connection, over.address)
        if player is not None:
            letters = notices_about(connection, house, player, "mail/time_runs_on.txt", now)
            outbox.queue(connection, letters, now)
        standstills.told(connection, over.id, now)
    log.info("the clocks of player %d run on, though mail to them comes back", over.player_id)
    return True
