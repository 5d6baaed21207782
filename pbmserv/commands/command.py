"""How a command is declared, what it gets, and what it returns.

A command is declared once; everything else is derived from it: the parser, the usage in a refusal, `help X`, the
web help and the table in docs/playing.md. A form is written as people read it, and `parser.fitting` parses by it:

    [game] move board [userid password] move[#ply]

The parser turns a line into `Arguments`; the command gets a `Request` with them and returns a `Decision`.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from types import MappingProxyType
from typing import ClassVar, Literal, dataclass_transform

import pbmserv.commands
from pbmserv.commands.changes import Change
from pbmserv.commands.server import Server
from pbmserv.matches.errors import CommandError, block_of
from pbmserv.matches.log import Entry, Match
from pbmserv.matches.player import Player
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import GameState

# what it gets


@dataclass(frozen=True, slots=True)
class BoardRef:
    """A board, now or as it stood after a ply: `101`, `101#7`."""

    number: int
    ply: int | None = None


@dataclass(frozen=True, slots=True)
class Arguments:
    """What the parser has read; the fields are shared by all forms. What was not given is empty."""

    game: str | None = None
    boards: tuple[BoardRef, ...] = ()

    offer: int | None = None
    """The number of an open offer."""

    userids: tuple[str, ...] = ()
    move: str = ""

    ply: int | None = None
    """The ply that the sender expects next: `c3#7`."""

    words: tuple[str, ...] = ()
    """A filter, a help page, or a setting and its value."""

    address: str = ""
    options: tuple[tuple[str, str], ...] = ()

    moves: tuple[str, ...] = ()
    """The moves of a preview; or another spelling of a move whose first letter a phone has capitalised."""

    ahead: str = field(default="", repr=False)
    """Conditional moves, as written."""

    text: str = field(default="", repr=False)
    """Words to other players, as written."""

    @property
    def board(self) -> int:
        """The first board, for a command whose forms all name one."""
        return self.boards[0].number

    @property
    def userid(self) -> str:
        """The first player, for a command whose forms all name one."""
        return self.userids[0]

    @property
    def first_board(self) -> int | None:
        """The first board, if any is named."""
        return self.boards[0].number if self.boards else None

    @property
    def first_userid(self) -> str | None:
        """The first player, if any is named."""
        return self.userids[0] if self.userids else None


ConfirmationKind = Literal[
    "commands", "sign-up", "address", "first address", "given address", "own address", "password", "take back"
]
"""What `yes` does: carries lines out; believes a new player's address; adds an address, puts another in the place
of the first one, or (when the operator gives it) of all; adds one from which a mail with a word of the player's
came, and carries its lines out ("own address"); or puts a new password in the place of a forgotten one. "take
back" is no question, and `no` is what does something: the addresses are as they were before."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A question that is open.

    `userid` is the player whom it is about; `address` the one that it is mailed to. `about` names what is asked:
    once one mail about it is answered, all are. `lines` are commands without any secret, each with the words below
    it that go along, or the addresses that stay when others are taken back; of an "own address" that address comes
    first. `shown` is the ply after which each board was seen by who was asked.
    """

    kind: ConfirmationKind
    userid: str
    address: str
    about: str
    lines: tuple[str, ...] = ()
    shown: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Secret:
    """A password as typed. It is never printed, and only `services.authenticate` looks inside."""

    value: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Credentials:
    """ "I am this userid, and here is my password.\""""

    userid: str
    password: Secret


Proof = Literal["none", "from", "dmarc", "shown", "link", "personal", "password", "confirmed", "operator"]
"""How the sender was proven: not at all; by the From address, where that is believed; by the mail system of its
domain; by an answer to a mail that proves the next move on the boards in it; by a play link, which proves moves on
the boards that its mail named; by an answer to the personal address of a mail that only they were sent; by
password; by a `yes`; by the operator. `permission` says what each allows."""


@dataclass(frozen=True, slots=True)
class Actor:
    """The sender of a request, and how that was proven."""

    player: Player | None
    """None: an unknown sender."""

    address: str | None
    """The From address."""

    proof: Proof

    shown: tuple[tuple[int, int], ...] = ()
    """The boards in the mail that this one answers, each with its ply. A proof by answer is good for these."""

    is_believed: bool = False
    """The From address is trusted to be the sender's."""

    @property
    def proven(self) -> bool:
        """Whether anything at all proves that the player wrote it."""
        return self.player is not None and self.proof != "none"


@dataclass(frozen=True, slots=True)
class RepliedTo:
    """Our mail that a request replies to; all fields are empty if it replies to none."""

    board: int | None = None
    """The board that the mail was about."""

    written_at: datetime | None = None
    """When the mail was written."""

    question: Confirmation | None = None
    """What a `yes` or `no` answers."""

    needs_word: bool = False
    """The mail asks a question that the answer must name by a word, and does not."""


@dataclass(frozen=True, slots=True)
class Request:
    """What one line of a mail asks for. It holds no password and no token."""

    line: str
    """The line as written, with all secrets blotted out."""

    command: "Command"
    arguments: Arguments
    actor: Actor

    password_hash: str | None = field(default=None, repr=False)
    """Made from the new password in the line."""

    comment: str = field(default="", repr=False)
    """The text below the commands."""

    replied_to: RepliedTo = field(default_factory=RepliedTo)

    server: Server = field(kw_only=True)
    """The server that gets the request."""

    @property
    def player(self) -> Player:
        """The player who sent it. Raises NotOurPlayer."""
        if self.actor.player is None:
            raise NotOurPlayer(board=self.arguments.first_board, command=self.command.name)
        return self.actor.player


BLOT = "***"


# what it decides

Place = Literal["first", "above", "below"]
"""Where a reply stands in a board mail: before the news, between the news and the board, or below the board."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
@dataclass(frozen=True)
class Reply:
    """Base class of what an answer says, with one class for each kind; each becomes a frozen dataclass.

    The template gets the reply's fields and the server.
    """

    template: ClassVar[str]
    """Its sentences (`block_of`)."""

    place: ClassVar[Place]

    def __init_subclass__(cls, place: Place = "above") -> None:
        super().__init_subclass__()
        dataclass(frozen=True)(cls)
        cls.template, cls.place = block_of(cls.__module__, cls.__name__), place


@dataclass(frozen=True, slots=True)
class Question:
    """A mail that asks for a `yes`, with its own token. It goes to the address in `confirmation`."""

    confirmation: Confirmation
    words: Reply
    """What the mail says."""

    rests_days: int = 0
    """The question is not mailed again within this many days."""

    is_due: bool = False
    """It is mailed even if the address has reached its mail limit."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What a board mail says above the board."""

    board: int
    userid: str | None
    """The player who reads it; None: all players of the board."""

    words: Reply


def words_above(remarks: Iterable[Remark], board: int, userid: str | None) -> list[Reply]:
    """What is said above a board to one of its players (None: to anybody)."""
    return [each.words for each in remarks if each.board == board and each.userid in (None, userid)]


@dataclass(frozen=True, slots=True)
class Decision:
    """The result of a command. Nothing is written or mailed yet."""

    reply: Reply
    """The answer to the sender."""

    opened: Match | None = None
    """A match that starts."""

    entries: tuple[Entry, ...] = ()
    """Entries to add to the logs of matches."""

    boards: tuple[GameState, ...] = ()
    """The changed boards in their new state. All their players are mailed them."""

    changes: tuple[Change, ...] = ()
    """All other changes, in the order in which they are written."""

    question: Question | None = None
    to_addresses: tuple[tuple[str, Reply], ...] = ()
    """Addresses, and what is mailed there."""

    to_players: tuple[tuple[str, Reply], ...] = ()
    """Players by username, and what each is mailed."""

    remarks: tuple[Remark, ...] = ()
    """What the mails with the changed boards say above them."""

    shown: tuple[BoardRef, ...] = ()
    """Boards that the answer shows, as they stand, or stood after a ply."""

    previews: tuple[GameState, ...] = ()
    """Boards that it shows as they would stand."""

    records: tuple[GameState, ...] = ()
    """Boards whose whole game record is attached to it."""

    awaits_yes: bool = False
    """The command waits for a `yes`, and nothing else is decided yet."""

    @property
    def changed_boards(self) -> tuple[int, ...]:
        """The numbers of the changed boards, in ascending order."""
        return tuple(sorted(board.match.number for board in self.boards))


# the declaration

CommandKind = Literal["open", "opening", "binding", "signup", "token"]
"""Who may give it: anybody; the owner of the From address, because it binds nobody; only a proven sender; an
unknown sender (or one who forgot their password); the player who was mailed a token."""

Scope = Literal["board", "players", "setting", "mail", "account"]
"""What a binding command is about: its boards; the players that it names; the setting that it names; the mail
that a player gets; or the account as a whole. How well it must be proven follows from that (`permission`)."""


class NotOurPlayer(CommandError, about_identity=True):
    """The sender's address belongs to no player, and no userid and password were given."""

    command: str


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, its forms, who may give it, and its function."""

    # One word or two.
    name: str
    # Usage patterns, as people read them and as `parser.fitting` parses by them.
    forms: tuple[str, ...]
    summary: str
    # A line that works as it stands, given such a board and player.
    example: str
    run: Callable[[Request, Queries, datetime], Decision]
    kind: CommandKind = field(default="binding", kw_only=True)
    # Whether it runs only after a `yes`, however well it is proven who gave it.
    asks_again: bool = field(default=False, kw_only=True)
    # What a binding command is about.
    scope: Scope = field(default="account", kw_only=True)

    @property
    def help(self) -> str:
        """Its help text: the block `help_NAME` in the template of its module."""
        return block_of(self.run.__module__, f"help_{self.name}".replace(" ", "_"))

    def decide(self, request: Request, records: Queries, now: datetime) -> Decision:
        """Returns the decision on a request; changes nothing. `now` is when the mail was received.

        Raises CommandError; NotOurPlayer if only players may give the command and the sender is unknown.
        """
        if self.kind in ("opening", "binding"):
            _ = request.player
        return self.run(request, records, now)


@lru_cache(maxsize=1)
def commands() -> Mapping[str, Command]:
    """All commands by name, in alphabetical order."""
    modules = (
        importlib.import_module(f"pbmserv.commands.{found.name}")
        for found in pkgutil.iter_modules(pbmserv.commands.__path__)
        if not found.ispkg
    )
    declared = {value for module in modules for value in vars(module).values() if isinstance(value, Command)}
    return MappingProxyType({command.name: command for command in sorted(declared, key=lambda each: each.name)})
