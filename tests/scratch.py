"""Where tests put their files: in memory where there is room, since SQLite waits for the disk at each commit.

Nothing else differs: the database is opened as in service, and a process that is killed leaves the same behind.
"""

import os
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM = 1 << 30
"""Bytes that must be free there. A test's folder is removed when it has passed, so that little is ever needed."""


def has_room(folder: Path) -> bool:
    """Whether tests can put their files and programs into a folder."""
    try:
        about = os.statvfs(folder)
    except OSError:
        return False
    return (
        about.f_bavail * about.f_frsize >= ROOM
        and not about.f_flag & (os.ST_RDONLY | os.ST_NOEXEC)
        and os.access(folder, os.W_OK | os.X_OK)
    )


def put_scratch_into_memory() -> None:
    """Has pytest, and the processes that it starts as its workers, make temporary folders in memory, if it can be;
    not where PYTEST_DEBUG_TEMPROOT or `--basetemp` has named another place.
    """
    if has_room(MEMORY):
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
