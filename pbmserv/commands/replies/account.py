"""What is said of a player's account: the commands about it that were carried out, and the mails that ask or tell.

As in `replies`, each class's name names its template.
"""

from dataclasses import dataclass
from datetime import date

from pbmserv.commands.replies.common import Reply
from pbmserv.matches.kept import KeptAbout
from pbmserv.matches.records import Listed

# a forgotten password


@dataclass(frozen=True, slots=True)
class PasswordAsked(Reply):
    """To whoever says that a password is forgotten: if there is such a player, a mail has gone to their address.

    Not when it `is_own`: then the sender's own was meant.
    """

    is_own: bool


@dataclass(frozen=True, slots=True)
class NewPasswordWanted(Reply):
    """The question to the player: answer with the new password."""

    userid: str


@dataclass(frozen=True, slots=True)
class Revoked(Reply):
    """Older mails prove nothing any more; `numbers` are boards that wait, and there are so many `more`."""

    numbers: tuple[int, ...]
    more: int


# addresses


@dataclass(frozen=True, slots=True)
class AddressAsked(Reply):
    """To the player: a mail has gone to `address`, which must be answered from there."""

    address: str


@dataclass(frozen=True, slots=True)
class AddressWanted(Reply):
    """The question to a new address of `userid`; it takes the place of the first one when it `is_first`."""

    userid: str
    address: str
    is_first: bool


@dataclass(frozen=True, slots=True)
class MayTakeBack(Reply):
    """To the first address of `userid`: there is a new one, which takes its place when it `is_first`."""

    userid: str
    address: str
    is_first: bool


@dataclass(frozen=True, slots=True)
class TakenBack(Reply):
    """`address` is the first one of `userid` again; those that are `gone` are theirs no more.

    `boards` that wait for them follow, and `more` do not.
    """

    userid: str
    address: str
    gone: tuple[str, ...]
    boards: tuple[int, ...]
    more: int


@dataclass(frozen=True, slots=True)
class AddressGone(Reply):
    """To an address that was the first one of `userid` until the one before it took the account back."""

    userid: str
    address: str


@dataclass(frozen=True, slots=True)
class ChangeStands(Reply):
    """To a former address of `userid`: it has said itself that the change is to stand."""

    userid: str


@dataclass(frozen=True, slots=True)
class AddressGiven(Reply):
    """To an address of `userid`: the operator has asked another one to take its place."""

    userid: str
    address: str


# leaving


@dataclass(frozen=True, slots=True)
class SignedOff(Reply):
    """`userid` has resigned and declined all these boards and is challenged no more."""

    userid: str
    resigned: tuple[int, ...]
    declined: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Deleted(Reply):
    """`userid` has resigned and declined all these boards and is forgotten."""

    userid: str
    resigned: tuple[int, ...]
    declined: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Exported(Reply):
    """All that is kept about `userid`: settings by key, boards of others that they watch, whom they block, boards
    (of `total`), and the rest."""

    userid: str
    settings: tuple[tuple[str, str], ...]
    vacations: tuple[tuple[date, date], ...]
    watched: tuple[int, ...]
    blocked: tuple[str, ...]
    boards: tuple[Listed, ...]
    total: int
    kept: KeptAbout


# other players


@dataclass(frozen=True, slots=True)
class Blocked(Reply):
    """Nothing more comes from `userid`; on `boards` both are still playing, and those go on."""

    userid: str
    boards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Unblocked(Reply):
    """Things come from `userid` again."""

    userid: str


# settings


@dataclass(frozen=True, slots=True)
class SettingChanged(Reply):
    """The setting `key` is now on, or off."""

    key: str
    is_on: bool
