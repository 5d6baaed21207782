"""The scheduler and its jobs, and retention."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from pbmserv.mail.log_words import pairs
from pbmserv.server.parts import LONGEST_PAUSE, Part, heartbeat
from pbmserv.services.admin.check import recount_ratings
from pbmserv.services.admin.game_files import dump_last_month
from pbmserv.services.admin.status import Premises
from pbmserv.services.app import App, utc_now
from pbmserv.services.scheduler.alarms import watch
from pbmserv.services.scheduler.clocks import look_after_clocks
from pbmserv.services.scheduler.due import send_digest, send_puzzle
from pbmserv.services.scheduler.retention import Purged, expire, tell_over, tell_suspended
from pbmserv.services.scheduler.retention import purge as purge
from pbmserv.store.engine import cause_of, is_database_trouble
from pbmserv.store.operating import SCHEDULER

log = logging.getLogger(__name__)


SHORTEST_REST: Final = 0.1
"""Seconds between two rounds of jobs that have more to do."""


@dataclass(frozen=True, slots=True)
class Job:
    """Something that the scheduler does regularly."""

    name: str
    every: timedelta
    do: Callable[[App, datetime], bool]
    """Gives whether there is more to do at once."""
    first_after: timedelta = timedelta()
    """How long after the start it is done first."""
    at_once: int = 1
    """How often it is done, as long as there is more to do, before the other jobs have their turn."""

    def run(self, app: App, now: datetime) -> bool:
        """Does it; gives whether there may be more to do at once."""
        return all(self.do(app, now) for _ in range(self.at_once))


JOBS: Final[Sequence[Job]] = (
    Job("clocks", timedelta(minutes=1), look_after_clocks),
    Job("standstills", timedelta(minutes=1), tell_over, at_once=50),
    Job("last mails", timedelta(minutes=5), tell_suspended, at_once=50),
    Job("digests", timedelta(minutes=1), send_digest, at_once=50),
    Job("puzzles", timedelta(minutes=1), send_puzzle, at_once=50),
    Job("offers", timedelta(hours=1), expire),
    Job("ratings", timedelta(seconds=5), recount_ratings),
)


_SETTLED_AFTER: Final = timedelta(minutes=2)


def jobs_with(premises: Premises, operator: str = "") -> Sequence[Job]:
    """All jobs, with those that need the data folder; `operator` is mailed about trouble that lasts."""
    return (
        *JOBS,
        Job("records", timedelta(hours=1), partial(dump_last_month, folder=premises.data / "records")),
        # By then each part has said that it lives, or should have.
        Job("alarms", timedelta(minutes=1), partial(watch, premises=premises, operator=operator), _SETTLED_AFTER),
    )


def scheduling(app: App, jobs: Sequence[Job] = JOBS) -> Part:
    """Runs the jobs. One that fails is logged and tried again; the others go on."""

    def run(stop: threading.Event) -> None:
        due = {job: time.monotonic() + job.first_after.total_seconds() for job in jobs}
        is_away = False
        # Before any job: what is due after an outage is known only once the outage is recorded.
        beat = heartbeat(app, SCHEDULER)
        while not stop.wait(max(min(due.values(), default=0.0) - time.monotonic(), SHORTEST_REST)):
            beat()
            try:
                for job in jobs:
                    if time.monotonic() >= due[job] and not stop.is_set():
                        due[job] = time.monotonic() + _pause_after(app, job)
            except Exception as error:
                if not is_database_trouble(error):
                    raise
                if not is_away:
                    log.error("the database is away %s", pairs(part=SCHEDULER, error=cause_of(error)))
                is_away = True
                stop.wait(LONGEST_PAUSE)
                continue
            if is_away:
                log.info("the database is back %s", pairs(part=SCHEDULER))
                is_away = False

    return run


def _pause_after(app: App, job: Job) -> float:
    """Runs a job, and gives the seconds until its next run."""
    try:
        has_more = job.run(app, utc_now())
    except Exception as error:
        if is_database_trouble(error):
            raise
        log.exception("a scheduled job has failed %s", pairs(job=job.name, error=type(error).__name__))
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
                log.error("old mail could not be deleted, next try in an hour %s", pairs(error=cause_of(error)))
                pause = PURGE_AGAIN_AFTER
                continue
            if done != Purged():
                log.info("old mail was deleted %s", pairs(count=done.mails))
            pause = every

    return run


def _purge(app: App, keep: timedelta, stop: threading.Event) -> Purged:
    done, now = Purged(), utc_now()
    for step in purge(app, now - keep, now):
        done += step
        if stop.wait(PURGE_REST):
            break
    return done
