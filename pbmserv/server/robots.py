"""The part in which robots think: processes of their own, so that mail does not wait for them.

Moves come first. What else there is to think about is done in the time that they leave.
"""

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final

from pbmserv.commands.base.log_words import pairs
from pbmserv.server.parts import ROBOTS_MAKE_WAY, Part, make_way, repeating
from pbmserv.server.pulse import heartbeat
from pbmserv.services.app import App, utc_now
from pbmserv.services.find_puzzles import find_puzzle
from pbmserv.services.robots import play_robots
from pbmserv.services.teaching import teach
from pbmserv.store.engine import is_database_trouble
from pbmserv.store.heartbeats import ROBOTS

PROGRAM: Final = (sys.executable, "-m", "pbmserv.cli.start", "robots", "--bound")

LOOK_EVERY: Final = 0.5
"""Seconds between two looks at the boards that wait."""

AGAIN_AFTER: Final = 5.0
"""Seconds until a process that ended is started again."""

_PATIENCE: Final = 3.0

ThinkingJob = Callable[[App, datetime], bool]
"""Thinks for a second or so, and tells whether it did anything, so that there may be more."""

JOBS: Final[Sequence[ThinkingJob]] = (play_robots, teach, find_puzzle)
"""The most urgent one first: each is done only when those before it find nothing to do. Several processes do the
same jobs side by side, so each sees to it that nothing is done twice."""

log = logging.getLogger(__name__)


def playing(app: App, jobs: Sequence[ThinkingJob] = JOBS) -> Part:
    """Has robots act on the boards that wait for them, in this process, which makes way for others."""

    beat = heartbeat(app, ROBOTS)

    def play() -> bool:
        beat()
        done = next((job for job in jobs if _done(app, job)), None)
        # What is done in spare time is followed by a rest, so that a small machine stays cool.
        return done is not None and done is jobs[0]

    def run(stop: threading.Event) -> None:
        # Nobody waits as long for a robot as for the mail.
        make_way(ROBOTS_MAKE_WAY)
        # Nothing wakes it: boards change in other processes.
        repeating(stop, threading.Event(), play, every=LOOK_EVERY)

    return run


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
