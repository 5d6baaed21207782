"""`list`: the games on offer, or the boards of one of them."""

from datetime import datetime

from pbmserv.commands.boards import unknown_game
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.replies import BoardList, GamesOnOffer
from pbmserv.games.library import games
from pbmserv.matches.records import Records, Wanted
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Lists every game with its number of boards, or the current boards of one game."""
    name = request.arguments.game
    refused = unknown_game(name)
    if refused is not None:
        return refused
    if name is not None:
        wanted = Wanted(name)
        found = records.boards(wanted)
        return Decision(BoardList(wanted, found.lines, found.total))
    running = dict(records.running())
    return Decision(GamesOnOffer(tuple((game.info, running.get(each, 0)) for each, game in games().items())))


command = Command(
    name="list",
    kind="open",
    forms=("list [game]",),
    summary="see which games are on offer",
    example="list cephalopod",
    run=run,
)
