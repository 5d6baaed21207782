"""Who may give a command: the one gate between a request and its `run`."""

from datetime import datetime

from pbmserv.commands.decision import Decision
from pbmserv.commands.library import commands
from pbmserv.commands.message import Request
from pbmserv.commands.refusals import NotOurPlayer, ProofNeeded
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def decide(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """What comes of a request; changes nothing. `now` is when its mail was kept."""
    refused = may_give(request)
    return refused if refused is not None else commands()[request.command.name].run(request, records, now)


def may_give(request: Request) -> Refused | None:
    """Why the one it comes from may not give this command; None when they may."""
    kind, actor = request.command.kind, request.actor
    if kind in ("open", "signup"):
        return None
    boards = request.arguments.boards
    board = boards[0].number if boards else None
    if actor.player is None:
        return NotOurPlayer(board=board, command=request.command.name)
    if kind == "binding" and not actor.proven:
        return ProofNeeded(board=board, userid=actor.player.userid, line=request.line)
    return None
