"""What a command that was carried out says: one frozen value for each kind of answer.

Its sentence is the template `replies/NAME.txt`, NAME being the class's name in lower case with underscores, and
its fields are all that the template is given (beside the server's facts).
"""

from dataclasses import dataclass
from typing import Literal

from pbmserv.commands.declaration import Declaration
from pbmserv.games.game import Info
from pbmserv.matches.open_offer import OpenOffer
from pbmserv.matches.records import Listed, Wanted


@dataclass(frozen=True, slots=True)
class Reply:
    """The root of all replies."""


@dataclass(frozen=True, slots=True)
class YesNeeded(Reply):
    """The command would be carried out, but waits for a `yes`.

    `why`: it cannot be undone; nothing proves who wrote; or what does so is not
    good enough for it, since it proves moves alone, or boards alone.
    """

    command: str
    why: Literal["for good", "unproven", "account", "no move"]


@dataclass(frozen=True, slots=True)
class Dropped(Reply):
    """A `no`: what was asked about will not be done. `lines` are the commands, if it was such."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SignedUp(Reply):
    """An account was opened, and its address is believed: the server's mail goes there.

    Without a password where more than one was chosen for it, and nobody can tell by whom.
    """

    userid: str
    address: str
    has_password: bool = True


@dataclass(frozen=True, slots=True)
class AccountOpened(Reply):
    """An account waits for an answer from its address, to which a mail has gone. It is told to whoever asked."""

    userid: str
    address: str


@dataclass(frozen=True, slots=True)
class Welcome(Reply):
    """The first mail to a new address: whoever reads it there is to answer."""

    userid: str
    address: str


@dataclass(frozen=True, slots=True)
class NotOpened(Reply):
    """A `no` to the first mail to a new address: there is no account."""

    userid: str


@dataclass(frozen=True, slots=True)
class AddressAdded(Reply):
    """An address more is `userid`'s."""

    userid: str
    address: str


@dataclass(frozen=True, slots=True)
class AddressChanged(Reply):
    """Mail to `userid` goes to `address` from now on.

    To that address itself: `boards` that wait for them follow, and `more` do not.
    """

    userid: str
    address: str
    boards: tuple[int, ...] = ()
    more: int = 0


@dataclass(frozen=True, slots=True)
class PasswordChanged(Reply):
    """The new password is in force, and older mails prove nothing any more; `numbers` are boards that wait, and
    there are so many `more`."""

    userid: str
    numbers: tuple[int, ...] = ()
    more: int = 0


@dataclass(frozen=True, slots=True)
class Challenged(Reply):
    """A match has started between `userids`, in that order of play."""

    board: int
    game: Info
    userids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Moved(Reply):
    """The move was played, as written in the log; after it at once the `answers` that were queued.

    Each answer has a userid, which is empty for the sender's own, and the move.
    """

    board: int
    move: str
    answers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Previewed(Reply):
    """A line of `moves`, as a person types them, leads to the board shown; nothing of it is played.

    `playable` is the first of them with its guard, when it is the sender who may play it now; else it is empty.
    """

    board: int
    moves: tuple[str, ...]
    playable: str


@dataclass(frozen=True, slots=True)
class Chatted(Reply):
    """The sender's words go to `userids`, the other players of the board."""

    board: int
    userids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Resigned(Reply):
    """The sender has resigned; `others_play_on` when the game goes on without."""

    board: int
    others_play_on: bool


@dataclass(frozen=True, slots=True)
class Declined(Reply):
    """The sender declined the match before a first move of theirs."""

    board: int


@dataclass(frozen=True, slots=True)
class GamesOnOffer(Reply):
    """Every game, with how many boards of it are active, and the games that are offered to whoever accepts."""

    games: tuple[tuple[Info, int], ...]
    offers: tuple[OpenOffer, ...] = ()


@dataclass(frozen=True, slots=True)
class BoardList(Reply):
    """A page of a listing of boards; `total` fit. `offers` are open."""

    wanted: Wanted
    lines: tuple[Listed, ...]
    total: int
    offers: tuple[OpenOffer, ...] = ()


@dataclass(frozen=True, slots=True)
class Showing(Reply):
    """Boards that were asked for follow; of all that fit, `more` are not shown."""

    numbers: tuple[int, ...]
    more: int


@dataclass(frozen=True, slots=True)
class NextBoards(Reply):
    """The boards where it is the turn of `userid` follow; of all, `more` are not shown."""

    userid: str
    numbers: tuple[int, ...]
    more: int


@dataclass(frozen=True, slots=True)
class HelpIndex(Reply):
    """`help` alone: what this is and where to read on."""

    games: tuple[Info, ...]
    commands: tuple[Declaration, ...]


@dataclass(frozen=True, slots=True)
class HelpCommands(Reply):
    """Every command in one line each."""

    commands: tuple[Declaration, ...]


@dataclass(frozen=True, slots=True)
class HelpCommand(Reply):
    """One command; its own words are `help/commands/NAME.txt`."""

    command: Declaration


@dataclass(frozen=True, slots=True)
class HelpGame(Reply):
    """One game; its rules text is `rules/NAME.txt`."""

    game: Info


@dataclass(frozen=True, slots=True)
class HelpTopic(Reply):
    """A page of its own: `help/topics/NAME.txt`."""

    topic: str
    game: Info
