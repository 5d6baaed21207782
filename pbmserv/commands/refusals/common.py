"""What can be wrong with a command as written, with whom it is from, and with a challenge.

As in `matches.refusals`, each class's name names its template.
"""

from dataclasses import dataclass
from typing import Literal

from pbmserv.commands.confirmation import Confirmation
from pbmserv.matches.refusals import Refused

# what was written


@dataclass(frozen=True, slots=True, kw_only=True)
class NoCommand(Refused):
    """The mail holds nothing meant as a command; with `board` it answers a mail of that board.

    `asked` is the question that it answers without saying `yes` or `no`; `near` is the only move that
    its words name in passing, or empty. `is_over`: on the board nothing more is played. `writer` is the player
    whose message it answers, or empty.
    """

    asked: Confirmation | None = None
    near: str = ""
    is_empty: bool = False
    is_over: bool = False
    writer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forwarded(Refused):
    """The mail is a forwarded one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TooLarge(Refused):
    """The mail has so many kilobytes that only its head was kept."""

    kilobytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownCommand(Refused):
    """`word` is no command; `suggestions` are whole lines, or command names, that were perhaps meant."""

    word: str
    suggestions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownGame(Refused):
    """There is no such game."""

    suggestions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongForm(Refused):
    """The words after a command do not fit it."""

    command: str
    forms: tuple[str, ...]
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotPlainlySaid(Refused):
    """A line may mean to give something up, but is not that command and nothing else; `ready` would be."""

    ready: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WhichOne(Refused):
    """The mail says different things where one can be meant only: `choices`, secrets blotted. Nothing was run."""

    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TooManyCommands(Refused):
    """More command lines in one mail than are read."""

    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WhichGame(Refused):
    """Several games are on offer and the line, such as `example`, names none."""

    games: tuple[str, ...]
    example: str = "challenge alice bob"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownOption(Refused):
    """The game has no such option; with `command` it has `options`."""

    game: str
    options: tuple[str, ...]
    command: str = "challenge"


@dataclass(frozen=True, slots=True, kw_only=True)
class BadOptionValue(Refused):
    """The option `name` does not take that value. `game` and `userids` are ready for a command.

    `userids` are to play; nobody is named where a game is sought.
    """

    game: str
    name: str
    choices: tuple[str, ...]
    userids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoHelpOn(Refused):
    """There is no such help page."""

    suggestions: tuple[str, ...]


# who wrote it


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongPassword(Refused):
    """The userid and password do not belong together, or there is no such userid: the same answer for both."""

    about_identity = True

    userid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoPasswordsNow(Refused):
    """After too many wrong passwords for `userid`, or from the sender, even a right one is not looked at."""

    about_identity = True

    userid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TooManyPasswords(Refused):
    """The mail holds more than `limit` passwords to be verified, or more than `limit` new ones."""

    about_identity = True

    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MisplacedAs(Refused):
    """`as userid password` stands below a command, stands twice, or has no command below it."""

    about_identity = True

    userid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnotherPlayer(Refused):
    """The line is `userid`'s, who has not proven it, in a mail that somebody else has proven to be theirs."""

    userid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingToConfirm(Refused):
    """There is no open question that this `yes` or `no` answers, or it was asked of somebody else.

    `waits`: the mail that was answered is of `board`, where this waits for the sender to accept or reject.
    `lacks_word`: that mail does ask something, but a word in the answer must name it.
    """

    waits: Literal["draw", "undo"] | None = None
    lacks_word: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PasswordLacking(Refused):
    """A `yes` to the question for a forgotten password names no new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotOurPlayer(Refused):
    """The sender's address belongs to no player, and no userid and password were given."""

    about_identity = True

    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSuchPlayer(Refused):
    """Nobody is called so."""

    suggestions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UseridTaken(Refused):
    """Somebody else is called `userid`, or `like` it; `free` are not taken."""

    userid: str
    like: str
    free: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BadUserid(Refused):
    """The word for a userid cannot be one: its form, or that it means something else; `free` could be."""

    why: Literal["form", "reserved"]
    free: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BadPassword(Refused):
    """The new password is too short, too long, or the word that stands for one."""

    least: int
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BadAddress(Refused):
    """What stood in an address's place is no mail address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressTaken(Refused):
    """The address already belongs to a player; `userid` is told only to the address itself."""

    address: str
    userid: str | None


# games between people


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongNumberOfPlayers(Refused):
    """The game wants another number of players. `game` and `example` are ready for a command."""

    game: str
    named: int
    least: int
    most: int
    example: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SamePlayerTwice(Refused):
    """One userid stands twice in a challenge: nobody plays against themselves. `userids` are all of them once."""

    userid: str
    game: str
    userids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAmongPlayers(Refused):
    """The sender is none of those named. `userid` is who the sender is; `game` and `others` make a command."""

    userid: str
    game: str
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TooManyGames(Refused):
    """So many games a day is all that one player may start."""

    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TooManyUnbegun(Refused):
    """So many games that `userid` has not begun are all that one player, the `starter`, may leave there."""

    userid: str
    limit: int
    starter: str
