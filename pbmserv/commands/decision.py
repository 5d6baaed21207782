"""What a command decided: all that is to be kept and all that is to be said."""

from dataclasses import dataclass, field
from typing import Literal

from pbmserv.commands.confirmation import Confirmation
from pbmserv.commands.message import BoardRef
from pbmserv.commands.replies import Reply
from pbmserv.matches.entry import Entry
from pbmserv.matches.match import Match, Replayed

# changes to players


@dataclass(frozen=True, slots=True)
class NewPlayer:
    """An account is opened. Its address is believed at once when `is_confirmed`.

    `replaced` are accounts that nobody ever confirmed and whose userid or address is wanted now.
    """

    userid: str
    address: str
    password_hash: str = field(repr=False)
    is_confirmed: bool = True
    replaced: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class NewPassword:
    """A player's password is another one."""

    player_id: int
    password_hash: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class BelievedAddress:
    """Somebody has answered from the address of a new player."""

    address: str


@dataclass(frozen=True, slots=True)
class NewAddress:
    """An address more is the player's; when `is_first`, mail goes there, and the first one so far is given up."""

    player_id: int
    address: str
    is_first: bool


@dataclass(frozen=True, slots=True)
class NewSetting:
    """A player has set something."""

    player_id: int
    key: Literal["html", "words", "takes_challenges"]
    value: bool


@dataclass(frozen=True, slots=True)
class Block:
    """A player wants nothing from another one any more; or again, when it `is_lifted`."""

    player_id: int
    blocked_id: int
    is_lifted: bool = False


@dataclass(frozen=True, slots=True)
class Erased:
    """A player is forgotten: only the boards stay, under another name."""

    player_id: int


Change = NewPlayer | NewPassword | BelievedAddress | NewAddress | NewSetting | Block | Erased


@dataclass(frozen=True, slots=True)
class Question:
    """To be mailed to the confirmation's address with a token of its own, in these words.

    `rests_days`: asked about the same within so many days, nothing is mailed again.
    """

    confirmation: Confirmation
    words: Reply
    rests_days: int = 0


@dataclass(frozen=True, slots=True)
class Decision:
    """`reply` goes to the sender, `shows` are boards it asks to see, `imagined` ones as they would stand.

    `opened` is a match that starts; `entries` follow in the logs of their matches; `boards` are the matches that
    either is about, as they stand then, and everybody on them is sent them. `changes` are to players, in order.
    `question` goes to an address that has to say `yes`, and `news` to addresses that are to know of it. When it
    `awaits_yes`, nothing else is decided yet: the line is to be confirmed first.
    """

    reply: Reply
    shows: tuple[BoardRef, ...] = ()
    imagined: tuple[Replayed, ...] = ()
    opened: Match | None = None
    entries: tuple[Entry, ...] = ()
    boards: tuple[Replayed, ...] = ()
    changes: tuple[Change, ...] = ()
    question: Question | None = None
    news: tuple[tuple[str, Reply], ...] = ()
    awaits_yes: bool = False

    @property
    def touched(self) -> tuple[int, ...]:
        """The boards on which something happened, in ascending order."""
        return tuple(sorted(board.match.number for board in self.boards))
