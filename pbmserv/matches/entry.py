"""One row of a match's log: what happened, to be believed for good."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pbmserv.games.game import Seat

EntryKind = Literal["played", "resigned", "declined"]


@dataclass(frozen=True, slots=True)
class Entry:
    """The `seq`-th thing (from 1) that happened on a board.

    `text` is the move in stored notation for "played", and empty otherwise. `at` is when the mail that did it
    was kept, in UTC.
    """

    match: int
    seq: int
    at: datetime
    kind: EntryKind
    seat: Seat
    text: str = ""
