"""What is said of open offers and of rematches. As in `replies`, each class's name names its template."""

from dataclasses import dataclass

from pbmserv.commands.replies.common import Reply
from pbmserv.matches.open_offer import OpenOffer


@dataclass(frozen=True, slots=True)
class Sought(Reply):
    """The sender's offer is open."""

    offer: OpenOffer


@dataclass(frozen=True, slots=True)
class JoinedIn(Reply):
    """The sender has accepted an offer that still waits for others; `offer` is it with the sender."""

    offer: OpenOffer


@dataclass(frozen=True, slots=True)
class OfferTaken(Reply):
    """A match has come of offer `number` of `seeker`: told to those who had a seat before the last was taken."""

    number: int
    seeker: str


@dataclass(frozen=True, slots=True)
class OfferWithdrawn(Reply):
    """The sender's offer is open no more."""

    number: int
    joined: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SteppedBack(Reply):
    """The sender, who had accepted an offer of `seeker`, waits no more."""

    number: int
    seeker: str


@dataclass(frozen=True, slots=True)
class OfferGone(Reply):
    """An offer that the reader had accepted is open no more: `seeker` has withdrawn it."""

    number: int
    game: str
    seeker: str


@dataclass(frozen=True, slots=True)
class OfferExpired(Reply):
    """An offer was open so many `days`, and not enough have accepted: told to all who had a part in it."""

    offer: OpenOffer
    days: int


@dataclass(frozen=True, slots=True)
class RematchRunning(Reply):
    """The rematch of `board` is being played already: board `rematch`, which `started_by` began."""

    board: int
    rematch: int
    started_by: str


@dataclass(frozen=True, slots=True)
class PlayedAgain(Reply):
    """The board is a rematch of board `after`: told above it."""

    after: int
