"""What workers have in hand: marks and claims of mails, and the processes in which dangerous ones are handled.

A mail is handled in a process of its own so that a crash ends neither the worker nor other people's mail. Such a
process inherits its worker's environment and folder, and so reads the same settings; its command line holds none.
It ends when its worker does.
"""

import fcntl
import logging
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from pbmserv.mail.log_words import pairs

if TYPE_CHECKING:
    from pbmserv.services.failures import IsolatedEnd  # slow to import, and only a type

_NAME = "worker-{}.mark"
_MOST_WORKERS = 1000


class InFlightMarker:
    """Names the mail that a worker is handling, in a file that is locked as long as the worker lives."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def left_behind(self) -> int | None:
        """The mail that an earlier worker was handling when it died; call it before `put`."""
        found = re.match(rb"([0-9]+) ", os.pread(self._descriptor, 32, 0))
        return int(found[1]) if found else None

    def put(self, mail_id: int) -> None:
        """Records that this mail is being handled."""
        with suppress(OSError):
            os.pwrite(self._descriptor, f"{mail_id} ".ljust(32).encode(), 0)

    def clear(self) -> None:
        """Records that no mail is being handled."""
        with suppress(OSError):
            os.pwrite(self._descriptor, b" " * 32, 0)

    def close(self) -> None:
        """Releases the marker."""
        os.close(self._descriptor)


def acquire_marker(folder: Path) -> InFlightMarker:
    """A marker that no living worker holds, locked from now on."""
    folder.mkdir(parents=True, exist_ok=True)
    names = (folder / _NAME.format(number) for number in range(_MOST_WORKERS))
    free = next((each for each in map(lock_marker, names) if each is not None), None)
    if free is None:
        raise RuntimeError(f"{_MOST_WORKERS} workers share {folder}")
    return free


def abandoned_markers(folder: Path) -> Iterator[InFlightMarker]:
    """Every marker that no living worker holds, each locked in turn: fewer workers may run than before."""
    for file in sorted(folder.glob(_NAME.format("*"))):
        marker = lock_marker(file)
        if marker is not None:
            with closing(marker):
                yield marker


def lock_marker(file: Path) -> InFlightMarker | None:
    """The marker in a file, locked from now on; None if a living process holds it."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return InFlightMarker(descriptor)


_CLAIMS: Final = "worker-claims.lock"


class MailClaims:
    """Which waiting mails this worker has in hand, so that no other worker of the folder decides them too.

    Each is a locked byte of one file, at the place of its number: a worker that dies gives up its claims.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(folder / _CLAIMS, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def claim(self, mail_id: int) -> bool:
        """Claims a mail; False if another worker has it."""
        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, mail_id)
        except BlockingIOError:
            return False
        return True

    def release(self) -> None:
        """Gives up all claims."""
        fcntl.lockf(self._descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        """Gives up all claims for good."""
        os.close(self._descriptor)


PROGRAM: Final = (sys.executable, "-m", "pbmserv.cli.start")

MOST_SECONDS: Final = 120.0
"""After this long it hangs, perhaps on a lock that somebody holds. The mail is not blamed."""

MOST_WORK: Final = 60
"""CPU seconds after which the system kills it. No lock explains that, so the mail is blamed."""

LOOK_EVERY: Final = 0.05

ALL_ARE_DEAD: Final = 1.0
"""Seconds to wait after a kill: if everything was killed at once, the worker is dead by then and blames nobody."""

AFTER_ITS_PARENT: Final = 1.5
"""Seconds that it has left once its parent has ended."""

_POLITE: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""A process ended by one of these was asked to, and is not to blame."""

log = logging.getLogger(__name__)


class IsolatedProcess:
    """Runs isolated processes by `program`, one after the other, until told to stop."""

    def __init__(self, stop: threading.Event, program: Sequence[str] | None = None) -> None:
        self._stop, self._program = stop, program or PROGRAM

    def __call__(self, task: Literal["handle", "tell"], mail_id: int) -> "IsolatedEnd":
        command = [*self._program, "apart", task, str(mail_id)]
        # In a new session, since Ctrl-C in a terminal is meant for the worker.
        with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) as process:  # noqa: S603
            code = self._wait(process)
        if self._stop.is_set():
            return "stopped"
        if code is None:
            log.error(
                "an isolated process took too long and was ended %s", pairs(mail=mail_id, seconds=MOST_SECONDS)
            )
            return "broken off"
        if code == 0:
            return "well"
        log.error("an isolated process has ended %s", pairs(mail=mail_id, ended=str(code)))
        if code > 0 or -code in _POLITE:
            return "broken off"
        return "stopped" if self._stop.wait(ALL_ARE_DEAD) else "killed"

    def _wait(self, process: "subprocess.Popen[bytes]") -> int | None:
        """The exit code; None if it had to be killed."""
        until = time.monotonic() + MOST_SECONDS
        while time.monotonic() < until and not self._stop.is_set():
            try:
                return process.wait(LOOK_EVERY)
            except subprocess.TimeoutExpired:
                pass
        process.kill()
        return None


def run_isolated() -> None:
    """Called first in an isolated process: limits its CPU time and binds its life to its worker's."""
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_WORK, MOST_WORK))
    end_with_parent()


def end_with_parent(lifeline: int = 0, tell: Callable[[], None] = lambda: None) -> None:
    """Ends this process soon after its parent, which holds the other end of the pipe `lifeline`.

    `tell` is called before, while there is time to end well.
    """
    threading.Thread(target=_wait_for_the_end, args=(lifeline, tell), daemon=True).start()


def _wait_for_the_end(lifeline: int, tell: Callable[[], None]) -> None:
    # The parent's end of this pipe closes when it ends, however that happens.
    os.read(lifeline, 1)
    tell()
    time.sleep(AFTER_ITS_PARENT)
    os._exit(1)
