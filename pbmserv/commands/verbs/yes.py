"""`yes`: do what was asked about. Commands that waited for it are carried out by `services.run`."""

from datetime import datetime

from pbmserv.commands.addresses import tell_first, unanswered
from pbmserv.commands.boards import waiting_boards
from pbmserv.commands.changes import (
    BelievedAddress,
    Change,
    NewAddress,
    NewPassword,
    RestoredAddress,
    RevokedWords,
)
from pbmserv.commands.command import Command
from pbmserv.commands.confirmation import Confirmation
from pbmserv.commands.consent import nothing_to_confirm
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.common import AddressTaken, PasswordLacking
from pbmserv.commands.replies.account import ChangeStands
from pbmserv.commands.replies.common import AddressAdded, AddressChanged, SignedUp
from pbmserv.commands.verbs.change_password import new_password
from pbmserv.matches.player import Player
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Believes an address, or puts a password in force."""
    asked = request.confirmation
    player = records.player(asked.userid) if asked else None
    if asked is None or player is None or asked.kind == "commands":
        return nothing_to_confirm(request, records)
    if asked.kind == "password":
        if request.password_hash is None:
            return PasswordLacking()
        return new_password(player, request.password_hash, records)
    if asked.kind == "sign-up":
        return _welcome(request, asked, player, records)
    if asked.kind == "take back":
        return Decision(ChangeStands(player.userid))
    return _new_address(asked, player, records, now)


def _welcome(request: Request, asked: Confirmation, player: Player, records: Records) -> Decision:
    """The account is ready; whoever answers may choose the password anew."""
    changes: list[Change] = [BelievedAddress(asked.address)]
    if request.password_hash is not None:
        changes.append(NewPassword(player.id, request.password_hash))
    has_password = request.password_hash is not None or records.has_password(player)
    return Decision(SignedUp(player.userid, asked.address, has_password), changes=tuple(changes))


def _new_address(asked: Confirmation, player: Player, records: Records, now: datetime) -> Decision | Refused:
    """The address is the player's from now on; whoever reads at the first one may not have wanted that."""
    owner = records.owner_of(asked.address)
    if owner is not None and owner.id != player.id and owner.is_confirmed:
        return AddressTaken(address=asked.address, userid=None)
    replaced = unanswered(asked.address, player, records)
    if asked.kind == "address":
        return _added(asked, player, replaced, records, now)
    if asked.address == player.address and asked.kind == "first address":
        return Decision(AddressChanged(player.userid, asked.address))
    waiting = waiting_boards(player, records)
    changed = AddressChanged(player.userid, asked.address, waiting.numbers, waiting.more)
    # Whoever still reads where the mail went until now could answer it in the player's name.
    revoked = RevokedWords(player.id)
    if asked.kind == "given address":
        given = RestoredAddress(player.id, asked.address, replaced=replaced)
        news = ((player.address, AddressChanged(player.userid, asked.address)),)
        return Decision(changed, shows=waiting.refs, changes=(given, revoked), news=news)
    return Decision(
        changed,
        shows=waiting.refs,
        changes=(NewAddress(player.id, asked.address, is_first=True, replaced=replaced), revoked),
        question=tell_first(player, asked.address, is_first=True, records=records, now=now),
    )


def _added(
    asked: Confirmation, player: Player, replaced: tuple[int, ...], records: Records, now: datetime
) -> Decision:
    added = AddressAdded(player.userid, asked.address)
    if asked.address in records.addresses(player):
        return Decision(added)
    return Decision(
        added,
        changes=(NewAddress(player.id, asked.address, is_first=False, replaced=replaced),),
        question=tell_first(player, asked.address, is_first=False, records=records, now=now),
    )


command = Command(
    name="yes",
    kind="token",
    forms=("yes [token] [new]",),
    summary="do what a mail has asked you to confirm",
    example="yes",
    run=run,
)
