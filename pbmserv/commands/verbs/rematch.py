"""`rematch`: play a finished game again, with the order of play moved on by one."""

from datetime import datetime

from pbmserv.commands.boards import find_seat
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision, Remark
from pbmserv.commands.message import BoardRef, Request
from pbmserv.commands.refusals.offer import NotAllHere, NotOverYet
from pbmserv.commands.replies.common import Challenged
from pbmserv.commands.replies.offer import PlayedAgain, RematchRunning
from pbmserv.commands.starting import Terms, opened, over_limits, unwilling
from pbmserv.games.library import games
from pbmserv.matches.match import Match, rules_of
from pbmserv.matches.player import Player
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused
from pbmserv.matches.replay import replay


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Starts the same game with the same players on the same terms, unless it runs already."""
    found = find_seat(request, records)
    if isinstance(found, Refused):
        return found
    (board, seat), number = found, found[0].match.number
    if board.state.status == "active":
        return NotOverYet(board=number)
    running = records.rematch_of(number)
    if running is not None:
        return _running(number, running, records)
    players = _players(board.match, records)
    if isinstance(players, Refused):
        return players
    starter = next(player for player in players if player.userid == board.match.userids[seat])
    refused = unwilling(players, starter, records) or over_limits(players, starter, records, now)
    if refused is not None:
        return refused
    before = board.match
    terms = Terms(before.game, before.options, before.rated, before.clock)
    match = opened(terms, players, starter, records, now, after=number)
    return Decision(
        Challenged(match.number, games()[match.game].info, match.userids),
        opened=match,
        boards=(replay(match),),
        remarks=tuple(
            Remark(match.number, userid, PlayedAgain(number))
            for userid in match.userids
            if userid != starter.userid
        ),
    )


def _running(board: int, rematch: int, records: Records) -> Decision:
    found = records.board(rematch)
    if found is None:
        raise LookupError(f"board {rematch} is listed as a rematch, and is not there")
    said = RematchRunning(board, rematch, found.match.started_by)
    return Decision(said, shows=(BoardRef(rematch),))


def _players(match: Match, records: Records) -> tuple[Player, ...] | Refused:
    """The same players, in the next order of play."""
    userids = (*match.userids[1:], match.userids[0])
    found = [player for player in map(records.player, userids) if player is not None]
    if len(found) < len(userids):
        return NotAllHere(board=match.number, game=rules_of(match).info.name)
    return tuple(found)


command = Command(
    name="rematch",
    kind="opening",
    forms=("[game] rematch board",),
    summary="play a finished game again, with the next one moving first",
    example="rematch 101",
    run=run,
)
