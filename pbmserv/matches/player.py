"""A player as the other floors see one: no secret, no row."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pbmserv.matches.conditional_moves import PlanKind

MessagesFrom = Literal["on", "known", "off"]
"""From everybody, from those whom they have played with, from nobody."""


@dataclass(frozen=True, slots=True)
class Player:
    """`userid` as its owner writes it; `address` is where the server's mail goes.

    `is_suspended`: what went there came back, so that board mail is held back until they write. `is_confirmed`:
    somebody has answered from the address. `html`: mails have an HTML part beside the text; `words`: boards and
    listings come in words. `takes_challenges`: others may start games with them; `broadcast`: they want what is
    written to all; `messages`: from whom messages come to them. `robot` names the program that plays for them, who
    then has no address: it is empty. `digest` is when their boards come in one mail ("daily 07:30"). `is_banned`:
    the operator wants them here no more.
    """

    id: int
    userid: str
    address: str
    is_suspended: bool = False
    is_confirmed: bool = True
    html: bool = True
    words: bool = False
    takes_challenges: bool = True
    broadcast: bool = False
    messages: MessagesFrom = "on"
    robot: str | None = None
    digest: str | None = None
    is_banned: bool = False


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

    `offers` are the numbers of open offers that the player made or has joined; `said` is how often of late they
    wrote to others, of which nothing else is kept here.
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
