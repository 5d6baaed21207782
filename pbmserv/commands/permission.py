"""Who may give a command: the one gate between a request and its `run`."""

from datetime import datetime

from pbmserv.commands.decision import Decision
from pbmserv.commands.library import commands
from pbmserv.commands.message import Request
from pbmserv.commands.refusals import NotOurPlayer
from pbmserv.commands.replies import YesNeeded
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def decide(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """What comes of a request; changes nothing. `now` is when its mail was kept.

    What binds a player and was not proven waits for a `yes`; that it would be refused is told at once.
    """
    refused = _nobody(request)
    if refused is not None:
        return refused
    decided = commands()[request.command.name].run(request, records, now)
    if isinstance(decided, Decision) and _needs_yes(request):
        return Decision(YesNeeded(request.command.name, request.actor.proven), awaits_yes=True)
    return decided


def _nobody(request: Request) -> Refused | None:
    if request.command.kind in ("opening", "binding") and request.actor.player is None:
        boards = request.arguments.boards
        return NotOurPlayer(board=boards[0].number if boards else None, command=request.command.name)
    return None


def _needs_yes(request: Request) -> bool:
    if request.command.asks_again:
        return request.actor.proof not in ("confirmed", "operator")
    return request.command.kind == "binding" and not request.actor.proven
