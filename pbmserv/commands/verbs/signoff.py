"""`signoff`: leave, and keep the account."""

from dataclasses import dataclass
from datetime import datetime

from pbmserv.commands.changes import NewSetting
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.open_offers import without
from pbmserv.commands.replies.account import SignedOff
from pbmserv.commands.verbs.resign import resign_seat
from pbmserv.matches.entry import Entry
from pbmserv.matches.player import Player
from pbmserv.matches.records import Records, Wanted
from pbmserv.matches.refusals import Refused
from pbmserv.matches.replay import Replayed

_PAGE = 200


@dataclass(frozen=True, slots=True)
class Left:
    """A player has left every game: what follows in their logs, and how each stands then, by number."""

    entries: tuple[Entry, ...]
    boards: tuple[Replayed, ...]

    def numbers(self, kind: str) -> tuple[int, ...]:
        """The boards that were "resigned" or "declined"."""
        return tuple(entry.match for entry in self.entries if entry.kind == kind)


def leave_all(player: Player, records: Records, now: datetime) -> Left:
    """Resigns or declines every game in which the player still has a part."""
    entries: list[Entry] = []
    boards: list[Replayed] = []
    for number in sorted(_running(player, records)):
        board = records.board(number)
        seat = board.match.seat_of(player.userid) if board else None
        if board is None or seat is None:
            raise LookupError(f"board {number} is not {player.userid}'s, though it is listed so")
        decided = resign_seat(board, seat, now)
        # Who has resigned or was put out before has no part in it any more.
        if isinstance(decided, Decision):
            entries += decided.entries
            boards += decided.boards
    return Left(tuple(entries), tuple(boards))


def _running(player: Player, records: Records) -> list[int]:
    numbers: list[int] = []
    while True:
        page = records.boards(Wanted(userids=(player.userid,), first=len(numbers), count=_PAGE))
        numbers += [line.number for line in page.lines]
        if len(numbers) >= page.total or not page.lines:
            return numbers


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Leaves every game; nobody can start one with the player until they want that again."""
    player = request.actor.player
    if player is None:
        raise ValueError("a sign-off without a player")
    left = leave_all(player, records, now)
    offers, tells = without(player, records)
    return Decision(
        SignedOff(player.userid, left.numbers("resigned"), left.numbers("declined")),
        entries=left.entries,
        boards=left.boards,
        changes=(NewSetting(player.id, "takes_challenges", value=False), *offers),
        tells=tells,
    )


command = Command(
    name="signoff",
    kind="binding",
    forms=("signoff [userid password]",),
    summary="resign all your games and take no new ones",
    example="signoff",
    run=run,
)
