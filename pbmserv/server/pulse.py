"""The pulse of a part: it says once a minute that it lives, and at once what troubles it. Nothing of it raises."""

import logging
import time
from collections.abc import Callable
from typing import Final

from pbmserv.mail.log_words import pairs
from pbmserv.services.admin.pulse import record_heartbeat, record_trouble
from pbmserv.services.app import App, utc_now
from pbmserv.store.engine import cause_of

HEARTBEAT_EVERY: Final = 60.0
"""Seconds between two heartbeats of a part."""

AGAIN_AFTER: Final = 5.0
"""Seconds until it is tried again to store what could not be."""

log = logging.getLogger(__name__)


def heartbeat(app: App, part: str) -> Callable[[], None]:
    """A function that a part calls while all is well, as often as it likes. Records a heartbeat once a minute.

    It never raises. All parts of one kind share a heartbeat: as long as one of them lives, mail gets in.
    """
    due = 0.0

    def beat() -> None:
        nonlocal due
        if time.monotonic() < due:
            return
        due = time.monotonic() + HEARTBEAT_EVERY
        try:
            record_heartbeat(app, part, utc_now())
        except Exception as error:
            # The part goes on with its work. The next heartbeat records the outage, if there was one.
            log.warning("a heartbeat could not be recorded %s", pairs(part=part, error=cause_of(error)))

    return beat


class Complaint:
    """What keeps a part from its work, where `status` finds it. Stored when it changes."""

    def __init__(self, app: App, part: str) -> None:
        self._app, self._part = app, part
        # What an earlier process has left is not known, so the first word is always stored.
        self._stored: str | None = None
        self._again_at = 0.0

    def say(self, said: str) -> None:
        """Tells it in a sentence without secrets; "": nothing does. May be called as often as one likes."""
        if said == self._stored or time.monotonic() < self._again_at:
            return
        try:
            record_trouble(self._app, self._part, said, utc_now())
        except Exception as error:
            self._again_at = time.monotonic() + AGAIN_AFTER
            told = pairs(part=self._part, error=cause_of(error))
            log.warning("what troubles a part could not be recorded %s", told)
        else:
            self._stored = said
