"""What SQLite does not see to by itself: whose turn it is to write, and that the file stays where it is.

What is written into a file that was moved, deleted or replaced is lost to all others, and SQLite does not notice.
"""

import sqlite3
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock
from typing import Any

from sqlalchemy.exc import OperationalError


class DatabaseFile:
    """A SQLite file as it was when it was opened first; only looked at where it is a file at all."""

    def __init__(self, name: str) -> None:
        self._path = Path(name).absolute() if name and name != ":memory:" else None
        self._opened: tuple[int, int] | None = None

    def note_opened(self, connection: Any, record: Any) -> None:
        """Called for each connection that was made; the first one tells which file it is."""
        self._opened = self._opened or self._found()

    def require_unmoved(self) -> None:
        """Raises OperationalError where the file is another one now, or is gone."""
        if self._found() != self._opened:
            why = f"{self._path} was moved, deleted or replaced; put it back, or start the server again"
            raise OperationalError("BEGIN", None, sqlite3.OperationalError(why))

    def _found(self) -> tuple[int, int] | None:
        try:
            about = None if self._path is None else self._path.stat()
        except OSError:
            return None
        return None if about is None else (about.st_dev, about.st_ino)


class FairLock:
    """A lock for the threads of one process: first come, first served."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: deque[Event] = deque()
        self._is_taken = False

    @contextmanager
    def hold(self, timeout: float) -> Iterator[None]:
        """Waits for its turn, which lasts as long as the block; after `patience` seconds goes on without one."""
        has_turn = self._take(timeout)
        try:
            yield
        finally:
            if has_turn:
                self._pass_on()

    def _take(self, timeout: float) -> bool:
        with self._lock:
            if not self._is_taken:
                self._is_taken = True
                return True
            called = Event()
            self._waiting.append(called)
        if called.wait(timeout):
            return True
        with self._lock:
            if called.is_set():
                return True
            self._waiting.remove(called)
            return False

    def _pass_on(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._is_taken = False
