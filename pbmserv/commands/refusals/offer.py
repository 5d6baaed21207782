"""What can be wrong with open offers and rematches.

As in `matches.refusals`, each class's name names its template.
"""

from dataclasses import dataclass
from typing import Literal

from pbmserv.matches.open_offer import OpenOffer
from pbmserv.matches.refusals import Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSuchOffer(Refused):
    """No offer `number` is open; perhaps `match` has come of it. `offers` would do with `command`."""

    number: int
    command: Literal["accept", "withdraw"]
    match: int | None
    offers: tuple[OpenOffer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnOffer(Refused):
    """The sender's own offer cannot be accepted by the sender."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AlreadyJoined(Refused):
    """The sender has accepted that offer already, and it still waits for others."""

    offer: OpenOffer


@dataclass(frozen=True, slots=True, kw_only=True)
class YouBlocked(Refused):
    """The sender wants nothing from `userid`, who has a part in the offer."""

    number: int
    userid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotYourOffer(Refused):
    """The sender has no part in that offer of `seeker`."""

    number: int
    seeker: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TooManyOffers(Refused):
    """So many offers may be open: the sender's own, which are `own`, or (then it is empty) all there are."""

    limit: int
    own: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotOverYet(Refused):
    """The board is still being played, so there is nothing to play again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAllHere(Refused):
    """Of the players of a board one is no player here any more, so that they cannot play `game` again."""

    game: str
