"""What parts say of themselves: that they live, and what keeps them from their work; what was done when; and
whether anything can be written down at all: reading goes on where a database is locked, full or read-only."""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Final

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

from pbmserv.mail.log_words import pairs
from pbmserv.services.app import App
from pbmserv.store import operating
from pbmserv.store.engine import first_line, locks_rows, reading, run_again, writing

TRIED_EVERY: Final = 10.0
"""Seconds that a result holds: however often somebody asks, nothing is written more often."""

TRIED_FOR: Final = 3.0
"""Seconds until it counts as refused: no transaction of ours keeps others waiting for so long."""

log = logging.getLogger(__name__)


def record_heartbeat(app: App, part: str, now: datetime) -> None:
    """A part is alive."""

    def once() -> None:
        with writing(app.engine) as connection:
            away = operating.record_beat(connection, part, now)
        if away is not None:
            told = pairs(part=part, seconds=int(away.total_seconds()))
            log.warning("a part was away; no clock has run meanwhile %s", told)

    run_again(once)


def record_trouble(app: App, part: str, said: str, now: datetime) -> None:
    """What keeps a part from its work, in a sentence without secrets; "": nothing does."""

    def once() -> None:
        with writing(app.engine) as connection:
            operating.tell_trouble(connection, part, said, now)

    run_again(once)


def list_parts(app: App) -> Mapping[str, datetime]:
    """The last heartbeat of each part that was ever heard of."""
    with reading(app.engine) as connection:
        return operating.last_beats(connection)


def retire_part(app: App, part: str) -> bool:
    """Forgets a part that was taken out of use; False if it was never heard of."""
    with writing(app.engine) as connection:
        return operating.retire(connection, part)


@dataclass(frozen=True, slots=True)
class KeptCopy:
    """A file with all that a database held before its schema was updated. It is the operator's to delete."""

    schema: str
    place: Path
    made_at: datetime


class WriteTrial:
    """The last try to write, and what came of it. Any number of threads may ask."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._until = 0.0
        self._trouble = ""

    def trouble(self, engine: Engine, now: datetime) -> str:
        """Why nothing can be written, in the driver's words; "" where it can."""
        with self._lock:
            if time.monotonic() >= self._until:
                self._trouble = _tried(engine, now)
                self._until = time.monotonic() + TRIED_EVERY
            return self._trouble


def record_backup(engine: Engine, place: Path, now: datetime) -> None:
    """A backup was made, and is at that place."""
    _record(engine, operating.BACKUP, place, now)


def record_copy(engine: Engine, schema: str, place: Path, now: datetime) -> None:
    """The schema was updated from that one, and a copy from before is at that place."""
    _record(engine, operating.COPY + schema, place, now)


def list_copies(app: App) -> list[KeptCopy]:
    """The copies from before updates that are still where they were put."""
    with reading(app.engine) as connection:
        return kept_copies(connection)


def kept_copies(connection: Connection) -> list[KeptCopy]:
    """The same, for who reads already."""
    noted = operating.copies(connection).items()
    found = [KeptCopy(schema, Path(each.said), each.at) for schema, each in noted]
    return [copy for copy in found if _is_there(copy.place)]


def _is_there(place: Path) -> bool:
    try:
        return place.exists()
    except OSError:
        return False


def _record(engine: Engine, milestone: str, place: Path, now: datetime) -> None:
    with writing(engine) as connection:
        operating.reach(connection, milestone, now, str(place))


def _tried(engine: Engine, now: datetime) -> str:
    try:
        with writing(engine, TRIED_FOR) as connection:
            if locks_rows(engine):
                connection.execute(text(f"SET LOCAL lock_timeout = '{TRIED_FOR * 1000:.0f}ms'"))
            operating.reach(connection, operating.TRIAL, now, "")
    except SQLAlchemyError as error:
        return first_line(error)
    return ""
