"""Boards played on of late, folded already: to read and fold a log costs more than the rest of a move."""

from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock
from typing import Final

from pbmserv.matches.replay import Replayed

MOST: Final = 300
"""Boards remembered; one takes some ten to fifty kilobytes."""


class RecentBoards:
    """Boards as they stood at some commit, by number; for any number of threads.

    Whoever asks holds what is given here against the log's length: entries are never changed, only added, so a
    shorter log is the beginning of the longer one, and what another process has added is all that is missing.
    """

    def __init__(self) -> None:
        self._boards: OrderedDict[int, Replayed] = OrderedDict()
        self._lock = Lock()

    def find(self, number: int) -> Replayed | None:
        """A board as it was last remembered."""
        with self._lock:
            return self._boards.get(number)

    def remember(self, boards: Iterable[Replayed]) -> None:
        """Notes boards once they are committed, never before: what is rolled back must not be found here."""
        with self._lock:
            for board in boards:
                self._boards[board.match.number] = board
                self._boards.move_to_end(board.match.number)
            while len(self._boards) > MOST:
                self._boards.popitem(last=False)
