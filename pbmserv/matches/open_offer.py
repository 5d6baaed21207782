"""An open offer: a game for anyone who accepts."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from pbmserv.matches.clock import DAY, TimeControl

FIRST_OFFER: Final = 1
LAST_OFFER: Final = 99
"""Boards begin above, so that a number tells which of the two it is of."""

STAYS_OPEN: Final[timedelta] = 30 * DAY

OfferStatus = Literal["open", "taken", "withdrawn", "expired"]


@dataclass(frozen=True, slots=True)
class OpenOffer:
    """What `seeker` offers under a number; `joined` have accepted so far, in that order. `match` has come of it.

    `clock` are the terms of its clocks; `moves_last`: the seeker is last in the order of play, not first.
    """

    id: int
    number: int
    seeker: str
    game: str
    options: tuple[tuple[str, str], ...]
    rated: bool
    clock: TimeControl | None
    seats: int
    moves_last: bool
    made: datetime
    joined: tuple[str, ...] = ()
    status: OfferStatus = "open"
    match: int | None = None

    @property
    def expires(self) -> datetime:
        """When it closes."""
        return self.made + STAYS_OPEN

    @property
    def players(self) -> tuple[str, ...]:
        """Who plays so far: the seeker, and then in the order in which they came."""
        return (self.seeker, *self.joined)

    @property
    def missing(self) -> int:
        """How many seats are still free."""
        return self.seats - len(self.players)


def in_order_of_play(offer: OpenOffer, *accepting: str) -> tuple[str, ...]:
    """Those who play, and those who accept now, in their order of play."""
    came = (*offer.players, *accepting)
    return came[::-1] if offer.moves_last else came


def number_after(last: int, taken: frozenset[int]) -> int | None:
    """The next number of an offer, round and round from the one given last; None when all are taken.

    >>> number_after(99, frozenset({1, 2})), number_after(0, frozenset())
    (3, 1)
    """
    round_from_there = (*range(last + 1, LAST_OFFER + 1), *range(FIRST_OFFER, last + 1))
    return next((number for number in round_from_there if number not in taken), None)
