"""What can be wrong with a command about a player's account.

As in `matches.refusals`, each class's name names its template.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from pbmserv.matches.refusals import Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class WhosePassword(Refused):
    """`forgot` without a userid from an address that belongs to nobody."""


# addresses


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAnAddress(Refused):
    """What stood behind `command` has not the form of an address."""

    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OurAddress(Refused):
    """`address` is one of the server's own."""

    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressIsYours(Refused):
    """The address is the player's already; `is_first` when mail goes there."""

    address: str
    is_first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TooManyAddresses(Refused):
    """So many addresses are all that one player may have, or (`are_asked`) may have asked without an answer yet.

    `last` is one that the player has, not the first unless it is the only one.
    """

    limit: int
    are_asked: bool
    last: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedOfLate(Refused):
    """What cannot be undone waits, since another address can take the account back `until` then."""

    until: datetime


# other players


@dataclass(frozen=True, slots=True, kw_only=True)
class NotYourself(Refused):
    """A player blocks others, not themselves."""

    userid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotBlocked(Refused):
    """`userid` was not blocked; those who are stand in `blocked`."""

    userid: str
    blocked: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TakesNoChallenges(Refused):
    """`userid` takes no challenges, or none from this sender: which of both is not told."""

    userid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotTogether(Refused):
    """Of the players whom the sender named, `userids` cannot be in one game: one has blocked the other.

    Which of them is not told, nor why.
    """

    userids: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotThereYet(Refused):
    """`userid` has not answered the first mail to their address yet."""

    userid: str


# settings


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSuchSetting(Refused):
    """There is no such setting; `settings` can be on or off, `lines` set what is more than that."""

    settings: tuple[str, ...]
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NeitherOnNorOff(Refused):
    """The setting `name` can be one of `choices`, and not what was said."""

    name: str
    choices: tuple[str, ...] = ("on", "off")


@dataclass(frozen=True, slots=True, kw_only=True)
class BannedHere(Refused):
    """The operator wants `userid` here no more."""

    about_identity: ClassVar[bool] = True

    userid: str
