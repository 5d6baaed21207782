"""What wakes a part that waits for work."""

import os
import select
from contextlib import suppress
from typing import Final, Protocol


class Wakeup(Protocol):
    """Wakes whoever waits: a `threading.Event` within one process, a `Bell` between several."""

    def set(self) -> None:
        """Wakes those who wait, and the next to wait."""

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for it, so many seconds at most; whether it came."""

    def clear(self) -> None:
        """Forgets it."""


_MOST: Final = 2**16


class Bell:
    """A `Wakeup` for processes that are forked after it was made.

    All who wait wake up. One of them may clear it before another has noticed: it does no more than save them the
    time until they look by themselves.
    """

    def __init__(self) -> None:
        self._heard, self._rung = os.pipe()
        for each in (self._heard, self._rung):
            os.set_blocking(each, False)

    def set(self) -> None:
        """Wakes those who wait, and the next to wait."""
        with suppress(BlockingIOError):  # it is full, so everybody wakes anyway
            os.write(self._rung, b"!")

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for it, so many seconds at most; whether it came."""
        waiting = select.poll()
        waiting.register(self._heard, select.POLLIN)
        return bool(waiting.poll(None if timeout is None else timeout * 1000))

    def clear(self) -> None:
        """Forgets it."""
        with suppress(BlockingIOError):
            os.read(self._heard, _MOST)
