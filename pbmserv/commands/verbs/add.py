"""`add`: an address more, from which a player is known."""

from datetime import datetime

from pbmserv.commands.addresses import ask_address
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Asks the address, which becomes one of the player's with the `yes` that comes from there."""
    player = request.actor.player
    if player is None:
        raise ValueError("an address more without a player")
    return ask_address(request, player, records, "address")


command = Command(
    name="add",
    kind="binding",
    forms=("add [userid password] address",),
    summary="be known by one more mail address",
    example="add alice@work.example",
    run=run,
)
