"""A worker's mark on the disk: which mail it has in hand, so that one that kills processes is found out.

The mark is written without waiting for the disk: the end of a process cannot lose it, only the end of the machine.
Where the disk takes no more it is not written: then one kill goes uncounted, but no mail waits for it.
"""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

_NAME = "worker-{}.mark"
_MOST_WORKERS = 1000


class Mark:
    """One worker's mark, held by a file lock for as long as the process lives."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def left_behind(self) -> int | None:
        """The mail that an earlier worker had in hand when its process ended; asked before `put`."""
        found = re.match(rb"([0-9]+) ", os.pread(self._descriptor, 32, 0))
        return int(found[1]) if found else None

    def put(self, mail_id: int) -> None:
        """From now on this mail is in hand."""
        with suppress(OSError):
            os.pwrite(self._descriptor, f"{mail_id} ".ljust(32).encode(), 0)

    def clear(self) -> None:
        """No mail is in hand."""
        with suppress(OSError):
            os.pwrite(self._descriptor, b" " * 32, 0)

    def close(self) -> None:
        """Gives the mark up."""
        os.close(self._descriptor)


def free_mark(folder: Path) -> Mark:
    """A mark that no living worker holds; it is held from now on."""
    folder.mkdir(parents=True, exist_ok=True)
    names = (folder / _NAME.format(number) for number in range(_MOST_WORKERS))
    free = next((each for each in map(held, names) if each is not None), None)
    if free is None:
        raise RuntimeError(f"{_MOST_WORKERS} workers share {folder}")
    return free


def abandoned_marks(folder: Path) -> Iterator[Mark]:
    """Every mark that no living worker holds, one held after the other: fewer workers may run than did before."""
    for file in sorted(folder.glob(_NAME.format("*"))):
        mark = held(file)
        if mark is not None:
            with closing(mark):
                yield mark


def held(file: Path) -> Mark | None:
    """The mark in a file, held from now on; None where a living process holds it."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return Mark(descriptor)
