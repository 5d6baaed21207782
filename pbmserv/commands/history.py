"""`history`: the finished games of a player, page by page."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pbmserv.commands.base.decision import Decision, Reply
from pbmserv.commands.base.lookup import named_players, player_or_sender, read_page, require_game
from pbmserv.commands.base.registry import OpenCommand
from pbmserv.commands.base.request import Request
from pbmserv.matches.player import Player
from pbmserv.matches.queries import BoardRow, ListingQuery, Queries
from pbmserv.matches.rankings import RatedMatch
from pbmserv.matches.state import Ending


@dataclass(frozen=True, slots=True)
class HistoryArguments:
    """Whose games, and which page of them."""

    game: str | None
    userids: tuple[str, ...]
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """A match that is over: how it ended, the rank that one of its players came out at, alone or not.

    `rated` is what it did to that player's rating, None when it does not count.
    """

    listed: BoardRow
    rank: int
    is_shared: bool
    ending: Ending
    rated: RatedMatch | None


class HistoryTold(Reply):
    """The finished matches of `userid` in which all of the `others` played too; beside them `void` were declined
    or annulled.
    """

    userid: str
    others: tuple[str, ...]
    game: str | None
    lines: tuple[Finished, ...]
    total: int
    void: int
    command: str
    page: int
    more: int


MOST_LINES: Final = 20


def run(request: Request[HistoryArguments], records: Queries, now: datetime) -> Decision:
    """Lists the finished games in which all named played, as the first of them sees the results."""
    game = request.arguments.game
    require_game(game)
    userids = named_players(request.arguments.userids, records)
    player = player_or_sender(userids[0] if userids else None, request, records)
    page = read_page(request.arguments.options, request.command)
    return Decision(_history(player, userids[1:], game, page, records))


def _history(
    player: Player, others: tuple[str, ...], game: str | None, page: int, records: Queries
) -> HistoryTold:
    together = (player.userid, *others)
    found = records.boards(ListingQuery(game, together, "finished", (page - 1) * MOST_LINES, MOST_LINES))
    over = records.boards(ListingQuery(game, together, "inactive", count=0))
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


def _finished(line: BoardRow, player: Player, rated: RatedMatch | None, records: Queries) -> Finished:
    board = records.board(line.number)
    seat = board.match.seat_of(player.userid) if board else None
    if board is None or seat is None or board.state.outcome is None or board.state.ending is None:
        raise LookupError(f"board {line.number} is not as it is listed")
    ranks = board.state.outcome.ranks
    return Finished(line, ranks[seat], ranks.count(ranks[seat]) > 1, board.state.ending, rated)


command = OpenCommand(
    name="history",
    kind="open",
    forms=("[game] history [userid+] [-options]",),
    summary="list the finished games of a player, or of several together",
    example="history alice bob",
    arguments=HistoryArguments,
    run=run,
    help="commands/history.txt:help_history",
)
