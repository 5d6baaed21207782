"""What the records hold about one player beside boards: the answer to "what do you know about me?"."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pbmserv.matches.plan import PlanKind


@dataclass(frozen=True, slots=True)
class KeptAddress:
    """An address of the player. `confirmed` and `suspended` are since when somebody answered from there, and since
    when what goes there comes back; None when not."""

    address: str
    is_first: bool
    confirmed: datetime | None
    suspended: datetime | None


@dataclass(frozen=True, slots=True)
class KeptQuestion:
    """A question that waits for a `yes` from an address; `lines` are the commands that it is about, if any."""

    kind: str
    address: str
    lines: tuple[str, ...]
    asked: datetime


@dataclass(frozen=True, slots=True)
class KeptMail:
    """A mail that came from an address of the player, or that was to go there, and what became of it."""

    way: Literal["from", "to"]
    address: str
    at: datetime
    fate: str


@dataclass(frozen=True, slots=True)
class KeptReturn:
    """A report that a mail did not reach an address: for good, or for the moment."""

    address: str
    at: datetime
    is_hard: bool


@dataclass(frozen=True, slots=True)
class KeptPlan:
    """What the player has in mind for a board, which `queue` or `submit` has left there."""

    board: int
    kind: PlanKind
    made: datetime


@dataclass(frozen=True, slots=True)
class KeptAbout:
    """Everything but boards, settings and blocks. `mails` are the newest, of `mails_total` that are kept.

    `offers` are the numbers of open offers that the player made or has joined; `said` is how often of late they
    wrote to others, of which nothing else is kept here.
    """

    signed_up: datetime
    addresses: tuple[KeptAddress, ...]
    questions: tuple[KeptQuestion, ...]
    mails: tuple[KeptMail, ...]
    mails_total: int
    returns: tuple[KeptReturn, ...]
    plans: tuple[KeptPlan, ...] = ()
    offers: tuple[int, ...] = ()
    said: int = 0
