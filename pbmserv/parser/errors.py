"""What can be wrong with a mail, or with a line of it, before any command is known."""

from dataclasses import dataclass

from pbmserv.commands.command import Confirmation
from pbmserv.games.info import Info
from pbmserv.matches.errors import CommandError


@dataclass(frozen=True, slots=True)
class BoardStanding:
    """How a board stands for one who writes about it."""

    # The game of the board, or the one that examples are of.
    game: Info
    is_over: bool = False
    # Whether the writer is to move.
    is_turn: bool = False
    # The other players; empty if the writer is none.
    others: tuple[str, ...] = ()


class NoCommand(CommandError):
    """The mail holds words and no command; `board` is the one that it answers, or else one that waits."""

    # What the words ask about, a topic of `topics`; empty if that is not known.
    topic: str = ""
    # Whether the same was answered a short while ago.
    is_again: bool = False
    # The question that it answers without saying `yes` or `no`.
    asked: Confirmation | None = None
    # The only move that its words name in passing, or empty.
    near: str = ""
    is_empty: bool = False
    # Whether the mail answers a mail about `board`.
    is_reply: bool = False
    # How the board stands for the writer.
    standing: BoardStanding
    # The writer; empty where the address is nobody's yet.
    userid: str = ""
    # The player whose message it answers, or empty.
    writer: str = ""
    # More boards where it is the writer's turn.
    waiting: tuple[int, ...] = ()


class Forwarded(CommandError):
    """The mail is a forwarded one."""


class TooLarge(CommandError):
    """The mail has so many kilobytes that only its head was kept."""

    kilobytes: int


class TooMuchAtOnce(CommandError):
    """The mail holds more words on command lines, or above its first command, than are read. Nothing was run."""


class UnknownCommand(CommandError):
    """`word` is no command; `suggestions` are whole lines, or command names, that were perhaps meant."""

    word: str
    suggestions: tuple[str, ...]


class NotPlainlySaid(CommandError):
    """A line may mean to give something up, but is not that command and nothing else; `ready` would be."""

    ready: str


class WhichOne(CommandError):
    """The mail says different things where one can be meant only: `choices`, secrets blotted. Nothing was run.

    So many moves were `left_out` of the choices, since they are not possible now.
    """

    choices: tuple[str, ...]
    left_out: int = 0
