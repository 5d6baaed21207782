"""A mail in a process of its own: what ends that process ends neither its worker nor anybody else's mail.

The worker starts it with its own environment and in its own folder, so it reads the same settings; nothing of them
stands on its command line. It ends when its worker does.
"""

import logging
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import Final, Literal

from pbmserv.services.mishaps import Ended

PROGRAM: Final = (sys.executable, "-m", "pbmserv.entrypoints.start")

MOST_SECONDS: Final = 120.0
"""After so long it hangs, perhaps at a lock that somebody holds: that is not blamed on the mail."""

MOST_WORK: Final = 60
"""Seconds of the processor after which the system kills it: no lock explains those."""

LOOK_EVERY: Final = 0.05

ALL_ARE_DEAD: Final = 1.0
"""Whoever kills everything at once has killed the worker too, so long after it saw the end of such a process."""

AFTER_ITS_WORKER: Final = 1.5
"""So many seconds it has to come to its end once its worker is no more."""

_POLITE: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Asked by these to end, a process has done nothing wrong."""

log = logging.getLogger(__name__)


class Apart:
    """Runs processes by `program`, one after the other, until told to stop."""

    def __init__(self, stop: threading.Event, program: Sequence[str] | None = None) -> None:
        self._stop, self._program = stop, program or PROGRAM

    def __call__(self, task: Literal["handle", "tell"], mail_id: int) -> Ended:
        command = [*self._program, "apart", task, str(mail_id)]
        # In a session of its own: Ctrl-C in a terminal is meant for its worker.
        with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) as process:  # noqa: S603
            code = self._wait(process)
        if self._stop.is_set():
            return "stopped"
        if code is None:
            log.error("mail %d: a process of its own was still at work after %d seconds", mail_id, MOST_SECONDS)
            return "broken off"
        if code == 0:
            return "well"
        log.error("mail %d: a process of its own ended with %d", mail_id, code)
        if code > 0 or -code in _POLITE:
            return "broken off"
        return "stopped" if self._stop.wait(ALL_ARE_DEAD) else "killed"

    def _wait(self, process: "subprocess.Popen[bytes]") -> int | None:
        """The exit code; None where it had to be killed."""
        until = time.monotonic() + MOST_SECONDS
        while time.monotonic() < until and not self._stop.is_set():
            try:
                return process.wait(LOOK_EVERY)
            except subprocess.TimeoutExpired:
                pass
        process.kill()
        return None


def live_apart() -> None:
    """What such a process does first: it is bound to its worker, and to how much it may work."""
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_WORK, MOST_WORK))
    threading.Thread(target=_end_with_the_worker, daemon=True).start()


def _end_with_the_worker() -> None:
    # The worker's end of this pipe is closed when it ends, however it does.
    os.read(0, 1)
    time.sleep(AFTER_ITS_WORKER)
    os._exit(1)
