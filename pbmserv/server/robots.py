"""The part in which robots think: processes of their own, so that mail does not wait for them.

Moves come first, then what somebody has asked for. What else there is to think about is done in the time that they
leave, and in a small part of it.
"""

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final

from pbmserv.mail.log_words import pairs
from pbmserv.server.parts import LOOK_ANYWAY_AFTER, ROBOTS_MAKE_WAY, Part, heartbeat, make_way, repeating
from pbmserv.services.app import App, utc_now
from pbmserv.services.robots import play_robots
from pbmserv.services.teaching import analyse_asked, find_puzzle, teach
from pbmserv.store.engine import is_database_trouble
from pbmserv.store.operating import ROBOTS

PROGRAM: Final = (sys.executable, "-m", "pbmserv.cli.start", "robots", "--bound")

LOOK_EVERY: Final = 0.5
"""Seconds between two looks whether that process still runs."""

AGAIN_AFTER: Final = 5.0
"""Seconds until a process that ended is started again."""

_PATIENCE: Final = 3.0

ThinkingJob = Callable[[App, datetime], bool]
"""Thinks for a second or so, and tells whether it did anything, so that there may be more."""

JOBS: Final[Sequence[ThinkingJob]] = (play_robots, analyse_asked)
"""What somebody waits for, the most urgent first. Several processes do the same jobs side by side, so each sees to
it that nothing is done twice."""

SPARE_JOBS: Final[Sequence[ThinkingJob]] = (teach, find_puzzle)
"""What is done while nothing else is to be done."""

SPARE_SHARE: Final = 0.0015
"""The share of a processor that spare-time jobs may take. A move of people is worth a tenth of a second of
thinking, and they think for hours: so a club stays abreast, and a machine where nobody plays stays cool."""

log = logging.getLogger(__name__)


def playing(app: App, jobs: Sequence[ThinkingJob] = JOBS, spare_jobs: Sequence[ThinkingJob] = SPARE_JOBS) -> Part:
    """Has robots act on the boards that wait for them, in this process, which makes way for others."""

    beat, spare = heartbeat(app, ROBOTS), _SpareTime()

    def play() -> bool:
        beat()
        if any(_done(app, job) for job in jobs):
            return True
        if spare.seconds_left() <= 0:
            spare.take(lambda: any(_done(app, job) for job in spare_jobs))
        return False

    def rest() -> float:
        return spare.seconds_left() if spare.has_more else LOOK_ANYWAY_AFTER

    def run(stop: threading.Event) -> None:
        # Nobody waits as long for a robot as for the mail.
        make_way(ROBOTS_MAKE_WAY)
        # Nothing wakes it: boards change in other processes.
        repeating(app, stop, threading.Event(), play, rest)

    return run


class _SpareTime:
    """Sees to it that what is done in spare time is followed by a rest, so that all of it takes a small share."""

    def __init__(self) -> None:
        self._until = 0.0
        self.has_more = False

    def seconds_left(self) -> float:
        """How long it still rests; not positive when it does not."""
        return self._until - time.monotonic()

    def take(self, job: Callable[[], bool]) -> None:
        """Does a job, and rests if it found something to do."""
        begun = time.thread_time()
        self.has_more = job()
        if self.has_more:
            self._until = time.monotonic() + (time.thread_time() - begun) / SPARE_SHARE


def _done(app: App, job: ThinkingJob) -> bool:
    """Whether a job did anything. One that fails is logged, and the others go on."""
    try:
        return job(app, utc_now())
    except Exception as error:
        if is_database_trouble(error):
            raise
        name = str(getattr(job, "__name__", job))
        log.exception("a job of the robots has failed %s", pairs(job=name, error=type(error).__name__))
        return False


def playing_apart(settings: Mapping[str, str], program: Sequence[str] = PROGRAM) -> Part:
    """Keeps a process running that does so, with these settings in its environment; it ends when this one does."""
    environment = {**os.environ, **settings}

    def run(stop: threading.Event) -> None:
        while not stop.is_set():
            # In a new session, since Ctrl-C in a terminal is meant for this process.
            with subprocess.Popen(  # noqa: S603
                program, stdin=subprocess.PIPE, start_new_session=True, env=environment
            ) as process:
                while process.poll() is None and not stop.wait(LOOK_EVERY):
                    pass
                if process.poll() is None:
                    _end(process)
            if not stop.is_set():
                ended = pairs(part="robots", ended=str(process.returncode))
                log.error("a process has ended and is started again %s", ended)
                stop.wait(AGAIN_AFTER)

    return run


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
