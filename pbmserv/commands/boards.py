"""`show`, `next`, `record`, `games`, `list` and `history`: single boards, lists, and the games on offer."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pbmserv.commands.command import (
    BoardRef,
    Command,
    Decision,
    Reply,
    Request,
)
from pbmserv.commands.lookup import (
    find_shown,
    named_board,
    named_players,
    player_or_sender,
    read_page,
    require_game,
    waiting_boards,
)
from pbmserv.commands.new_game import games_offered
from pbmserv.games import games
from pbmserv.games.info import Info
from pbmserv.matches.open_offer import OpenOffer
from pbmserv.matches.player import Player
from pbmserv.matches.queries import BoardRow, Filter, ListingQuery, Queries
from pbmserv.matches.ratings import RatedMatch
from pbmserv.matches.state import Ending


class Showing(Reply):
    """The requested boards follow; `more` others match and are not shown."""

    numbers: tuple[int, ...]
    more: int


class NextBoards(Reply):
    """The boards where it is the turn of `userid` (perhaps the reader) follow; `more` others are not shown."""

    userid: str
    numbers: tuple[int, ...]
    more: int
    is_own: bool = False


MOST_BOARDS = 20


def run_show(request: Request, records: Queries, now: datetime) -> Decision:
    """Shows the named boards, or those of the named players."""
    arguments = request.arguments
    require_game(arguments.game)
    if not arguments.boards:
        return _of_players(request, records)
    wanted = tuple(dict.fromkeys(arguments.boards))
    for ref in wanted[:MOST_BOARDS]:
        find_shown(ref, arguments.game, records, request.actor.player)
    return _showing(wanted[:MOST_BOARDS], max(0, len(wanted) - MOST_BOARDS))


def _of_players(request: Request, records: Queries) -> Decision:
    userids = named_players(request.arguments.userids, records)
    boards = records.boards(
        ListingQuery(
            request.arguments.game, userids, filter_of(request.arguments.words, "active"), count=MOST_BOARDS
        )
    )
    refs = tuple(BoardRef(line.number) for line in boards.lines)
    return _showing(refs, boards.total - len(refs))


def _showing(refs: tuple[BoardRef, ...], more: int) -> Decision:
    return Decision(Showing(tuple(ref.number for ref in refs), more), shown=refs)


def filter_of(words: tuple[str, ...], default: Filter) -> Filter:
    """The filter word of a line."""
    for choice in ("all", "active", "inactive", "next"):
        if words[:1] == (choice,):
            return choice
    return default


show_command = Command(
    name="show",
    kind="open",
    forms=("[game] show board[#ply]+", "[game] show userid+ [filter]"),
    summary="see a board, now or after a move, or all boards of a player",
    example="show 101#7",
    run=run_show,
)


def run_next(request: Request, records: Queries, now: datetime) -> Decision:
    """Shows the boards that wait for the named player, or for the sender."""
    player = player_or_sender(request, records)
    waiting = waiting_boards(player, records)
    is_own = request.actor.player is not None and request.actor.player.userid == player.userid
    reply = NextBoards(player.userid, waiting.numbers, waiting.more, is_own)
    return Decision(reply, shown=waiting.refs)


next_command = Command(
    name="next",
    kind="open",
    forms=("next [userid]",),
    summary="get every board where it is your turn",
    example="next",
    run=run_next,
)


class Recorded(Reply):
    """The game record follows; it is unfinished if the game `goes_on`."""

    board: int
    goes_on: bool


def run_record(request: Request, records: Queries, now: datetime) -> Decision:
    """Finds the board; the answer contains its record so far."""
    board = named_board(request, records)
    reply = Recorded(board.match.number, board.state.status == "active")
    return Decision(reply, records=(board,))


record_command = Command(
    name="record",
    kind="open",
    forms=("[game] record board",),
    summary="get a whole game, as text and as a file",
    example="record 101",
    run=run_record,
)


BOARDS_NAMED: Final = 3
"""How many boards of each game the list of games takes its players from."""


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game, its number of active boards, and who plays on the latest of them."""

    info: Info
    running: int
    playing: tuple[str, ...]


class GamesOnOffer(Reply):
    """Every game, who plays it now, and the open offers."""

    games: tuple[ListedGame, ...]
    offers: tuple[OpenOffer, ...] = ()


class BoardList(Reply):
    """A page of a list of boards, of which `total` match; and the open `offers`."""

    wanted: ListingQuery
    lines: tuple[BoardRow, ...]
    total: int
    offers: tuple[OpenOffer, ...] = ()


def run_games(request: Request, records: Queries, now: datetime) -> Decision:
    """Lists the boards of the game and of all the players named."""
    require_game(request.arguments.game)
    userids = named_players(request.arguments.userids, records)
    wanted_filter = filter_of(request.arguments.words, "active")
    is_own = wanted_filter == "next" and not userids and request.actor.player is not None
    if is_own and request.actor.player is not None:
        userids = (request.actor.player.userid,)
    wanted = ListingQuery(request.arguments.game, userids, wanted_filter, with_practice=is_own)
    found = records.boards(wanted)
    return Decision(BoardList(wanted, found.lines, found.total))


games_command = Command(
    name="games",
    kind="open",
    forms=("[game] games [userid+] [filter]",),
    summary="list boards: all, active, inactive, or next (yours to move)",
    example="games alice next",
    run=run_games,
)


def run_list(request: Request, records: Queries, now: datetime) -> Decision:
    """Lists every game and who plays it now, or the current boards of one game; and who seeks players."""
    name = request.arguments.game
    require_game(name)
    offers = tuple(offer for offer in records.open_offers() if name in (None, offer.game))
    if name is not None:
        wanted = ListingQuery(name)
        found = records.boards(wanted)
        return Decision(BoardList(wanted, found.lines, found.total, offers))
    running = dict(records.running())
    offered = games_offered(request.server)
    listed = tuple(
        ListedGame(game.info, running.get(each, 0), _playing(each, records) if each in running else ())
        for each, game in games().items()
        if each in offered or each in running
    )
    return Decision(GamesOnOffer(listed, offers))


def _playing(game: str, records: Queries) -> tuple[str, ...]:
    """The players on a game's most recently active boards, each once."""
    found = records.boards(ListingQuery(game, count=BOARDS_NAMED))
    return tuple(dict.fromkeys(userid for line in found.lines for userid in line.userids))


list_command = Command(
    name="list",
    kind="open",
    forms=("list [game]",),
    summary="see all games, and open offers to play one",
    example="list cephalopod",
    run=run_list,
)


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished match: how it ended, and the rank of one of its players, shared or not.

    `rated` is the change of that player's rating; None if the match does not count.
    """

    listed: BoardRow
    rank: int
    is_shared: bool
    ending: Ending
    rated: RatedMatch | None


class HistoryTold(Reply):
    """The finished matches of `userid` in which all of the `others` played too; `void` more were declined or
    annulled.
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


MOST_FINISHED: Final = 20


def run_history(request: Request, records: Queries, now: datetime) -> Decision:
    """Lists the finished games of all named players together, with the results of the first one."""
    game = request.arguments.game
    require_game(game)
    userids = named_players(request.arguments.userids, records)
    player = player_or_sender(request, records)
    page = read_page(request.arguments.options, request.command)
    return Decision(_history(player, userids[1:], game, page, records))


def _history(
    player: Player, others: tuple[str, ...], game: str | None, page: int, records: Queries
) -> HistoryTold:
    together = (player.userid, *others)
    found = records.boards(ListingQuery(game, together, "finished", (page - 1) * MOST_FINISHED, MOST_FINISHED))
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
        more=max(0, found.total - page * MOST_FINISHED),
    )


def _finished(line: BoardRow, player: Player, rated: RatedMatch | None, records: Queries) -> Finished:
    board = records.board(line.number)
    seat = board.match.seat_of(player.userid) if board else None
    if board is None or seat is None or board.state.outcome is None or board.state.ending is None:
        raise LookupError(f"board {line.number} is not as it is listed")
    ranks = board.state.outcome.ranks
    return Finished(line, ranks[seat], ranks.count(ranks[seat]) > 1, board.state.ending, rated)


history_command = Command(
    name="history",
    kind="open",
    forms=("[game] history [userid+] [-options]",),
    summary="list the finished games of a player, or of several together",
    example="history alice bob",
    run=run_history,
)
