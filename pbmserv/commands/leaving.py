"""`signoff` and `delete`: leave all games; have the account erased."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from pbmserv.commands.address import TAKEN_BACK_WITHIN, takes_back
from pbmserv.commands.base.arguments import NoArguments
from pbmserv.commands.base.changes import Erased, NewSetting
from pbmserv.commands.base.decision import Decision, Notifications, Reply
from pbmserv.commands.base.registry import PlayerCommand
from pbmserv.commands.base.request import PlayerRequest
from pbmserv.commands.offers import without
from pbmserv.commands.resign import resign_seat
from pbmserv.matches.errors import AlreadyGone, CommandError
from pbmserv.matches.log import Entry
from pbmserv.matches.player import Player
from pbmserv.matches.queries import ListingQuery, Queries
from pbmserv.matches.replay import GameState


@dataclass(frozen=True, slots=True)
class SignedOff(Reply):
    """`userid` has resigned and declined all these boards and is challenged no more."""

    template: ClassVar[str] = "commands/leaving.txt:signed_off"

    userid: str
    resigned: tuple[int, ...]
    declined: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Deleted(Reply):
    """`userid` has resigned and declined all these boards and is forgotten."""

    template: ClassVar[str] = "commands/leaving.txt:deleted"

    userid: str
    resigned: tuple[int, ...]
    declined: tuple[int, ...]


@dataclass(kw_only=True)
class ChangedOfLate(CommandError):
    """What cannot be undone waits, since another address can take the account back `until` then."""

    template: ClassVar[str] = "commands/leaving.txt:changed_of_late"

    until: datetime


_PAGE = 200


@dataclass(frozen=True, slots=True)
class GamesLeft:
    """A player has left every game: what follows in their logs, and how each stands then, by number."""

    entries: tuple[Entry, ...]
    boards: tuple[GameState, ...]

    def numbers(self, kind: str) -> tuple[int, ...]:
        """The boards that were "resigned" or "declined"."""
        return tuple(entry.match for entry in self.entries if entry.kind == kind)


def leave_all(player: Player, records: Queries, now: datetime) -> GamesLeft:
    """Resigns or declines every game in which the player still has a part."""
    entries: list[Entry] = []
    boards: list[GameState] = []
    for number in sorted(_running(player, records)):
        board = records.board(number)
        seat = board.match.seat_of(player.userid) if board else None
        if board is None or seat is None:
            raise LookupError(f"board {number} is not {player.userid}'s, though it is listed so")
        try:
            decision = resign_seat(board, seat, records, now)
        except AlreadyGone:
            # The board is listed as long as the others play on.
            continue
        entries += decision.entries
        boards += decision.boards
    return GamesLeft(tuple(entries), tuple(boards))


def _running(player: Player, records: Queries) -> list[int]:
    numbers: list[int] = []
    while True:
        page = records.boards(
            ListingQuery(userids=(player.userid,), first=len(numbers), count=_PAGE, with_practice=True)
        )
        numbers += [line.number for line in page.lines]
        if len(numbers) >= page.total or not page.lines:
            return numbers


def run_signoff(request: PlayerRequest[NoArguments], records: Queries, now: datetime) -> Decision:
    """Leaves every game; nobody can start one with the player until they want that again."""
    player = request.player
    left = leave_all(player, records, now)
    offers, tells = without(player, records)
    return Decision(
        SignedOff(player.userid, left.numbers("resigned"), left.numbers("declined")),
        entries=left.entries,
        boards=left.boards,
        changes=(NewSetting(player.id, "takes_challenges", value=False), *offers),
        notifications=Notifications(to_players=tells),
    )


signoff_command = PlayerCommand(
    name="signoff",
    kind="binding",
    forms=("signoff [userid password]",),
    summary="resign all your games and take no new ones",
    example="signoff",
    arguments=NoArguments,
    run=run_signoff,
    help="commands/leaving.txt:help_signoff",
)


def run_delete(request: PlayerRequest[NoArguments], records: Queries, now: datetime) -> Decision:
    """Leaves every game and erases the account; not while a former address could take it back."""
    player = request.player
    elsewhere = [each for each in takes_back(player, records, now) if each.address != player.address]
    if elsewhere and request.actor.proof != "operator":
        raise ChangedOfLate(until=elsewhere[-1].asked + TAKEN_BACK_WITHIN)
    left = leave_all(player, records, now)
    _, tells = without(player, records)
    return Decision(
        Deleted(player.userid, left.numbers("resigned"), left.numbers("declined")),
        entries=left.entries,
        boards=left.boards,
        changes=(Erased(player.id),),
        notifications=Notifications(to_players=tells),
    )


delete_command = PlayerCommand(
    name="delete",
    kind="binding",
    forms=("delete [userid password]",),
    summary="resign all your games and erase your account",
    example="delete",
    arguments=NoArguments,
    run=run_delete,
    help="commands/leaving.txt:help_delete",
    asks_again=True,
)
