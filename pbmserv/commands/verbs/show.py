"""`show`: a board as it stands or stood, or all boards of somebody."""

from datetime import datetime

from pbmserv.commands.boards import find_shown, named_players, unknown_game
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import BoardRef, Request
from pbmserv.commands.replies.common import Showing
from pbmserv.matches.records import Filter, Records, Wanted
from pbmserv.matches.refusals import Refused

MOST_BOARDS = 20


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Shows the boards named, or those of the players named."""
    arguments = request.arguments
    refused = unknown_game(arguments.game)
    if refused is not None:
        return refused
    if not arguments.boards:
        return _of_players(request, records)
    wanted = tuple(dict.fromkeys(arguments.boards))
    for ref in wanted[:MOST_BOARDS]:
        board = find_shown(ref, arguments.game, records, request.actor.player)
        if isinstance(board, Refused):
            return board
    return _showing(wanted[:MOST_BOARDS], max(0, len(wanted) - MOST_BOARDS))


def _of_players(request: Request, records: Records) -> Decision | Refused:
    userids = named_players(request, records)
    if isinstance(userids, Refused):
        return userids
    boards = records.boards(
        Wanted(request.arguments.game, userids, filter_of(request, "active"), count=MOST_BOARDS)
    )
    refs = tuple(BoardRef(line.number) for line in boards.lines)
    return _showing(refs, boards.total - len(refs))


def _showing(refs: tuple[BoardRef, ...], more: int) -> Decision:
    return Decision(Showing(tuple(ref.number for ref in refs), more), shows=refs)


def filter_of(request: Request, default: Filter) -> Filter:
    """The filter word of a line."""
    words = request.arguments.words
    for choice in ("all", "active", "inactive", "next"):
        if words[:1] == (choice,):
            return choice
    return default


command = Command(
    name="show",
    kind="open",
    forms=("[game] show board[#ply]+", "[game] show userid+ [filter]"),
    summary="see a board, now or after a ply, or all boards of a player",
    example="show 101#7",
    run=run,
)
