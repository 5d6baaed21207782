"""One row of a match's log: what happened, to be believed for good."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pbmserv.games.game import Seat

EntryKind = Literal[
    "played",
    "resigned",
    "declined",
    "forfeited",
    "proposed",
    "asked",
    "accepted",
    "rejected",
    "extended",
    "paused",
    "resumed",
    "rewound",
    "removed",
    "awarded",
    "annulled",
]
"""By a player: a ply, giving up, declining; a draw proposed, a take-back asked for, consent, no consent. By the
clock: forfeited. By the operator: more time, the clocks stopped and set going, plies taken back, a player taken
off the board, the win given, the match made void."""

LEAVING: frozenset[EntryKind] = frozenset({"resigned", "forfeited", "removed"})
"""A seat goes; the others play on while they are two or more."""

OF_NO_SEAT: frozenset[EntryKind] = frozenset({"paused", "resumed", "rewound", "annulled"})


@dataclass(frozen=True, slots=True)
class Entry:
    """The `seq`-th thing (from 1) that happened on a board.

    `text` is the move in stored notation for "played"; the ply to go back to (after which it will stand) for
    "asked" and "rewound"; whole hours for "extended"; empty otherwise. `seat` is who did it or whom it befell;
    None for what concerns all. `at` is when the mail that did it was kept, in UTC. `used` are the seconds that it
    took of the seat's time.
    """

    match: int
    seq: int
    at: datetime
    kind: EntryKind
    seat: Seat | None
    text: str = ""
    used: int = 0
