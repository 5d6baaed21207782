"""The steward: what is done because of the hour, not because a mail has come. One thread goes round its duties.

Any number of stewards may run: each duty holds in the database what it does.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

from pbmserv.entrypoints.bootstrap import utc_now
from pbmserv.entrypoints.parts import LONGEST_PAUSE, Part
from pbmserv.entrypoints.pulse import pulse
from pbmserv.services.house import House
from pbmserv.services.recounting import recount_ratings
from pbmserv.services.steward.clocks import look_after_clocks
from pbmserv.services.steward.digests import send_digests
from pbmserv.services.steward.dump import dump_last_month
from pbmserv.services.steward.offers import expire
from pbmserv.services.steward.robots import play_robots
from pbmserv.services.steward.standstills import tell_over
from pbmserv.store.engine import is_database_trouble
from pbmserv.store.outages import STEWARD

LOOK_EVERY: Final = 1.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Duty:
    """Something to be done `every` so often; `do` tells whether there is more of it to do at once."""

    name: str
    every: timedelta
    do: Callable[[House, datetime], bool]


DUTIES: Final[Sequence[Duty]] = (
    Duty("clocks", timedelta(minutes=1), look_after_clocks),
    Duty("standstills", timedelta(minutes=1), tell_over),
    Duty("digests", timedelta(minutes=1), send_digests),
    Duty("offers", timedelta(hours=1), expire),
    Duty("ratings", timedelta(seconds=5), recount_ratings),
    Duty("robots", timedelta(seconds=2), play_robots),
)


def duties_with(data: Path) -> Sequence[Duty]:
    """All duties, with those that write into the data folder."""
    return (*DUTIES, Duty("records", timedelta(hours=1), partial(dump_last_month, folder=data / "records")))


def stewarding(house: House, duties: Sequence[Duty] = DUTIES) -> Part:
    """Goes round the duties; one that fails is told to the operator and tried again, and the others go on."""

    def run(stop: threading.Event) -> None:
        due = dict.fromkeys(duties, 0.0)
        is_away = False
        # Before anything else: what is due after an outage is known only once that is noted.
        beats = pulse(house, STEWARD)
        while not stop.wait(LOOK_EVERY):
            beats()
            try:
                for duty in duties:
                    if time.monotonic() >= due[duty] and not stop.is_set():
                        due[duty] = time.monotonic() + _pause_after(house, duty)
            except Exception as error:
                if not is_database_trouble(error):
                    raise
                if not is_away:
                    log.error("the database is away (%s); the steward waits for it", type(error).__name__)
                is_away = True
                stop.wait(LONGEST_PAUSE)
                continue
            if is_away:
                log.info("the database is back for the steward")
                is_away = False

    return run


def _pause_after(house: House, duty: Duty) -> float:
    """Does a duty once; how many seconds it rests then."""
    try:
        has_more = duty.do(house, utc_now())
    except Exception as error:
        if is_database_trouble(error):
            raise
        log.exception("the steward's %s failed: %s", duty.name, type(error).__name__)
        has_more = False
    return 0.0 if has_more else duty.every.total_seconds()
