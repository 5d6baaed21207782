"""`history`: the finished games of a player, or of several together."""

from datetime import datetime
from typing import Final

from pbmserv.commands.boards import named_players, unknown_game
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.pages import read_page
from pbmserv.commands.refusals.common import NotOurPlayer
from pbmserv.commands.replies.rating import Finished, HistoryTold
from pbmserv.matches.player import Player
from pbmserv.matches.rankings import RatedMatch
from pbmserv.matches.records import Listed, Records, Wanted
from pbmserv.matches.refusals import Refused

MOST_LINES: Final = 20


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Lists the finished games in which all named played, as the first of them sees the results."""
    game = request.arguments.game
    refused = unknown_game(game)
    if refused is not None:
        return refused
    userids = named_players(request, records)
    if isinstance(userids, Refused):
        return userids
    player = records.player(userids[0]) if userids else request.actor.player
    if player is None:
        return NotOurPlayer(command="history")
    page = read_page(request)
    if isinstance(page, Refused):
        return page
    return Decision(_history(player, userids[1:], game, page, records))


def _history(
    player: Player, others: tuple[str, ...], game: str | None, page: int, records: Records
) -> HistoryTold:
    together = (player.userid, *others)
    found = records.boards(Wanted(game, together, "finished", (page - 1) * MOST_LINES, MOST_LINES))
    over = records.boards(Wanted(game, together, "inactive", count=0))
    rated = records.rated_on(player, [line.number for line in found.lines])
    return HistoryTold(
        userid=player.userid,
        others=others,
        game=game,
        lines=tuple(_finished(line, player, rated.get(line.number), records) for line in found.lines),
        total=found.total,
        void=over.total - found.total,
        command=" ".join([*([game] if game else []), "history", *together]),
        page=page,
        more=max(0, found.total - page * MOST_LINES),
    )


def _finished(line: Listed, player: Player, rated: RatedMatch | None, records: Records) -> Finished:
    board = records.board(line.number)
    seat = board.match.seat_of(player.userid) if board else None
    if board is None or seat is None or board.state.outcome is None or board.state.ending is None:
        raise LookupError(f"board {line.number} is not as it is listed")
    ranks = board.state.outcome.ranks
    return Finished(line, ranks[seat], ranks.count(ranks[seat]) > 1, board.state.ending, rated)


command = Command(
    name="history",
    kind="open",
    forms=("[game] history [userid+] [-options]",),
    summary="list the finished games of a player, or of several together",
    example="history alice bob",
    run=run,
)
