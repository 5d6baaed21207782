"""`change address`: the server's mail goes elsewhere."""

from datetime import datetime

from pbmserv.commands.addresses import ask_address
from pbmserv.commands.changes import NewAddress
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.replies.common import AddressChanged
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Asks the new address; one that is the player's already has answered once, and is the first one at once."""
    player = request.actor.player
    if player is None:
        raise ValueError("a change of address without a player")
    address = request.arguments.address.lower()
    if address != player.address and address in records.addresses(player):
        changed = AddressChanged(player.userid, address)
        change = NewAddress(player.id, address, is_first=True)
        return Decision(changed, changes=(change,), news=((player.address, changed), (address, changed)))
    return ask_address(request, player, records, "first address")


command = Command(
    name="change address",
    kind="binding",
    forms=("change address [userid password] address",),
    summary="get your mail at another address",
    example="change address alice@home.example",
    run=run,
)
