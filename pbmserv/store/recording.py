"""SQLite connections that can record what a transaction reads, and keep back what it writes.

While a connection records, its SELECTs are executed and their rows remembered; everything else that would change
the database is put down, to be executed later. `store.optimistic` makes use of it.
"""

import re
import sqlite3
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NoReturn

from pbmserv.store.tables import metadata

Row = tuple[Any, ...]

Reads = dict[tuple[str, Row], list[Row]]
"""The rows of each query, by its text and parameters."""


class NeedsLock(Exception):
    """The transaction asks for what only its writes would tell, so it has to be run under the write lock."""


@dataclass(frozen=True, slots=True)
class DeferredWrite:
    """A statement that was not executed yet."""

    sql: str
    # Of one execution, or a list of those of several.
    parameters: Any = field(repr=False)


@dataclass(slots=True)
class Recording:
    """What a transaction has read and would write."""

    reads: Reads = field(default_factory=dict, repr=False)
    writes: list[DeferredWrite] = field(default_factory=list)
    # The tables of those writes.
    written: set[str] = field(default_factory=set)


class RecordingConnection(sqlite3.Connection):
    """A connection that records as long as it has a recording."""

    recording: Recording | None = None

    def cursor(self, factory: Any = None) -> Any:
        """A cursor; a recording one if the connection records."""
        if factory is None:
            factory = sqlite3.Cursor if self.recording is None else _RecordingCursor
        return super().cursor(factory)


class _RecordingCursor(sqlite3.Cursor):
    def __init__(self, connection: RecordingConnection) -> None:
        super().__init__(connection)
        assert connection.recording is not None
        self._recording = connection.recording
        self._rows: list[Row] = []
        self._is_deferred = False

    def execute(self, sql: str, parameters: Any = (), /) -> "_RecordingCursor":
        if not _is_write(sql):
            if self._recording.written & _tables_of(sql):
                raise NeedsLock(sql)
            super().execute(sql, parameters)
            self._rows = super().fetchall()
            self._recording.reads[sql, tuple(parameters)] = self._rows
            return self
        return self._defer(sql, tuple(parameters))

    def executemany(self, sql: str, parameters: Any, /) -> "_RecordingCursor":
        return self._defer(sql, list(parameters))

    def fetchone(self) -> Row | None:
        rows = self.fetchmany(1)
        return rows[0] if rows else None

    def fetchmany(self, size: int | None = 1) -> list[Row]:
        found, self._rows = self._rows[:size], self._rows[size:]
        return found

    def fetchall(self) -> list[Row]:
        found, self._rows = self._rows, []
        return found

    @property
    def rowcount(self) -> int:
        """How many rows a statement has changed; nobody may ask that of one that was not executed."""
        return _NOT_COUNTED if self._is_deferred else -1

    def _defer(self, sql: str, parameters: Any) -> "_RecordingCursor":
        if "RETURNING" in sql:
            raise NeedsLock(sql)
        self._recording.written.add(_written_by(sql))
        self._recording.writes.append(DeferredWrite(sql, parameters))
        self._is_deferred = True
        return self


class _NotCounted(int):
    """A number of rows that is not known yet. Code that decides by it needs the write lock."""

    def _unknown(self, *_: object) -> NoReturn:
        raise NeedsLock("rowcount")

    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = _unknown


_NOT_COUNTED: Final = _NotCounted(-1)


def _is_write(sql: str) -> bool:
    return not sql.lstrip().startswith("SELECT")


@lru_cache(maxsize=1024)
def _written_by(sql: str) -> str:
    """The table that a statement changes. Raises NeedsLock where that cannot be told."""
    found = re.match(r'\s*(?:INSERT INTO|UPDATE|DELETE FROM) "?(\w+)', sql)
    if found is None:
        raise NeedsLock(sql)
    return found[1]


@lru_cache(maxsize=1024)
def _tables_of(sql: str) -> frozenset[str]:
    """The tables that a query may name; rather one too many, such as a label of the same name."""
    return frozenset(re.findall(r"(?<![.\w])\w+", sql)) & metadata.tables.keys()
