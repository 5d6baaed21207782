"""What the records hold about one player beside boards: the answer to "what do you know about me?"."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal


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
class KeptAbout:
    """Everything but boards, settings and blocks. `mails` are the newest, of `mails_total` that are kept."""

    signed_up: datetime
    addresses: tuple[KeptAddress, ...]
    questions: tuple[KeptQuestion, ...]
    mails: tuple[KeptMail, ...]
    mails_total: int
    returns: tuple[KeptReturn, ...]
