"""What a command decides: the answer, what is written, who else is told, and which boards the answer shows."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Literal, dataclass_transform

from pbmserv.commands.base.arguments import BoardRef
from pbmserv.commands.base.changes import Change
from pbmserv.commands.base.declaration import Confirmation
from pbmserv.matches.errors import block_of
from pbmserv.matches.log import Entry, Match
from pbmserv.matches.replay import GameState

Place = Literal["first", "above", "below"]
"""Where a reply stands in a board mail: before the news, between the news and the board, or below the board."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
@dataclass(frozen=True)
class Reply:
    """What an answer says: the base of one class for each kind of answer. Each is a frozen dataclass by itself.

    The template gets the reply's fields, and the facts about the server.
    """

    template: ClassVar[str]
    """Its sentences (`block_of`)."""

    place: ClassVar[Place]

    def __init_subclass__(cls, place: Place = "above") -> None:
        super().__init_subclass__()
        dataclass(frozen=True)(cls)
        cls.template, cls.place = block_of(cls), place


@dataclass(frozen=True, slots=True)
class Question:
    """A mail that asks for a `yes`, with a token of its own. It goes to the address in `confirmation`."""

    confirmation: Confirmation
    words: Reply
    """What the mail says."""

    rests_days: int = 0
    """The question is not mailed again within so many days."""

    is_due: bool = False
    """It is mailed, however many mails went to that address lately."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What a board mail says above the board."""

    board: int
    userid: str | None
    """The only player who reads it; None: all players of the board do."""

    words: Reply


def words_above(remarks: Iterable[Remark], board: int, userid: str | None) -> list[Reply]:
    """What is said above a board to one of its players (None: to anybody)."""
    return [each.words for each in remarks if each.board == board and each.userid in (None, userid)]


@dataclass(frozen=True, slots=True)
class ShownBoards:
    """The boards that an answer shows to whoever gave the command."""

    boards: tuple[BoardRef, ...] = ()
    """Boards as they stand, or stood after a ply."""

    previews: tuple[GameState, ...] = ()
    """Boards as they would stand."""

    records: tuple[GameState, ...] = ()
    """Boards whose whole game record is attached."""


@dataclass(frozen=True, slots=True)
class Notifications:
    """What others are told."""

    question: Question | None = None
    to_addresses: tuple[tuple[str, Reply], ...] = ()
    """Addresses, and what is mailed there."""

    to_players: tuple[tuple[str, Reply], ...] = ()
    """Players by username, and what each is mailed."""

    remarks: tuple[Remark, ...] = ()
    """What the mails with the changed boards say above them."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What comes of a command. Nothing is written or mailed yet."""

    reply: Reply
    """What the sender is told."""

    opened: Match | None = None
    """A match that starts."""

    entries: tuple[Entry, ...] = ()
    """What is added to the logs of matches."""

    boards: tuple[GameState, ...] = ()
    """The changed boards as they stand then. Everybody on them is mailed them."""

    changes: tuple[Change, ...] = ()
    """All other changes, in the order in which they are written."""

    notifications: Notifications = field(default_factory=Notifications)
    shown: ShownBoards = field(default_factory=ShownBoards)

    awaits_yes: bool = False
    """The command waits for a `yes`, and nothing else is decided yet."""

    @property
    def changed_boards(self) -> tuple[int, ...]:
        """The numbers of the changed boards, in ascending order."""
        return tuple(sorted(board.match.number for board in self.boards))
