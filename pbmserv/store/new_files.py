"""Files that are there whole or not at all: filled under another name, synced, and never over another file."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

BESIDE_SQLITE: Final = ("-wal", "-shm", "-journal")
"""How the names of files go on that SQLite puts beside a database."""

_HAS_NO_LINKS: Final = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EACCES)


@contextmanager
def appearing(file: Path) -> Iterator[Path]:
    """A file beside it to be filled, mode 0600, which becomes it, synced to the disk, when the block ends well."""
    with part_of(file) as part:
        yield part
        finish(part, file)


@contextmanager
def part_of(file: Path) -> Iterator[Path]:
    """A file beside it to be filled, mode 0600, which is gone when the block ends."""
    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".part", dir=file.parent)
    os.close(descriptor)
    part = Path(name)
    try:
        yield part
    finally:
        for left in (part, *(Path(f"{part}{ending}") for ending in BESIDE_SQLITE)):
            with suppress(FileNotFoundError):
                left.unlink()


def finish(part: Path, file: Path) -> None:
    """Gives a filled file its name, for good. Raises FileExistsError where another has it."""
    _sync(part)
    _become(part, file)
    _sync(file.parent)


def _become(part: Path, file: Path) -> None:
    """Gives a file its name. Raises FileExistsError where another has it, even one made a moment ago."""
    try:
        file.hardlink_to(part)
    except OSError as error:
        if error.errno not in _HAS_NO_LINKS:
            raise
        os.close(os.open(file, os.O_CREAT | os.O_EXCL, 0o600))  # the name is ours then
        part.replace(file)
    else:
        part.unlink()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
