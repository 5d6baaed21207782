"""Letters: mails as values, from the decision to send one until it is written.

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
"""The due time of a letter to write now. It is in the past, because another machine's clock may be slow."""

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
"""The kind of mail, which decides which limits count it (`services.limits`)."""

TO_UNKNOWN_SENDERS: Final[tuple[MailKind, ...]] = ("stranger", "sign-up")

UNSOLICITED: Final[tuple[MailKind, ...]] = ("board", "notice")


@dataclass(frozen=True, slots=True)
class MailCause:
    """What caused a letter."""

    inbox_id: int | None = None
    """The mail in the inbox; None if it was no mail."""

    in_reply_to: str | None = None
    """The Message-ID of that mail, if the letter answers it."""

    proven: bool = True
    """Whether the person who caused it has proven who they are."""


UNCAUSED: Final = MailCause()
"""The cause of a letter that no mail caused."""


@dataclass(frozen=True)
class Said:
    """Base class of what a letter says, with one class for each kind."""


@dataclass(frozen=True)
class Letter:
    """A mail to be written."""

    said: Said
    kind: MailKind
    recipient: str
    """The address; empty if it goes to nobody."""

    userid: str = ""
    """The player whose address that is; empty if there is none."""

    board: int | None = None
    """The board that it is about, if it is one board."""

    cause: MailCause = UNCAUSED
    due_at: datetime = AT_ONCE
    """When to write it, unless an earlier letter about the board includes it."""

    size: int = 0
    """The size in bytes of the mail it answers, if nothing proves who wrote that."""

    owner: str = ""
    """The player whose answers to it count, if not `userid`: the account of a sign-up."""

    asks: str = ""
    """The id of the open question that a `yes` to it answers."""

    key: int = field(default=0, compare=False)
    """Its row in the database; 0 before it has one."""


@dataclass(frozen=True, slots=True)
class AnsweredLine:
    """The result of one line of a mail."""

    fate: Literal["done", "waits", "refused", "not run"]
    line: str
    """The line as repeated in the answer; may be empty."""

    said: Reply | CommandError | None = None
    """None if the line was not run."""

    board: int | None = None
    """For a line that was not run: the board on which an earlier line was refused; None if all lines stop."""

    words: int = 0
    """How many words below it wait for a `yes` too, since nothing proves who wrote them."""

    is_told_by_board: bool = False
    """Whether the news of its board makes this answer redundant, if the letter shows that board."""


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """The result of one line, for people who ask what came of their mail."""

    fate: Literal["done", "waits", "refused", "not run"]
    said: Reply | CommandError | None = None


@dataclass(frozen=True)
class KeptOutcome(Said):
    """The result of a mail, as stored in its row of the inbox."""

    fate: str
    why_automatic: str
    """Why it counts as automatic; empty if a person may have written it."""

    lines: tuple[LineOutcome, ...]
    more: int
    """How many more lines are left out."""


@dataclass(frozen=True, slots=True)
class ShownBoard:
    """A board in a letter."""

    number: int
    ply: int | None = None
    """Shown after that ply; None: in its current state."""

    tried: tuple[str, ...] = ()
    """Moves previewed on it."""

    is_whole: bool = False
    """Whether all its moves are listed."""

    remarks: tuple[Reply, ...] = ()
    since: int | None = None
    """After which entry the news begins; None: after the reader's own last turn."""

    is_changed: bool = False
    """Whether the answered mail has changed it."""

    begun: Move = ()
    """The steps of an unfinished move."""


@dataclass(frozen=True)
class Answer(Said):
    """The answer to a mail: the result of each line, then the boards it is about."""

    lines: tuple[AnsweredLine, ...]
    about: str
    """The Subject, if the answer is not about a single board."""

    boards: tuple[ShownBoard, ...] = ()
    unshown: tuple[int, ...] = ()
    """Changed boards left out for lack of room."""

    concerned: tuple[int, ...] = ()
    """The numbers of the boards that the lines are about."""

    asks: Confirmation | None = None
    """The question that a `yes` to the answer answers."""

    left_out: tuple[str, ...] = ()
    """Commands that would pass on text which was not passed on."""

    notes: tuple[Reply, ...] = ()
    """Notes on other matters, at the end."""

    records: tuple[int, ...] = ()
    """Boards whose records were asked for."""

    puzzle: int | None = None
    is_known: bool = False
    """Whether a player has written; only mails to players can be recognised by the answers to them."""

    newcomer: str = ""
    """The player whose practice board is shown, before its first move."""

    has_changed: bool = False
    """Whether the mail has changed anything, so that it must be answered."""

    is_limited: bool = False
    """Whether nothing proves who wrote the mail, so that little may be sent to its address."""


@dataclass(frozen=True)
class BoardNews(Said):
    """A board, sent to a player who did not ask for it."""

    remarks: tuple[Reply, ...] = ()
    author: str = ""
    """The userid of the player who acted; empty for the clock and the operator."""

    words: str = ""
    """The author's text to the reader."""

    is_talk: bool = False
    """Whether it reports only chat."""

    is_watched: bool = False
    since: int | None = None
    """After which entry the news begins; None: after the reader's own last turn."""

    begins_turn: bool = False
    """Whether the present turn counts from this letter."""

    is_news: bool = False
    """Whether it only tells what has happened: where its reader knows that by then, nothing is left to say."""


@dataclass(frozen=True)
class Notice(Said):
    """A message that is not about a single board."""

    words: Reply
    about: str = "news"
    has_html: bool = True


@dataclass(frozen=True)
class Asked(Said):
    """A question that goes to another address than the answer."""

    words: Reply
    confirmation: Confirmation


@dataclass(frozen=True)
class FixedText(Said):
    """A template with its parameters."""

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
    """All boards that wait for the reader."""

    notes: tuple[Reply, ...] = ()


@dataclass(frozen=True)
class MoveToTell(Said):
    """A move of the reader's for the daily receipt, unless another mail about its board reports it."""


@dataclass(frozen=True)
class UnknownSaid(Said):
    """A stored value of another version."""


def leaving_kind(said: Said) -> LeaveKind:
    """What a reader stops by unsubscribing from a letter."""
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
