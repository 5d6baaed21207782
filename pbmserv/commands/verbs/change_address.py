"""`change address`: the server's mail goes elsewhere."""

from datetime import datetime

from pbmserv.commands.addresses import ask_address
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Asks the new address, though it be the player's already: its `yes` shows that mail arrives there."""
    player = request.actor.player
    if player is None:
        raise ValueError("a change of address without a player")
    return ask_address(request, player, records, "first address")


command = Command(
    name="change address",
    kind="binding",
    forms=("change address [userid password] address",),
    summary="get your mail at another address",
    example="change address alice@home.example",
    run=run,
)
