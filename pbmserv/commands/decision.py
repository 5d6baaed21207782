"""What a command decided: all that is to be kept and all that is to be said."""

from dataclasses import dataclass, field

from pbmserv.commands.message import BoardRef
from pbmserv.commands.replies import Reply
from pbmserv.matches.entry import Entry
from pbmserv.matches.match import Match, Replayed


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

    `opened` is a match that starts; `entries` follow in the logs of their matches; `boards` are the matches that
    either is about, as they stand then, and everybody on them is sent them. `account` is a change to a player.
    """

    reply: Reply
    shows: tuple[BoardRef, ...] = ()
    opened: Match | None = None
    entries: tuple[Entry, ...] = ()
    boards: tuple[Replayed, ...] = ()
    account: NewPlayer | NewPassword | None = None

    @property
    def touched(self) -> tuple[int, ...]:
        """The boards on which something happened, in ascending order."""
        return tuple(sorted(board.match.number for board in self.boards))
