"""What can be wrong with a mail, or with a line of it, before any command is known."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from pbmserv.commands.base.declaration import Confirmation
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


@dataclass(kw_only=True)
class NoCommand(CommandError):
    """The mail holds words and no command; `board` is the one that it answers, or else one that waits."""

    template: ClassVar[str] = "parser/errors.txt:no_command"

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


@dataclass(kw_only=True)
class Forwarded(CommandError):
    """The mail is a forwarded one."""

    template: ClassVar[str] = "parser/errors.txt:forwarded"


@dataclass(kw_only=True)
class TooLarge(CommandError):
    """The mail has so many kilobytes that only its head was kept."""

    template: ClassVar[str] = "parser/errors.txt:too_large"

    kilobytes: int


@dataclass(kw_only=True)
class TooMuchAtOnce(CommandError):
    """The mail holds more words on command lines, or above its first command, than are read. Nothing was run."""

    template: ClassVar[str] = "parser/errors.txt:too_much_at_once"


@dataclass(kw_only=True)
class UnknownCommand(CommandError):
    """`word` is no command; `suggestions` are whole lines, or command names, that were perhaps meant."""

    template: ClassVar[str] = "parser/errors.txt:unknown_command"

    word: str
    suggestions: tuple[str, ...]


@dataclass(kw_only=True)
class NotPlainlySaid(CommandError):
    """A line may mean to give something up, but is not that command and nothing else; `ready` would be."""

    template: ClassVar[str] = "parser/errors.txt:not_plainly_said"

    ready: str


@dataclass(kw_only=True)
class MoreThanYes(CommandError):
    """A `yes` to a question stands beside another word, as in replies that programs write: it confirms nothing."""

    template: ClassVar[str] = "parser/errors.txt:more_than_yes"


@dataclass(kw_only=True)
class WhichOne(CommandError):
    """The mail says different things where one can be meant only: `choices`, secrets blotted. Nothing was run.

    So many moves were `left_out` of the choices, since they are not possible now.
    """

    template: ClassVar[str] = "parser/errors.txt:which_one"

    choices: tuple[str, ...]
    left_out: int = 0


NotTalkKind = Literal["plan", "password", "command"]


@dataclass(kw_only=True)
class NotTalk(CommandError):
    """A line below a command is rather a plan, a password or another command, so no words of the mail were sent.

    `ready` is the command that queues the plan, or plays its first move; empty if that is not clear. It may be no
    more than an example of what can be queued.
    """

    template: ClassVar[str] = "parser/errors.txt:not_talk"

    kind: NotTalkKind
    ready: str = ""
    is_example: bool = False


@dataclass(kw_only=True)
class TooManyCommands(CommandError):
    """More command lines in one mail than are read."""

    template: ClassVar[str] = "parser/errors.txt:too_many_commands"

    limit: int


@dataclass(kw_only=True)
class MisplacedAs(CommandError):
    """`as userid password` stands below a command, stands twice, or has no command below it."""

    template: ClassVar[str] = "parser/errors.txt:misplaced_as"

    about_identity = True

    userid: str


@dataclass(kw_only=True)
class ChatAmongOthers(CommandError):
    """Words on a chat's own line, in a mail that does something on another board too: who are they for?"""

    template: ClassVar[str] = "parser/errors.txt:chat_among_others"


@dataclass(kw_only=True)
class WordsAmongOthers(CommandError):
    """Words for players in a mail that does something else too: who are they for? `command` sends them."""

    template: ClassVar[str] = "parser/errors.txt:words_among_others"

    command: str
