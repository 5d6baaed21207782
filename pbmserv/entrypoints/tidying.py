"""Tidying: once a day inside `serve`, or at once by `pbmserv tidy` from a timer."""

import logging
import threading
import time
from datetime import timedelta
from typing import Final

from rich.progress import Progress

from pbmserv.entrypoints.bootstrap import utc_now
from pbmserv.entrypoints.parts import Part
from pbmserv.entrypoints.terminal import err, house_or_exit, out, settings_or_exit
from pbmserv.services.house import House
from pbmserv.services.steward.tidy import Tidied, count_old
from pbmserv.services.steward.tidy import tidy as tidy_house

# Counted from the start, so that no clock that jumps brings it about; by then a clock that was wrong is set.
FIRST_AFTER: Final = 600.0
EVERY: Final = 24 * 3600.0
AFTER_TROUBLE: Final = 3600.0

REST: Final = 0.05
"""Seconds between two batches, in which others get at a SQLite file."""

_SOON: Final = 2.0

log = logging.getLogger(__name__)


def tidying(house: House, keep: timedelta, first_after: float = FIRST_AFTER, every: float = EVERY) -> Part:
    """Lets go of what is older than `keep`, `first_after` seconds after the start and then `every` so many."""

    def run(stop: threading.Event) -> None:
        pause = first_after
        while not stop.wait(pause):
            try:
                done = _tidy(house, keep, stop)
            except Exception as error:
                # It can wait, whatever it is; playing cannot.
                log.error("tidying failed (%s), it is tried again in an hour", type(error).__name__)
                pause = AFTER_TROUBLE
                continue
            if done != Tidied():
                log.info("tidied: %s", told(done))
            pause = every

    return run


def tidy() -> None:
    """Let go of mails older than PBMSERV_KEEP_DAYS, once; `serve` does it daily by itself."""
    settings = settings_or_exit()
    house = house_or_exit(settings)
    keep = timedelta(days=settings.keep_days)
    done, began = Tidied(), time.monotonic()
    now = utc_now()
    with Progress(console=err, transient=True, disable=not err.is_terminal) as progress:
        task = progress.add_task("tidying", total=count_old(house, now - keep), visible=False)
        for step in tidy_house(house, now - keep, now):
            done += step
            progress.update(task, completed=done.mails, visible=time.monotonic() - began > _SOON)
            time.sleep(REST)
    house.engine.dispose()
    out.print(f"Older than {settings.keep_days} days: {told(done)}.", highlight=False, soft_wrap=True)


def told(done: Tidied) -> str:
    """What was done, in words for the operator."""
    return (
        f"{done.taken_in} mails taken in and {done.sent_emptied} sent were emptied, "
        f"{done.sent_deleted} sent and {done.bounces} bounces deleted"
    )


def _tidy(house: House, keep: timedelta, stop: threading.Event) -> Tidied:
    done = Tidied()
    now = utc_now()
    for step in tidy_house(house, now - keep, now):
        done += step
        if stop.wait(REST):
            break
    return done
