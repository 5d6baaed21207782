"""The part in which robots think: a process of its own, so that mail does not wait for them."""

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Final

from pbmserv.server.parts import ROBOTS_MAKE_WAY, Part, make_way, repeating
from pbmserv.server.scheduler import heartbeat
from pbmserv.services.app import App, utc_now
from pbmserv.services.robots import play_robots
from pbmserv.store.heartbeats import ROBOTS

PROGRAM: Final = (sys.executable, "-m", "pbmserv.cli.start", "robots", "--bound")

LOOK_EVERY: Final = 0.5
"""Seconds between two looks at the boards that wait."""

AGAIN_AFTER: Final = 5.0
"""Seconds until a process that ended is started again."""

_PATIENCE: Final = 3.0

log = logging.getLogger(__name__)


def playing(app: App) -> Part:
    """Has robots act on the boards that wait for them, in this process, which makes way for others."""

    beat = heartbeat(app, ROBOTS)

    def play() -> bool:
        beat()
        return play_robots(app, utc_now())

    def run(stop: threading.Event) -> None:
        # Nobody waits as long for a robot as for the mail.
        make_way(ROBOTS_MAKE_WAY)
        # Nothing wakes it: boards change in other processes.
        repeating(stop, threading.Event(), play, every=LOOK_EVERY)

    return run


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
                log.error("the robots' process ended with %d and is started again", process.returncode)
                stop.wait(AGAIN_AFTER)

    return run


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
