"""What failed of late in this process, so that one board that does cannot keep a part busy, or fill its log."""

from datetime import datetime, timedelta
from typing import Final

FIRST_REST: Final = timedelta(minutes=1)
LONGEST_REST: Final = timedelta(days=1)


class FailingBoards:
    """Boards that are left alone for a while, longer each time they fail again. For one thread."""

    def __init__(self) -> None:
        self._rests: dict[int, tuple[timedelta, datetime]] = {}

    def failed(self, board: int, now: datetime) -> bool:
        """Notes that a board failed; whether that is news."""
        rest, _ = self._rests.get(board, (FIRST_REST / 2, now))
        longer = min(rest * 2, LONGEST_REST)
        is_news = board not in self._rests
        self._rests[board] = longer, now + longer
        return is_news

    def rests(self, board: int, now: datetime) -> bool:
        """Whether a board is to be left alone."""
        return board in self._rests and now < self._rests[board][1]

    def mended(self, board: int) -> None:
        """A board fails no more."""
        self._rests.pop(board, None)
