"""Why something was declined: one frozen value for each reason.

A refusal is an answer, not an error. Its sentence is the template `refusals/NAME.txt`, NAME being the class's name
in lower case with underscores, and its fields are all that the template is given (beside the server's facts).
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The root of all refusals. `board` is the board that it concerns, which the answer shows."""

    board: int | None = None

    @property
    def about_identity(self) -> bool:
        """Whether it is about who the sender is; that stops every later command of the mail."""
        return isinstance(self, WrongPassword | ProofNeeded | NotOurPlayer)


# what was written


@dataclass(frozen=True, slots=True, kw_only=True)
class NoCommand(Refused):
    """The mail holds nothing meant as a command; with `board` it answers a mail of that board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forwarded(Refused):
    """The mail is a forwarded one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownCommand(Refused):
    """`word` is no command; `suggestions` are whole lines, or command names, that were perhaps meant."""

    word: str
    suggestions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownGame(Refused):
    """No game is called `word`."""

    word: str
    suggestions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongForm(Refused):
    """The words after a command do not fit it."""

    command: str
    forms: tuple[str, ...]
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TooManyCommands(Refused):
    """More command lines in one mail than are read."""

    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WhichGame(Refused):
    """Several games are on offer and the line names none."""

    games: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownOption(Refused):
    """The game has no option `name`; it has `options`."""

    game: str
    name: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BadOptionValue(Refused):
    """The option `name` does not take `value`."""

    game: str
    name: str
    value: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoHelpOn(Refused):
    """There is no help page `subject`."""

    subject: str
    suggestions: tuple[str, ...]


# who wrote it


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongPassword(Refused):
    """The userid and password do not belong together, or there is no such userid: the same answer for both."""

    userid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofNeeded(Refused):
    """The command `line` binds `userid`, and a From address alone proves nothing here."""

    userid: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotOurPlayer(Refused):
    """The sender's address belongs to no player, and no userid and password were given."""

    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSuchPlayer(Refused):
    """Nobody is called `userid`."""

    userid: str
    suggestions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UseridTaken(Refused):
    """Somebody else is called `userid`; `free` are not taken."""

    userid: str
    free: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BadUserid(Refused):
    """`userid` cannot be one: its form, or a word that means something else."""

    userid: str
    why: Literal["form", "reserved"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BadPassword(Refused):
    """The new password is too short or too long."""

    least: int
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BadAddress(Refused):
    """`address` is no mail address."""

    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressTaken(Refused):
    """The address already belongs to a player; `userid` is told only to the address itself."""

    address: str
    userid: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SignUpFromThere(Refused):
    """An account for another address than the sender's is opened from that address."""

    userid: str
    address: str


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
    """One userid stands twice in a challenge: nobody plays against themselves."""

    userid: str


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
    """So many games that `userid` has not begun are all that one player may leave there."""

    userid: str
    limit: int


# a board


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSuchBoard(Refused):
    """There is no board `number`."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSuchPly(Refused):
    """The board has only `plies` plies."""

    ply: int
    plies: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherGame(Refused):
    """The board is one of `actual`, not of `named`."""

    named: str
    actual: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotYourBoard(Refused):
    """`userid` does not play on the board."""

    userid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotYourTurn(Refused):
    """It is the turn of `to_move`."""

    to_move: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOver(Refused):
    """The board is finished, or was declined."""

    declined: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AlreadyGone(Refused):
    """`userid` resigned on this board, or was eliminated; the others play on."""

    userid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StalePly(Refused):
    """The move was meant to be ply `meant`; ply `now` comes next."""

    move: str
    meant: int
    now: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableMove(Refused):
    """Not in the game's notation; `example` is a legal move here."""

    game: str
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IllegalMove(Refused):
    """Paragraph `rule` of the game's rules text forbids it; `choices` are legal moves near it, `example` one."""

    game: str
    rule: int
    choices: tuple[str, ...]
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AmbiguousMove(Refused):
    """It could be any of `choices`."""

    choices: tuple[str, ...]
