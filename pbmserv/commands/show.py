"""`show`, `next` and `record`: boards, as they stand or after a ply; a whole game, as text and as a file."""

from datetime import datetime

from pbmserv.commands.command import (
    BoardRef,
    Command,
    Decision,
    Reply,
    Request,
    ShownBoards,
)
from pbmserv.commands.lookup import (
    find_shown,
    named_board,
    named_players,
    player_or_sender,
    require_game,
    waiting_boards,
)
from pbmserv.matches.queries import Filter, ListingQuery, Queries


class Showing(Reply):
    """Boards that were asked for follow; of all that fit, `more` are not shown."""

    numbers: tuple[int, ...]
    more: int


class NextBoards(Reply):
    """The boards where it is the turn of `userid`, who may be the reader, follow; of all, `more` are not shown."""

    userid: str
    numbers: tuple[int, ...]
    more: int
    is_own: bool = False


MOST_BOARDS = 20


def run_show(request: Request, records: Queries, now: datetime) -> Decision:
    """Shows the boards named, or those of the players named."""
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
    return Decision(Showing(tuple(ref.number for ref in refs), more), shown=ShownBoards(boards=refs))


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
    """Shows the boards that wait for the player named, or for the sender."""
    player = player_or_sender(request, records)
    waiting = waiting_boards(player, records)
    is_own = request.actor.player is not None and request.actor.player.userid == player.userid
    reply = NextBoards(player.userid, waiting.numbers, waiting.more, is_own)
    return Decision(reply, shown=ShownBoards(boards=waiting.refs))


next_command = Command(
    name="next",
    kind="open",
    forms=("next [userid]",),
    summary="get every board where it is your turn",
    example="next",
    run=run_next,
)


class Recorded(Reply):
    """The record of the board follows, so far where it `goes_on`."""

    board: int
    goes_on: bool


def run_record(request: Request, records: Queries, now: datetime) -> Decision:
    """Finds the board; the answer holds its record as it stands."""
    board = named_board(request, records)
    reply = Recorded(board.match.number, board.state.status == "active")
    return Decision(reply, shown=ShownBoards(records=(board,)))


record_command = Command(
    name="record",
    kind="open",
    forms=("[game] record board",),
    summary="get a whole game, as text and as a file",
    example="record 101",
    run=run_record,
)
