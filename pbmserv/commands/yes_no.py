"""`yes` and `no`: answers to questions that the server has mailed."""

from dataclasses import replace
from datetime import datetime

from pbmserv.commands import changes
from pbmserv.commands.account import new_password
from pbmserv.commands.address import (
    AddressTaken,
    SignedUp,
    run_add,
    takes_back,
    tell_first,
    unanswered,
)
from pbmserv.commands.command import (
    Command,
    Confirmation,
    Decision,
    Reply,
    Request,
    commands,
)
from pbmserv.commands.lookup import waiting_boards
from pbmserv.matches.errors import CommandError
from pbmserv.matches.player import Player
from pbmserv.matches.queries import Queries


class NothingToConfirm(CommandError):
    """There is no open question that this `yes` or `no` answers, or it was put to somebody else.

    `lacks_word`: the mail replied to asks a question, but the answer must name it by a word.
    """

    lacks_word: bool = False


class Dropped(Reply):
    """A `no`: nothing is done. `lines` are the commands that were asked about, if any."""

    lines: tuple[str, ...]


class NotOpened(Reply):
    """A `no` to the first mail to a new address: there is no account."""

    userid: str


class AddressAdded(Reply):
    """`userid` has another address."""

    userid: str
    address: str


class AddressDenied(Reply):
    """The player has said that `address` is not theirs."""

    address: str


class AddressChanged(Reply):
    """Mail to `userid` goes to `address` from now on.

    To the new address itself: the `boards` that wait for the player follow, `more` do not.
    """

    userid: str
    address: str
    boards: tuple[int, ...] = ()
    more: int = 0


class TakenBack(Reply):
    """`address` is the first one of `userid` again; those in `gone` are no longer theirs.

    `boards` that wait for them follow, and `more` do not.
    """

    userid: str
    address: str
    gone: tuple[str, ...]
    boards: tuple[int, ...]
    more: int


class AddressGone(Reply):
    """To an address that was the first one of `userid` until a former address took the account back."""

    userid: str
    address: str


class ChangeStands(Reply):
    """To a former address of `userid`: it has itself confirmed that the change stands."""

    userid: str


class PasswordLacking(CommandError):
    """A `yes` about a forgotten password names no new one."""


def run_yes(request: Request, records: Queries, now: datetime) -> Decision:
    """Does what the question was about, such as confirming an address or setting a password."""
    asked = request.replied_to.question
    player = records.player(asked.userid) if asked else None
    if asked is None or player is None or asked.kind == "commands":
        raise NothingToConfirm(lacks_word=request.replied_to.needs_word)
    if asked.kind == "password":
        if request.password_hash is None:
            raise PasswordLacking()
        return new_password(player, request.password_hash, records)
    if asked.kind == "sign-up":
        return _welcome(request, asked, player, records)
    if asked.kind == "take back":
        return Decision(ChangeStands(player.userid))
    if asked.kind == "own address":
        # The mail from there may have been forged, by this very player.
        named = replace(request.arguments, address=asked.lines[0])
        return run_add(replace(request, command=commands()["add"], arguments=named), records, now)
    return _new_address(asked, player, records, now)


def _welcome(request: Request, asked: Confirmation, player: Player, records: Queries) -> Decision:
    """The account is ready; the answer may set another password."""
    written: list[changes.Change] = [changes.BelievedAddress(asked.address)]
    if request.password_hash is not None:
        written.append(changes.NewPassword(player.id, request.password_hash))
    has_password = request.password_hash is not None or records.has_password(player)
    return Decision(SignedUp(player.userid, asked.address, has_password), changes=tuple(written))


def _new_address(asked: Confirmation, player: Player, records: Queries, now: datetime) -> Decision:
    """Adds the address to the player's, and notifies the first one, whose reader may not have wanted it."""
    owner = records.owner_of(asked.address)
    if owner is not None and owner.id != player.id and owner.is_confirmed:
        raise AddressTaken(address=asked.address, userid=None)
    replaced = unanswered(asked.address, player, records)
    if asked.kind == "address":
        return _added(asked, player, replaced, records, now)
    if asked.address == player.address and asked.kind == "first address":
        return Decision(AddressChanged(player.userid, asked.address))
    waiting = waiting_boards(player, records)
    changed = AddressChanged(player.userid, asked.address, waiting.numbers, waiting.more)
    # Anyone who still reads where the mail went until now could answer it in the player's name.
    revoked = changes.RevokedWords(player.id)
    if asked.kind == "given address":
        given = changes.RestoredAddress(player.id, asked.address, replaced=replaced)
        news = ((player.address, AddressChanged(player.userid, asked.address)),)
        return Decision(
            changed,
            shown=waiting.refs,
            changes=(given, revoked),
            to_addresses=news,
        )
    return Decision(
        changed,
        shown=waiting.refs,
        changes=(changes.NewAddress(player.id, asked.address, is_first=True, replaced=replaced), revoked),
        question=tell_first(player, asked.address, is_first=True, records=records, now=now),
    )


def _added(
    asked: Confirmation, player: Player, replaced: tuple[int, ...], records: Queries, now: datetime
) -> Decision:
    added = AddressAdded(player.userid, asked.address)
    if asked.address in records.addresses(player):
        return Decision(added)
    return Decision(
        added,
        changes=(changes.NewAddress(player.id, asked.address, is_first=False, replaced=replaced),),
        question=tell_first(player, asked.address, is_first=False, records=records, now=now),
    )


yes_command = Command(
    name="yes",
    kind="token",
    forms=("yes [token] [new]",),
    summary="say yes to a mail that asks you to confirm something",
    example="yes",
    run=run_yes,
)


def run_no(request: Request, records: Queries, now: datetime) -> Decision:
    """Closes the question; an unconfirmed account is deleted."""
    asked = request.replied_to.question
    player = records.player(asked.userid) if asked else None
    if asked is None or player is None or (asked.kind == "sign-up" and player.is_confirmed):
        raise NothingToConfirm(lacks_word=request.replied_to.needs_word)
    if asked.kind == "sign-up":
        return Decision(NotOpened(player.userid), changes=(changes.Erased(player.id),))
    if asked.kind == "take back":
        return _take_back(asked, player, records, now)
    if asked.kind == "own address":
        return Decision(AddressDenied(asked.lines[0]), changes=(changes.DeniedAddress(player.id, asked.lines[0]),))
    return Decision(Dropped(asked.lines))


def _take_back(asked: Confirmation, player: Player, records: Queries, now: datetime) -> Decision:
    """Restores the addresses from before the first change that this address can still take back."""
    owner = records.owner_of(asked.address)
    if owner is not None and owner.id != player.id and owner.is_confirmed:
        raise AddressTaken(address=asked.address, userid=None)
    oldest = next(each for each in takes_back(player, records, now) if each.address == asked.address)
    gone = tuple(each for each in records.addresses(player) if each not in (*oldest.lines, asked.address))
    replaced = unanswered(asked.address, player, records)
    waiting = waiting_boards(player, records)
    is_news = player.address != asked.address
    return Decision(
        TakenBack(player.userid, asked.address, gone, waiting.numbers, waiting.more),
        shown=waiting.refs,
        changes=(
            changes.RestoredAddress(player.id, asked.address, oldest.lines, oldest.asked, replaced),
            changes.RevokedWords(player.id),
        ),
        to_addresses=((player.address, AddressGone(player.userid, player.address)),) if is_news else (),
    )


no_command = Command(
    name="no",
    kind="token",
    forms=("no [token]",),
    summary="say no to what a mail asks, or undo what it told you",
    example="no",
    run=run_no,
)
