"""What workers have in hand: files and bytes that are locked as long as a worker lives."""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

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
