"""What is kept of pages and pictures: each is made once, and again only when what it is made from changes.

And the fair share of a visitor in making them: one who asks for a thousand films waits for those alone.
"""

import gzip
import hashlib
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from typing import Final

from pbmserv.matches.replay import GameState

MOST_BYTES: Final = 8 * 2**20
MOST_KEPT: Final = 1000
"""Of one kind, so that many of one kind push out no other. Packed, the films of all games take half a megabyte."""

LEAST_TO_COMPRESS: Final = 1000
COMPRESSION: Final = 5

MOST_IN_LINE: Final = 8
"""The most pictures that are drawn or wait; each occupies one of some forty threads."""

MOST_OF_A_VISITOR: Final = 2

SECONDS_AT_ONCE: Final = 8.0
SHARE: Final = 0.1
"""Seconds that may be spent on drawing for one visitor, and the part of the time after that."""

MOST_REMEMBERED: Final = 10_000


@dataclass(frozen=True, slots=True)
class KeptContent:
    """Content that is kept, packed where that makes it smaller; `tag` changes with it."""

    body: bytes
    is_packed: bool
    tag: str

    @property
    def plain(self) -> bytes:
        """The content itself."""
        return gzip.decompress(self.body) if self.is_packed else self.body


class Kept:
    """Contents of one kind by what they are made from; the longest unused go first. Thread-safe."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most, self._size = most, 0
        self._contents: OrderedDict[Hashable, KeptContent] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: Hashable) -> KeptContent | None:
        """What is kept under that key."""
        with self._lock:
            found = self._contents.get(key)
            if found is not None:
                self._contents.move_to_end(key)
            return found

    def find_or_make(self, key: Hashable, make: Callable[[], str | bytes]) -> KeptContent:
        """What is kept under that key, or is made and kept from now on."""
        found = self.find(key)
        return self._keep(key, make()) if found is None else found

    def _keep(self, key: Hashable, content: str | bytes) -> KeptContent:
        whole = content.encode() if isinstance(content, str) else content
        packed = gzip.compress(whole, COMPRESSION, mtime=0) if len(whole) >= LEAST_TO_COMPRESS else whole
        is_packed = len(packed) < len(whole)
        made = KeptContent(packed if is_packed else whole, is_packed, tag_of(whole))
        with self._lock:
            before = self._contents.pop(key, None)
            self._size += len(made.body) - (len(before.body) if before else 0)
            self._contents[key] = made
            while self._size > self._most or len(self._contents) > MOST_KEPT:
                _, gone = self._contents.popitem(last=False)
                self._size -= len(gone.body)
        return made


def key_of(board: GameState) -> Hashable:
    """What changes with a board. Who has left the club has another name, and that is no entry."""
    return board.match.number, board.match.userids, board.state.entries


def tag_of(content: bytes) -> str:
    """The ETag of content."""
    return f'W/"{hashlib.sha256(content).hexdigest()[:20]}"'


class NoTurn(Exception):
    """Nothing is drawn now, but `again_in` some seconds: much waits, or the visitor has had their share."""

    def __init__(self, again_in: int, is_visitors: bool) -> None:
        super().__init__(again_in)
        self.again_in, self.is_visitors = again_in, is_visitors


class Pencil:
    """What is drawn is drawn one after the other, and no visitor has more than their share of it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, spent: Callable[[], float] = time.thread_time):
        self._clock, self._spent = clock, spent
        self._turn = threading.Lock()
        self._lock = threading.Lock()
        self._in_line: Counter[str] = Counter()
        # What each visitor may still have drawn, in seconds of work, and when that was so.
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    @contextmanager
    def turn(self, visitor: str) -> Iterator[None]:
        """Waits for a turn; what is done in the block counts for the visitor. Raises NoTurn."""
        self._enter(visitor)
        try:
            with self._turn:
                begun = self._spent()
                try:
                    yield
                finally:
                    self._charge(visitor, self._spent() - begun)
        finally:
            with self._lock:
                self._in_line[visitor] -= 1
                self._in_line += Counter()  # without those that are zero

    def _enter(self, visitor: str) -> None:
        with self._lock:
            left = self._left_of(visitor)
            if left <= 0:
                raise NoTurn(ceil(-left / SHARE) + 1, is_visitors=True)
            if self._in_line[visitor] >= MOST_OF_A_VISITOR:
                raise NoTurn(2, is_visitors=True)
            if self._in_line.total() >= MOST_IN_LINE:
                raise NoTurn(2, is_visitors=False)
            self._in_line[visitor] += 1

    def _left_of(self, visitor: str) -> float:
        left, at = self._left.get(visitor, (SECONDS_AT_ONCE, 0.0))
        return min(SECONDS_AT_ONCE, left + SHARE * (self._clock() - at))

    def _charge(self, visitor: str, seconds: float) -> None:
        with self._lock:
            self._left[visitor] = (self._left_of(visitor) - seconds, self._clock())
            self._left.move_to_end(visitor)
            while len(self._left) > MOST_REMEMBERED:
                self._left.popitem(last=False)
