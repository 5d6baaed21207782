"""Changes that a command makes other than to the logs of boards, each a frozen value. Only `store` writes them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal, dataclass_transform

from pbmserv.games.game import Seat
from pbmserv.matches.clock import TimeControl
from pbmserv.matches.conditional_moves import PlanKind
from pbmserv.matches.puzzles import PuzzleEnd

SettingKey = Literal["html", "words", "takes_challenges", "broadcast", "messages", "receipts", "boards"]
"""The fields of a player, or of their mail settings, that a setting can be."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Change:
    """Base class of the changes; each class below becomes a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(frozen=True)(cls)


class NewPlayer(Change):
    """An account is opened; with `is_confirmed` its address is confirmed. A password is optional.

    `replaced` are unconfirmed accounts that hold the userid or address.
    """

    userid: str
    address: str
    password_hash: str | None = field(repr=False)
    is_confirmed: bool = True
    replaced: tuple[int, ...] = ()


class NewPassword(Change):
    """A player has a new password."""

    player_id: int
    password_hash: str = field(repr=False)


class RevokedWords(Change):
    """Earlier mails to a player no longer prove anything, by address or link, and their questions are closed."""

    player_id: int


class BelievedAddress(Change):
    """A new player's address is confirmed by an answer from it."""

    address: str


class NewAddress(Change):
    """A player has another address; with `is_first` it replaces the first one, and mail goes there.

    `replaced` are unconfirmed accounts that hold the address.
    """

    player_id: int
    address: str
    is_first: bool
    replaced: tuple[int, ...] = ()


class DeniedAddress(Change):
    """A player has denied that an address is theirs, and is not asked again."""

    player_id: int
    address: str


class RestoredAddress(Change):
    """An address becomes the player's first one, again or by the operator; of the others, those in `stay` remain.

    The password is removed, since an intruder may have chosen it; and no address that was notified of a change
    `since` then (None: none at all) can take it back.
    """

    player_id: int
    address: str
    stay: tuple[str, ...] = ()
    since: datetime | None = None
    replaced: tuple[int, ...] = ()


class NewSetting(Change):
    """A player has changed a setting."""

    player_id: int
    key: SettingKey
    value: bool | str


class MailStopped(Change):
    """A player gets mail only about the ends of games from now on; or all mail again, if `is_lifted`."""

    player_id: int
    is_lifted: bool = False


class BlockChange(Change):
    """A player blocks another one, or lifts the block (`is_lifted`)."""

    player_id: int
    blocked_id: int
    is_lifted: bool = False


class Erased(Change):
    """A player's account is deleted; the boards stay, under another name."""

    player_id: int


class Barred(Change):
    """The operator bans a player, or lifts the ban (`is_lifted`)."""

    player_id: int
    is_lifted: bool = False


class NewDigest(Change):
    """A player gets all boards in one mail by schedule ("daily 07:30"), next at `due`; None: one mail a board."""

    player_id: int
    schedule: str | None
    due: datetime | None


class NewVacations(Change):
    """Replaces a player's holidays from `since` on by these, each with its first and last day."""

    player_id: int
    since: date
    days: tuple[tuple[date, date], ...]


class WeeklyPuzzle(Change):
    """A player gets a puzzle a week, next at `due`; None: no longer."""

    player_id: int
    due: datetime | None


class PuzzleSent(Change):
    """A player is sent a puzzle, `by_week` or on request; an earlier record of it is kept."""

    player_id: int
    number: int
    by_week: bool = False


class PuzzleAnswered(Change):
    """A player has answered an unfinished puzzle."""

    player_id: int
    number: int
    how: PuzzleEnd


# boards


class NewConditionalPlan(Change):
    """A seat's plan for a board, hidden from others; replaces its plan of that kind.

    `plies` were played when it was made, or when the part before it was played; `content` can be JSON.
    """

    board: int
    seat: Seat
    kind: PlanKind
    plies: int
    content: Mapping[str, Any] = field(repr=False)


class DroppedConditionalPlan(Change):
    """A seat's plan of that kind is dropped."""

    board: int
    seat: Seat
    kind: PlanKind


class Subscription(Change):
    """A player subscribes to others' board, or unsubscribes (`is_over`)."""

    board: int
    player_id: int
    is_over: bool = False


class AnalysisRequest(Change):
    """A player is to be mailed the analysis of a board once it is made; `proven`: who asks is proven."""

    board: int
    player_id: int
    proven: bool


class NewOffer(Change):
    """A game for `seats` players is offered to anyone who accepts, under a number that people type.

    The player moves first in it, or last.
    """

    number: int
    player_id: int
    game: str
    options: tuple[tuple[str, str], ...]
    rated: bool
    clock: TimeControl | None
    seats: int
    moves_last: bool = False


class JoinedOffer(Change):
    """A player has accepted an offer that waits for more."""

    offer_id: int
    player_id: int


class LeftOffer(Change):
    """A player who had accepted an offer gives the seat up."""

    offer_id: int
    player_id: int


class EndedOffer(Change):
    """An offer is closed: it became `match`, was withdrawn, or has expired."""

    offer_id: int
    status: Literal["taken", "withdrawn", "expired"]
    match: int | None = None
