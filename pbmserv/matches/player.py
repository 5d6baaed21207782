"""A player as the other floors see one: no secret, no row."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from pbmserv.matches.conditional_moves import PlanKind
from pbmserv.matches.puzzles import PuzzleTry

MessagesFrom = Literal["on", "known", "off"]
"""From everybody, from those whom they have played with, from nobody."""

Receipts = Literal["on", "off", "daily"]
"""How often a player's moves by mail are acknowledged: each time, never, or once a day."""

BoardMail = Literal["turns", "all"]
"""Which changes of a board with three or more players are mailed: when it is one's turn, or each of them."""

MOVES_ACKNOWLEDGED: Final = 5
"""The first moves by mail that are acknowledged each, whatever `Receipts` says."""


@dataclass(frozen=True, slots=True)
class MailSettings:
    """What mail a player gets."""

    html: bool = True
    """Mails have an HTML part beside the text."""

    words: bool = False
    """Boards and listings come in words, with nothing drawn."""

    broadcast: bool = False
    """They get what is written to all players."""

    messages: MessagesFrom = "on"
    receipts: Receipts = "daily"
    boards: BoardMail = "turns"

    digest: str | None = None
    """When all boards that wait for them come in one mail ("daily 07:30"); None: each comes by itself."""

    puzzle: bool = False
    """They get a puzzle a week."""

    is_off: bool = False
    """They get nothing but the ends of their games, until they write."""

    acknowledged: int = MOVES_ACKNOWLEDGED
    """How many of their first moves by mail were acknowledged."""


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody who plays."""

    id: int

    userid: str
    """As its owner writes it."""

    address: str
    """Where mail goes; empty for a robot."""

    is_suspended: bool = False
    """Mail to the address came back, so board mail is held back until they write."""

    is_confirmed: bool = True
    """Somebody has answered from the address."""

    takes_challenges: bool = True
    """Others may start games with them."""

    robot: str | None = None
    """Which program plays for them; None for people."""

    is_banned: bool = False
    """The operator has banned them."""

    mail: MailSettings = MailSettings()


@dataclass(frozen=True, slots=True)
class PersonalAddress:
    """An address of the player. `confirmed` and `suspended` are since when somebody answered from there, and since
    when what goes there comes back; None when not."""

    address: str
    is_first: bool
    confirmed: datetime | None
    suspended: datetime | None


@dataclass(frozen=True, slots=True)
class PersonalQuestion:
    """A question that waits for a `yes` from an address; `lines` are the commands that it is about, if any."""

    kind: str
    address: str
    lines: tuple[str, ...]
    asked: datetime


@dataclass(frozen=True, slots=True)
class PersonalMail:
    """A mail that came from an address of the player, or that was to go there, and what became of it."""

    way: Literal["from", "to"]
    address: str
    at: datetime
    fate: str


@dataclass(frozen=True, slots=True)
class PersonalBounce:
    """A report that a mail did not reach an address: for good, or for the moment."""

    address: str
    at: datetime
    is_hard: bool


@dataclass(frozen=True, slots=True)
class PersonalPlan:
    """What the player has in mind for a board, which `queue` or `submit` has left there."""

    board: int
    kind: PlanKind
    made: datetime


@dataclass(frozen=True, slots=True)
class PersonalData:
    """Everything but boards, settings and blocks. `mails` are the newest, of `mails_total` that are kept.

    `offers` are the numbers of open offers that the player made or has joined; `said` is how often they wrote to
    others lately, of which nothing else is kept here. `told` are boards, up to which entry of its log the player
    was told of each, and when they last moved there on a page.
    """

    signed_up: datetime
    addresses: tuple[PersonalAddress, ...]
    questions: tuple[PersonalQuestion, ...]
    mails: tuple[PersonalMail, ...]
    mails_total: int
    returns: tuple[PersonalBounce, ...]
    plans: tuple[PersonalPlan, ...] = ()
    offers: tuple[int, ...] = ()
    said: int = 0
    puzzles: tuple[PuzzleTry, ...] = ()
    told: tuple[tuple[int, int, datetime | None], ...] = ()
