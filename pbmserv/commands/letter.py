"""Letters: what is to be said to somebody, as values, from when it is decided until it is written.

A letter holds no position and no text: boards are named by their numbers and drawn when the letter is written.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Literal

from pbmserv.commands.command import Confirmation, Reply
from pbmserv.commands.set import LeaveKind
from pbmserv.commands.talk import BroadcastFrom, MessageFrom
from pbmserv.games.game import Move
from pbmserv.matches.errors import CommandError

AT_ONCE: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""When a letter is due that may be written now. In the past, because another machine's clock may be behind."""

MailKind = Literal[
    "answer",  # a reply to a player
    "fruitless",  # a reply to proven commands that changed nothing
    "puzzled",  # a reply to a mail without any command
    "stranger",  # a reply to an unknown sender
    "sign-up",  # a reply to an unknown sender's sign-up
    "short",  # the letter to an unknown sender
    "limit",  # the notice that a rate limit was reached
    "no room",  # the notice that no more accounts can be opened now
    "not theirs",  # the notice that a mail does not seem to come from the player it names
    "address",  # asks a player whether an address is theirs, too
    "invitation",  # sent by the operator
    "question",  # asks for a "yes", outside a reply
    "board",  # unsolicited: a board
    "notice",  # unsolicited: news
    "goodbye",  # the last reply to a deleted account, redacted once it is sent
    "last",  # says that no more mail comes, since mail came back
]
"""What kind of mail it is; what it costs depends on it (`services.limits`)."""

TO_UNKNOWN_SENDERS: Final[tuple[MailKind, ...]] = ("stranger", "sign-up")

UNSOLICITED: Final[tuple[MailKind, ...]] = ("board", "notice")


@dataclass(frozen=True, slots=True)
class MailCause:
    """What brought a letter about."""

    inbox_id: int | None = None
    """The mail in the inbox; None if it was no mail."""

    in_reply_to: str | None = None
    """The Message-ID of that mail, if the letter answers it."""

    proven: bool = True
    """Whether the person who caused it has proven who they are."""


UNCAUSED: Final = MailCause()
"""Of a letter that no mail brought about."""


@dataclass(frozen=True)
class Said:
    """What a letter says: the base of one class for each kind."""


@dataclass(frozen=True)
class Letter:
    """What is to be said to somebody."""

    said: Said
    kind: MailKind
    recipient: str
    """The address; empty where it goes to nobody."""

    userid: str = ""
    """The player whose address that is; empty where it is nobody's."""

    board: int | None = None
    """The board that it is about, if it is one board."""

    cause: MailCause = UNCAUSED
    due_at: datetime = AT_ONCE
    """When it is written, unless another letter about the board takes it along."""

    size: int = 0
    """How many bytes the mail had that it answers, where nothing proves who wrote that."""

    owner: str = ""
    """Whose answers to it count, where that is not `userid`: the account that a sign-up is about."""

    asks: str = ""
    """The id of the open question that a `yes` to it answers."""

    key: int = field(default=0, compare=False)
    """Its row in the database; 0 before it has one."""


@dataclass(frozen=True, slots=True)
class AnsweredLine:
    """What became of one line of a mail."""

    fate: Literal["done", "waits", "refused", "not run"]
    line: str
    """As it is repeated; may be empty."""

    said: Reply | CommandError | None = None
    """None where the line was not run."""

    board: int | None = None
    """For a line that was not run: the board on which an earlier line was refused; None if all lines stop."""

    is_unsaid: bool = False
    """Whether the words below it were not passed on, since nothing proves who wrote them."""

    is_told_by_board: bool = False
    """Whether the news of its board says all that could be said of it, if the letter shows that board."""


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """What became of one line, for people who ask how a mail has fared."""

    fate: Literal["done", "waits", "refused", "not run"]
    said: Reply | CommandError | None = None


@dataclass(frozen=True)
class KeptOutcome(Said):
    """What became of a mail, as its row in the inbox keeps it."""

    fate: str
    why_automatic: str
    """Empty where a person may have written it."""

    lines: tuple[LineOutcome, ...]
    more: int
    """How many lines are not told."""


@dataclass(frozen=True, slots=True)
class ShownBoard:
    """A board in a letter."""

    number: int
    ply: int | None = None
    """As it stood after that ply; None: as it stands."""

    tried: tuple[str, ...] = ()
    """Moves that are only tried on it."""

    is_whole: bool = False
    """Whether all its moves are listed."""

    remarks: tuple[Reply, ...] = ()
    since: int | None = None
    """After which entry the news begins; None: after the reader's own last turn."""

    is_changed: bool = False
    """Whether the mail that is answered has changed it."""

    begun: Move = ()
    """The steps of a move that is not decided yet."""


@dataclass(frozen=True)
class Answer(Said):
    """The answer to a mail: what became of each line, then the boards that it is about."""

    lines: tuple[AnsweredLine, ...]
    about: str
    """What the Subject says where the answer is about no one board."""

    boards: tuple[ShownBoard, ...] = ()
    unshown: tuple[int, ...] = ()
    """Changed boards that there is no room for."""

    concerned: tuple[int, ...] = ()
    """The numbers of the boards that the lines are about."""

    asks: Confirmation | None = None
    """The question that a `yes` to the answer answers."""

    left_out: tuple[str, ...] = ()
    """Commands that would pass on words that were passed on to nobody."""

    notes: tuple[Reply, ...] = ()
    """What is said of something else, below all."""

    records: tuple[int, ...] = ()
    """Boards whose records were asked for."""

    ended: tuple[int, ...] = ()
    """Boards whose games have just come to their end."""

    puzzle: int | None = None
    is_known: bool = False
    """Whether a player has written; only mails to players can be recognised by the answers to them."""

    newcomer: str = ""
    """The player whose practice board is shown, which is not there yet."""

    has_changed: bool = False
    """Whether the mail has changed anything, so that its sender must be told."""

    is_limited: bool = False
    """Whether nothing proves who wrote the mail, so that little may go to its address."""


@dataclass(frozen=True)
class BoardNews(Said):
    """A board, to one who did not ask for it."""

    remarks: tuple[Reply, ...] = ()
    author: str = ""
    """The userid of who did what it tells; empty for the clock and the operator."""

    words: str = ""
    """What the author says to the reader."""

    is_talk: bool = False
    """Whether nothing happened but talk."""

    is_watched: bool = False
    since: int | None = None
    """After which entry the news begins; None: after the reader's own last turn."""

    begins_turn: bool = False
    """Whether the present turn counts from this letter."""


@dataclass(frozen=True)
class Notice(Said):
    """Words about no one board."""

    words: Reply
    about: str = "news"
    has_html: bool = True


@dataclass(frozen=True)
class Asked(Said):
    """A question that goes to another address than the answer to the mail that caused it."""

    words: Reply
    confirmation: Confirmation


@dataclass(frozen=True)
class FixedText(Said):
    """A template of its own, with what it needs to know."""

    template: str
    about: str
    context: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class PuzzleLetter(Said):
    """The puzzle of the week."""

    words: Reply
    puzzle: int


@dataclass(frozen=True)
class Digest(Said):
    """Every board that waits for its reader."""

    notes: tuple[Reply, ...] = ()


@dataclass(frozen=True)
class MoveToTell(Said):
    """A move of the reader's that the letter of the day tells, unless another mail about its board does."""


@dataclass(frozen=True)
class UnknownSaid(Said):
    """What another version has kept."""


def leaving_kind(said: Said) -> LeaveKind:
    """What the reader of a letter stops by unsubscribing from it."""
    match said:
        case Digest():
            return "digest"
        case PuzzleLetter():
            return "puzzle"
        case BoardNews(is_watched=True):
            return "watching"
        case Notice(words=MessageFrom()):
            return "messages"
        case Notice(words=BroadcastFrom()):
            return "broadcast"
    return "mail"
