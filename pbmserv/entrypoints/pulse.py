"""The pulse of a part that mail or clocks depend on: while it beats, the part is alive and able."""

import logging
import time
from collections.abc import Callable
from typing import Final

from pbmserv.entrypoints.bootstrap import utc_now
from pbmserv.services.house import House
from pbmserv.services.steward.beats import beat

EVERY: Final = 60.0
"""Seconds between two beats."""

log = logging.getLogger(__name__)


def pulse(house: House, part: str) -> Callable[[], None]:
    """What a part calls as often as it likes while all is well; never raises, and does something once a minute.

    All parts of one kind share a pulse: as long as one of them lives, mail gets in.
    """
    due = 0.0

    def beats() -> None:
        nonlocal due
        if time.monotonic() < due:
            return
        due = time.monotonic() + EVERY
        try:
            beat(house, part, utc_now())
        except Exception as error:
            # The part has its own work to do; whatever it is, what was missed is noted with the next beat.
            log.warning("the %s is alive, but cannot tell: %s", part, type(error).__name__)

    return beats
