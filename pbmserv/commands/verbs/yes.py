"""`yes`: do what was asked about. Commands that waited for it are carried out by `services.run`."""

from datetime import datetime

from pbmserv.commands.changes import BelievedAddress, Change, NewAddress, NewPassword
from pbmserv.commands.command import Command
from pbmserv.commands.confirmation import Confirmation
from pbmserv.commands.consent import nothing_to_confirm
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.common import AddressTaken, PasswordLacking
from pbmserv.commands.replies.common import AddressAdded, AddressChanged, Reply, SignedUp
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
    return _new_address(asked, player, records)


def _welcome(request: Request, asked: Confirmation, player: Player, records: Records) -> Decision:
    """The account is ready; whoever answers may choose the password anew."""
    changes: list[Change] = [BelievedAddress(asked.address)]
    if request.password_hash is not None:
        changes.append(NewPassword(player.id, request.password_hash))
    has_password = request.password_hash is not None or records.has_password(player)
    return Decision(SignedUp(player.userid, asked.address, has_password), changes=tuple(changes))


def _new_address(asked: Confirmation, player: Player, records: Records) -> Decision | Refused:
    owner = records.owner_of(asked.address)
    if owner is not None and owner.id != player.id:
        return AddressTaken(address=asked.address, userid=None)
    if asked.kind == "address":
        added = AddressAdded(player.userid, asked.address)
        return _decided(added, NewAddress(player.id, asked.address, is_first=False), tell=player.address)
    changed = AddressChanged(player.userid, asked.address)
    return _decided(changed, NewAddress(player.id, asked.address, is_first=True), tell=player.address)


def _decided(reply: Reply, change: Change, tell: str | None = None) -> Decision:
    """`tell` is the address that is to know of it: whoever reads there may not have wanted it."""
    return Decision(reply, changes=(change,), news=((tell, reply),) if tell else ())


command = Command(
    name="yes",
    kind="token",
    forms=("yes [token] [new]",),
    summary="do what a mail has asked you to confirm",
    example="yes",
    run=run,
)
