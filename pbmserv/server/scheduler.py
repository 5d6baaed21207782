"""The scheduler and its jobs, retention, and the heartbeats of all parts."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

from pbmserv.server.parts import LONGEST_PAUSE, Part
from pbmserv.services.admin.upgrade import recount_ratings
from pbmserv.services.app import App, utc_now
from pbmserv.services.scheduler.clocks import look_after_clocks
from pbmserv.services.scheduler.digests import send_digests
from pbmserv.services.scheduler.dump import dump_last_month
from pbmserv.services.scheduler.expiry import expire, record_heartbeat, tell_over
from pbmserv.services.scheduler.receipts import send_receipts
from pbmserv.services.scheduler.retention import Purged
from pbmserv.services.scheduler.retention import purge as purge
from pbmserv.store.engine import is_database_trouble
from pbmserv.store.heartbeats import SCHEDULER

HEARTBEAT_EVERY: Final = 60.0
"""Seconds between two heartbeats of a part."""

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
            log.warning("the %s could not record its heartbeat: %s", part, type(error).__name__)

    return beat


LOOK_EVERY: Final = 1.0


@dataclass(frozen=True, slots=True)
class Job:
    """Something that the scheduler does regularly."""

    name: str
    every: timedelta
    do: Callable[[App, datetime], bool]
    """Gives whether there is more to do at once."""


JOBS: Final[Sequence[Job]] = (
    Job("clocks", timedelta(minutes=1), look_after_clocks),
    Job("standstills", timedelta(minutes=1), tell_over),
    Job("digests", timedelta(minutes=1), send_digests),
    Job("receipts", timedelta(minutes=5), send_receipts),
    Job("offers", timedelta(hours=1), expire),
    Job("ratings", timedelta(seconds=5), recount_ratings),
)


def jobs_with(data: Path) -> Sequence[Job]:
    """All jobs, with those that write into the data folder."""
    return (*JOBS, Job("records", timedelta(hours=1), partial(dump_last_month, folder=data / "records")))


def scheduling(app: App, jobs: Sequence[Job] = JOBS) -> Part:
    """Runs the jobs. One that fails is logged and tried again; the others go on."""

    def run(stop: threading.Event) -> None:
        due = dict.fromkeys(jobs, 0.0)
        is_away = False
        # Before any job: what is due after an outage is known only once the outage is recorded.
        beat = heartbeat(app, SCHEDULER)
        while not stop.wait(LOOK_EVERY):
            beat()
            try:
                for job in jobs:
                    if time.monotonic() >= due[job] and not stop.is_set():
                        due[job] = time.monotonic() + _pause_after(app, job)
            except Exception as error:
                if not is_database_trouble(error):
                    raise
                if not is_away:
                    log.error("the database is away (%s); the scheduler waits for it", type(error).__name__)
                is_away = True
                stop.wait(LONGEST_PAUSE)
                continue
            if is_away:
                log.info("the database is back for the scheduler")
                is_away = False

    return run


def _pause_after(app: App, job: Job) -> float:
    """Runs a job once, and gives the seconds until its next run."""
    try:
        has_more = job.do(app, utc_now())
    except Exception as error:
        if is_database_trouble(error):
            raise
        log.exception("the scheduled job %s failed: %s", job.name, type(error).__name__)
        has_more = False
    return 0.0 if has_more else job.every.total_seconds()


# Counted from the start, so that a jump of the clock does not trigger it. By then a wrong clock is set.
FIRST_PURGE_AFTER: Final = 600.0
PURGE_EVERY: Final = 24 * 3600.0
PURGE_AGAIN_AFTER: Final = 3600.0

PURGE_REST: Final = 0.05
"""Seconds between two batches, so that others get SQLite's write lock."""


def purging(app: App, keep: timedelta, first_after: float = FIRST_PURGE_AFTER, every: float = PURGE_EVERY) -> Part:
    """Purges what is older than `keep`: first after `first_after` seconds, then every `every` seconds."""

    def run(stop: threading.Event) -> None:
        pause = first_after
        while not stop.wait(pause):
            try:
                done = _purge(app, keep, stop)
            except Exception as error:
                # Retention can wait, games cannot.
                log.error("retention failed (%s), next try in an hour", type(error).__name__)
                pause = PURGE_AGAIN_AFTER
                continue
            if done != Purged():
                log.info("retention: %s", summary_of(done))
            pause = every

    return run


def summary_of(done: Purged) -> str:
    """What was done, in a sentence for the operator."""
    return f"{done.received} received mails, {done.sent} sent mails and {done.bounces} bounces were deleted"


def _purge(app: App, keep: timedelta, stop: threading.Event) -> Purged:
    done = Purged()
    now = utc_now()
    for step in purge(app, now - keep, now):
        done += step
        if stop.wait(PURGE_REST):
            break
    return done
