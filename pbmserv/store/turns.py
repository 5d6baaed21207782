"""Turns at a lock that does not know whose turn it is.

SQLite gives the file to whoever asks at the right moment; the others ask again after up to 100 ms. Beside a worker
that has thousands of mails to handle, a listener in the same process would keep almost none.
"""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock


class Turns:
    """First come, first served, for the threads of one process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: deque[Event] = deque()
        self._is_taken = False

    @contextmanager
    def turn(self, patience: float) -> Iterator[None]:
        """Waits for its turn, which lasts as long as the block; after `patience` seconds goes on without one."""
        has_turn = self._take(patience)
        try:
            yield
        finally:
            if has_turn:
                self._pass_on()

    def _take(self, patience: float) -> bool:
        with self._lock:
            if not self._is_taken:
                self._is_taken = True
                return True
            called = Event()
            self._waiting.append(called)
        if called.wait(patience):
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
