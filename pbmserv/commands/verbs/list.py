"""`list`: the games on offer, or the boards of one of them; with both the open offers."""

from datetime import datetime

from pbmserv.commands.boards import unknown_game
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.replies.common import BoardList, GamesOnOffer
from pbmserv.games.library import games
from pbmserv.matches.records import Records, Wanted
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Lists every game with its number of boards, or the current boards of one game; and who seeks players."""
    name = request.arguments.game
    refused = unknown_game(name)
    if refused is not None:
        return refused
    offers = tuple(offer for offer in records.open_offers() if name in (None, offer.game))
    if name is not None:
        wanted = Wanted(name)
        found = records.boards(wanted)
        return Decision(BoardList(wanted, found.lines, found.total, offers))
    running = dict(records.running())
    counted = tuple((game.info, running.get(each, 0)) for each, game in games().items())
    return Decision(GamesOnOffer(counted, offers))


command = Command(
    name="list",
    kind="open",
    forms=("list [game]",),
    summary="see the games, and who offers to play one",
    example="list cephalopod",
    run=run,
)
