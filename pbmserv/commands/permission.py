"""Who may give a command: the one gate between a request and its `run`."""

from datetime import datetime
from typing import Final

from pbmserv.commands.ahead import play_on
from pbmserv.commands.decision import Decision
from pbmserv.commands.library import commands
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.account import BannedHere
from pbmserv.commands.refusals.common import NotOurPlayer
from pbmserv.commands.replies.common import YesNeeded
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused

OPEN_TO_BANNED: Final = frozenset({"export", "delete", "yes", "no"})
"""What is a player's right even when the operator wants them here no more: their data, and to be forgotten."""


def decide(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """What comes of a request; changes nothing. `now` is when its mail was kept.

    What binds a player and was not proven waits for a `yes`; that it would be refused is told at once.
    """
    refused = _nobody(request) or _banned(request)
    if refused is not None:
        return refused
    decided = commands()[request.command.name].run(request, records, now)
    if isinstance(decided, Decision) and _needs_yes(request):
        return Decision(YesNeeded(request.command.name, request.actor.proven), awaits_yes=True)
    return play_on(decided, records, now) if isinstance(decided, Decision) else decided


def _nobody(request: Request) -> Refused | None:
    if request.command.kind in ("opening", "binding") and request.actor.player is None:
        boards = request.arguments.boards
        return NotOurPlayer(board=boards[0].number if boards else None, command=request.command.name)
    return None


def _banned(request: Request) -> Refused | None:
    player, is_operators = request.actor.player, request.actor.proof == "operator"
    if player is None or not player.is_banned or is_operators or request.command.name in OPEN_TO_BANNED:
        return None
    return BannedHere(userid=player.userid)


def _needs_yes(request: Request) -> bool:
    if request.command.asks_again:
        return request.actor.proof not in ("confirmed", "operator")
    # Whoever accepts an open offer is bound to nothing: before their own first move they may decline.
    binds = request.command.kind == "binding" and request.arguments.offer is None
    return binds and not request.actor.proven
