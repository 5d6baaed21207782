"""A worker's mark on the disk: which mail it has in hand, so that one that kills processes is found out.

The mark is written without waiting for the disk: the end of a process cannot lose it, only the end of the machine.
"""

import fcntl
import os
import re
from collections.abc import Iterator
from pathlib import Path

_NAME = "worker-{}.mark"
_MOST_WORKERS = 1000


class Mark:
    """One worker's mark, held by a file lock for as long as the process lives."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._descriptor = next(_free_files(folder))

    def left_behind(self) -> int | None:
        """The mail that an earlier worker had in hand when its process ended; asked before `put`."""
        found = re.match(rb"([0-9]+) ", os.pread(self._descriptor, 32, 0))
        return int(found[1]) if found else None

    def put(self, mail_id: int) -> None:
        """From now on this mail is in hand."""
        os.pwrite(self._descriptor, f"{mail_id} ".ljust(32).encode(), 0)

    def clear(self) -> None:
        """No mail is in hand."""
        os.pwrite(self._descriptor, b" " * 32, 0)

    def close(self) -> None:
        """Gives the mark up."""
        os.close(self._descriptor)


def _free_files(folder: Path) -> Iterator[int]:
    for number in range(_MOST_WORKERS):
        descriptor = os.open(folder / _NAME.format(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            continue
        yield descriptor
    raise RuntimeError(f"{_MOST_WORKERS} workers share {folder}")
