"""`change password`, `forgot`, `revoke`, `export`, `signoff` and `delete`: commands about one's account."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from pbmserv.commands.address import TAKEN_BACK_WITHIN, takes_back
from pbmserv.commands.changes import Erased, NewPassword, NewSetting, RevokedWords
from pbmserv.commands.command import (
    Command,
    Confirmation,
    Decision,
    Question,
    Reply,
    Request,
)
from pbmserv.commands.lookup import NoSuchPlayer, waiting_boards
from pbmserv.commands.move import resign_seat
from pbmserv.commands.offers import without
from pbmserv.commands.set import settings_of
from pbmserv.commands.vocabulary import is_userid
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import Entry
from pbmserv.matches.moves import AlreadyGone
from pbmserv.matches.player import PersonalData, Player
from pbmserv.matches.queries import BoardRow, ListingQuery, Queries
from pbmserv.matches.replay import GameState


class PasswordAsked(Reply):
    """To the sender of a `forgot`: if there is such a player, a mail was sent to their address.

    With `is_own`, the sender asked about their own account.
    """

    is_own: bool


class NewPasswordWanted(Reply):
    """The question to the player: answer with the new password."""

    userid: str


class Revoked(Reply):
    """Older mails no longer prove anything; the boards in `numbers` and `more` others wait for the player."""

    numbers: tuple[int, ...]
    more: int


class PasswordChanged(Reply):
    """The new password is in force, and older mails no longer prove anything; the boards in `numbers` and `more`
    others wait for the player."""

    userid: str
    numbers: tuple[int, ...] = ()
    more: int = 0


class WhosePassword(CommandError):
    """`forgot` without a userid from an address that belongs to nobody."""


def run_change_password(request: Request, records: Queries, now: datetime) -> Decision:
    """Sets the new password; the old one was the proof."""
    if request.password_hash is None:
        raise ValueError("no new password")
    return new_password(request.player, request.password_hash, records)


def new_password(player: Player, password_hash: str, records: Queries) -> Decision:
    """Sets the new password and revokes what older mails prove; boards that wait for the player are sent
    again."""
    waiting = waiting_boards(player, records)
    return Decision(
        PasswordChanged(player.userid, waiting.numbers, waiting.more),
        shown=waiting.refs,
        changes=(NewPassword(player.id, password_hash), RevokedWords(player.id)),
    )


change_password_command = Command(
    name="change password",
    forms=("change password userid old new",),
    summary="choose another password",
    example="change password alice sesame tahini",
    run=run_change_password,
)


def run_forgot(request: Request, records: Queries, now: datetime) -> Decision:
    """Mails a question to the named player or the sender; the answer doesn't reveal whether the player exists."""
    named = request.arguments.first_userid
    if named is None and request.actor.player is None:
        raise WhosePassword()
    if named is not None and not is_userid(named):
        raise NoSuchPlayer(suggestions=())
    player = records.player(named) if named is not None else request.actor.player
    reply = PasswordAsked(is_own=named is None)
    if player is None or not player.is_confirmed or player.robot is not None:
        return Decision(reply)
    confirmation = Confirmation(
        kind="password", userid=player.userid, address=player.address, about=f"password {player.userid}"
    )
    return Decision(
        reply,
        question=Question(confirmation, NewPasswordWanted(player.userid), rests_days=1),
    )


forgot_command = Command(
    name="forgot",
    kind="signup",
    forms=("forgot [userid]",),
    summary="choose a new password when you have forgotten yours",
    example="forgot alice",
    run=run_forgot,
)


def run_revoke(request: Request, records: Queries, now: datetime) -> Decision:
    """Revokes older mails, and shows the boards that wait, since mails about them can no longer be answered."""
    player = request.player
    waiting = waiting_boards(player, records)
    return Decision(
        Revoked(waiting.numbers, waiting.more),
        shown=waiting.refs,
        changes=(RevokedWords(player.id),),
    )


revoke_command = Command(
    name="revoke",
    forms=("revoke [userid password]",),
    summary="stop older mails from here working in your name",
    example="revoke",
    run=run_revoke,
    scope="mail",
)


class Exported(Reply):
    """Everything stored about `userid`: settings by key, watched boards, blocked players, boards (of `total`), and
    the rest."""

    userid: str
    settings: tuple[tuple[str, str], ...]
    vacations: tuple[tuple[date, date], ...]
    watched: tuple[int, ...]
    blocked: tuple[str, ...]
    boards: tuple[BoardRow, ...]
    total: int
    kept: PersonalData


MOST_BOARDS: Final = 1000


def run_export(request: Request, records: Queries, now: datetime) -> Decision:
    """Collects the player's data; the answer goes to one of their addresses."""
    player = request.player
    found = records.boards(
        ListingQuery(userids=(player.userid,), filter="all", count=MOST_BOARDS, with_practice=True)
    )
    return Decision(
        Exported(
            userid=player.userid,
            settings=settings_of(player),
            vacations=tuple(records.vacations(player, date.min)),
            watched=tuple(records.watched(player)),
            blocked=tuple(records.blocked_by(player.userid)),
            boards=found.lines,
            total=found.total,
            kept=records.kept_about(player),
        )
    )


export_command = Command(
    name="export",
    forms=("export [userid password]",),
    summary="get everything we keep about you",
    example="export",
    run=run_export,
)


class SignedOff(Reply):
    """`userid` has resigned or declined all these boards, and takes no challenges now."""

    userid: str
    resigned: tuple[int, ...]
    declined: tuple[int, ...]


class Deleted(Reply):
    """`userid` has resigned or declined all these boards, and the account is deleted."""

    userid: str
    resigned: tuple[int, ...]
    declined: tuple[int, ...]


class ChangedRecently(CommandError):
    """Refuses what cannot be undone, since a former address can still take the account back, until `until`."""

    until: datetime


_PAGE = 200


@dataclass(frozen=True, slots=True)
class GamesLeft:
    """The result of leaving every game: the new log entries, and the boards after them by number."""

    entries: tuple[Entry, ...]
    boards: tuple[GameState, ...]

    def numbers(self, kind: str) -> tuple[int, ...]:
        """The boards that were "resigned" or "declined"."""
        return tuple(entry.match for entry in self.entries if entry.kind == kind)


def leave_all(player: Player, records: Queries, now: datetime) -> GamesLeft:
    """Resigns or declines every game the player is still in."""
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


def run_signoff(request: Request, records: Queries, now: datetime) -> Decision:
    """Leaves every game, and refuses challenges until the player turns them on again."""
    player = request.player
    left = leave_all(player, records, now)
    offers, tells = without(player, records)
    return Decision(
        SignedOff(player.userid, left.numbers("resigned"), left.numbers("declined")),
        entries=left.entries,
        boards=left.boards,
        changes=(NewSetting(player.id, "takes_challenges", value=False), *offers),
        to_players=tells,
    )


signoff_command = Command(
    name="signoff",
    forms=("signoff [userid password]",),
    summary="resign all your games and take no new ones",
    example="signoff",
    run=run_signoff,
)


def run_delete(request: Request, records: Queries, now: datetime) -> Decision:
    """Leaves every game and deletes the account, unless a former address can still take it back."""
    player = request.player
    elsewhere = [each for each in takes_back(player, records, now) if each.address != player.address]
    if elsewhere and request.actor.proof != "operator":
        raise ChangedRecently(until=elsewhere[-1].asked + TAKEN_BACK_WITHIN)
    left = leave_all(player, records, now)
    _, tells = without(player, records)
    return Decision(
        Deleted(player.userid, left.numbers("resigned"), left.numbers("declined")),
        entries=left.entries,
        boards=left.boards,
        changes=(Erased(player.id),),
        to_players=tells,
    )


delete_command = Command(
    name="delete",
    forms=("delete [userid password]",),
    summary="resign all your games and erase your account",
    example="delete",
    run=run_delete,
    asks_again=True,
)
