"""The finished games of a month as one file, for whoever wants to study them; without addresses and comments."""

import gzip
import os
import re
import tempfile
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from pbmserv.matches.log import BrokenLog
from pbmserv.matches.replay import replay
from pbmserv.rendering.record import as_line, record_of
from pbmserv.services.app import App
from pbmserv.store import matches
from pbmserv.store.engine import reading

_MONTH: Final = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])")

WAITS: Final = timedelta(days=1)
"""After the end of a month, until mails that were kept in it are handled, in most cases."""


class CannotDump(Exception):
    """No file can be made; the message is for the operator."""


def month_before(now: datetime) -> str:
    """The last month whose games are all over, as "2026-11".

    >>> [month_before(datetime(2027, 1, day, tzinfo=UTC)) for day in (1, 2)]
    ['2026-11', '2026-12']
    """
    first = (now.astimezone(UTC) - WAITS).date().replace(day=1)
    return (first - timedelta(days=1)).strftime("%Y-%m")


def dump_file(folder: Path, month: str) -> Path:
    """What the file of a month is called."""
    return folder / f"{month}.jsonl.gz"


def dump_last_month(app: App, now: datetime, folder: Path) -> bool:
    """Writes the file of the last month unless it is there; there is never more to do. Raises CannotDump."""
    month = month_before(now)
    if not dump_file(folder, month).exists():
        dump_month(app, month, folder)
    return False


def dump_month(app: App, month: str, folder: Path) -> int:
    """Writes the records of all games that ended in a month ("2026-11"), one a line; how many.

    Without any no file is made. One that is there is replaced; it is whole at any time. Raises CannotDump.
    """
    since, until = _bounds(month)
    with reading(app.engine, snapshot=True) as connection:
        numbers = matches.numbers_finished_between(connection, since, until)
        if numbers:
            try:
                _write(connection, app, numbers, dump_file(folder, month))
            except OSError as error:
                raise CannotDump(f"{dump_file(folder, month)} cannot be written: {error.strerror}") from error
            except BrokenLog as error:
                raise CannotDump(f"{error}; see `pbmserv admin check`") from error
    return len(numbers)


def _bounds(month: str) -> tuple[datetime, datetime]:
    if not _MONTH.fullmatch(month) or month < "0001-01":
        raise CannotDump(f"{month[:40]} is no month, such as 2026-11")
    first = date.fromisoformat(f"{month}-01")
    since = datetime(first.year, first.month, 1, tzinfo=UTC)
    return since, (since + timedelta(days=31)).replace(day=1)


def _write(connection: Connection, app: App, numbers: Sequence[int], file: Path) -> None:
    """Beside its place first, then into it, each of them safe on the disk."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as raw:
        written = Path(raw.name)
        try:
            # Without name and time the same games make the same file.
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed:
                for number in numbers:
                    match = matches.load(connection, number)
                    if match is not None:
                        packed.write(as_line(record_of(replay(match), app.server)))
            raw.flush()
            os.fsync(raw.fileno())
            written.replace(file)
        except BaseException:
            written.unlink(missing_ok=True)
            raise
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
