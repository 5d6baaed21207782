"""What a command changes other than the logs of boards: one frozen value for each. Only `store` writes them."""

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
    """What is written beside the logs. Each class below is a frozen dataclass by itself."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(frozen=True)(cls)


class NewPlayer(Change):
    """An account is opened. Its address is believed at once when `is_confirmed`. It needs no password.

    `replaced` are accounts that nobody ever confirmed and whose userid or address is wanted now.
    """

    userid: str
    address: str
    password_hash: str | None = field(repr=False)
    is_confirmed: bool = True
    replaced: tuple[int, ...] = ()


class NewPassword(Change):
    """A player's password is another one."""

    player_id: int
    password_hash: str = field(repr=False)


class RevokedWords(Change):
    """Earlier mails to a player no longer prove anything, by address or link, and questions in them are closed."""

    player_id: int


class BelievedAddress(Change):
    """Somebody has answered from the address of a new player."""

    address: str


class NewAddress(Change):
    """An address more is the player's; when `is_first`, mail goes there, and the first one so far is given up.

    `replaced` are accounts for that address that nobody ever confirmed.
    """

    player_id: int
    address: str
    is_first: bool
    replaced: tuple[int, ...] = ()


class DeniedAddress(Change):
    """A player has said that an address is not theirs: they are not asked again."""

    player_id: int
    address: str


class RestoredAddress(Change):
    """An address is the player's first one, again or by the operator; only those that `stay` are theirs besides.

    No password is in force then, since the one who had the account may have chosen it; and no address that was
    told of a change `since` then (None: none at all) can take it back any longer.
    """

    player_id: int
    address: str
    stay: tuple[str, ...] = ()
    since: datetime | None = None
    replaced: tuple[int, ...] = ()


class NewSetting(Change):
    """A player has set something."""

    player_id: int
    key: SettingKey
    value: bool | str


class MailStopped(Change):
    """A player gets nothing but the ends of games from now on; or all mail again, when it `is_lifted`."""

    player_id: int
    is_lifted: bool = False


class BlockChange(Change):
    """A player blocks another one, or lifts the block (`is_lifted`)."""

    player_id: int
    blocked_id: int
    is_lifted: bool = False


class Erased(Change):
    """A player is forgotten: only the boards stay, under another name."""

    player_id: int


class Barred(Change):
    """The operator bans a player, or lifts the ban (`is_lifted`)."""

    player_id: int
    is_lifted: bool = False


class NewDigest(Change):
    """A player's boards come in one mail, by a schedule ("daily 07:30"), next at `due`; None: each by itself."""

    player_id: int
    schedule: str | None
    due: datetime | None


class NewVacations(Change):
    """A player's holidays from `since` on are these, first and last day each, instead of all that were set."""

    player_id: int
    since: date
    days: tuple[tuple[date, date], ...]


class WeeklyPuzzle(Change):
    """A player gets a puzzle a week, next at `due`; None: no longer."""

    player_id: int
    due: datetime | None


class PuzzleSent(Change):
    """A player is sent a puzzle, `by_week` or because they asked; one that they had already stays as it is."""

    player_id: int
    number: int
    by_week: bool = False


class PuzzleAnswered(Change):
    """A player has answered a puzzle that they had not finished."""

    player_id: int
    number: int
    how: PuzzleEnd


# boards


class NewConditionalPlan(Change):
    """A seat's plan for a board, known to nobody else, in place of the one of that kind that it had.

    `plies` are those played when it was made, or when what came before it was played; `content` can be JSON.
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
    """A player watches a board of others, or stops (`is_over`)."""

    board: int
    player_id: int
    is_over: bool = False


class AnalysisRequest(Change):
    """A player is to be mailed the analysis of a board once it is made; `proven`: whether it is sure who asks."""

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
    """An offer is closed: `match` has come of it, or it was withdrawn or has expired."""

    offer_id: int
    status: Literal["taken", "withdrawn", "expired"]
    match: int | None = None
