"""What a command decided: all that is to be kept and all that is to be said."""

from dataclasses import dataclass, field

from pbmserv.commands.message import BoardRef
from pbmserv.commands.replies import Reply
from pbmserv.matches.entry import Entry
from pbmserv.matches.match import Match


@dataclass(frozen=True, slots=True)
class NewPlayer:
    """An account is opened."""

    userid: str
    address: str
    password_hash: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class NewPassword:
    """A player's password is another one."""

    player_id: int
    password_hash: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Decision:
    """`reply` goes to the sender, `shows` are boards it asks to see.

    `opened` is a match that starts; `entries` follow in the logs of their matches; `account` is a change to a
    player. Everybody on a board that `touched` names is sent that board.
    """

    reply: Reply
    shows: tuple[BoardRef, ...] = ()
    opened: Match | None = None
    entries: tuple[Entry, ...] = ()
    account: NewPlayer | NewPassword | None = None

    @property
    def touched(self) -> tuple[int, ...]:
        """The boards on which something happened, in ascending order."""
        opened = () if self.opened is None else (self.opened.number,)
        return tuple(sorted({*opened, *(entry.match for entry in self.entries)}))
