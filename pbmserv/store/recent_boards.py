"""A cache of recently used boards: replaying a log is the slowest part of a move."""

from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock
from typing import Final

from pbmserv.matches.replay import GameState

MOST: Final = 300
"""Boards in the cache; each takes ten to fifty kilobytes."""


class RecentBoards:
    """A thread-safe cache of boards as they were at some commit.

    Entries are only ever added, never changed. So the caller reads only what other processes have added since.
    """

    def __init__(self) -> None:
        self._boards: OrderedDict[int, GameState] = OrderedDict()
        self._lock = Lock()

    def find(self, number: int) -> GameState | None:
        """A board as it was last cached; None if it is not."""
        with self._lock:
            return self._boards.get(number)

    def remember(self, boards: Iterable[GameState]) -> None:
        """Caches boards. Call it after the commit: what is rolled back must not be found here."""
        with self._lock:
            for board in boards:
                self._boards[board.match.number] = board
                self._boards.move_to_end(board.match.number)
            while len(self._boards) > MOST:
                self._boards.popitem(last=False)
