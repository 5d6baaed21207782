"""`subscribe`: watch a board of others."""

from datetime import datetime
from typing import Final

from pbmserv.commands.boards import find_board
from pbmserv.commands.changes import Subscription
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import BoardRef, Request
from pbmserv.commands.refusals.talk import NothingToWatch, TooManyWatched
from pbmserv.commands.replies.talk import Subscribed
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused

MOST_WATCHED: Final = 10
"""Boards that one player watches."""

MOST_WATCHERS: Final = 100
"""Players who watch one board: each of its plies is mailed to all of them at once."""


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Has each ply of the board mailed to the sender, and shows it as it stands."""
    player = request.actor.player
    if player is None:
        raise ValueError("a subscription without a player")
    number = request.arguments.boards[0].number
    board = find_board(number, None, records, player)
    if isinstance(board, Refused):
        return board
    if board.state.status != "active":
        return NothingToWatch(board=number, why="over")
    if board.match.seat_of(player.userid) is not None:
        return NothingToWatch(board=number, why="yours")
    watchers, watched = records.watchers(number), records.watched(player)
    if player.userid in watchers:
        return NothingToWatch(board=number, why="watched")
    if len(watched) >= MOST_WATCHED:
        return TooManyWatched(board=number, limit=MOST_WATCHED, watched=tuple(watched))
    if len(watchers) >= MOST_WATCHERS:
        return TooManyWatched(board=number, limit=MOST_WATCHERS, watched=())
    return Decision(Subscribed(number), shows=(BoardRef(number),), changes=(Subscription(number, player.id),))


command = Command(
    name="subscribe",
    kind="binding",
    forms=("subscribe [userid password] board",),
    summary="watch a game of others: each ply is mailed to you",
    example="subscribe 101",
    run=run,
)
