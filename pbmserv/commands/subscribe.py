"""`subscribe` and `unsubscribe`: follow a game of other players by mail."""

from datetime import datetime
from typing import Final, Literal

from pbmserv.commands.changes import Subscription
from pbmserv.commands.command import (
    BoardRef,
    Command,
    Decision,
    Reply,
    Request,
)
from pbmserv.commands.lookup import find_board
from pbmserv.commands.set import stop_mail
from pbmserv.matches.errors import CommandError
from pbmserv.matches.player import Player
from pbmserv.matches.queries import Queries


class Subscribed(Reply):
    """Every move on a board is mailed to the sender from now on."""

    board: int


class Unsubscribed(Reply):
    """These boards are no longer mailed to the sender."""

    boards: tuple[int, ...]


class NothingToWatch(CommandError):
    """The sender plays on that board or watches it already, or it is over."""

    why: Literal["yours", "watched", "over"]


class TooManyWatched(CommandError):
    """The sender watches `limit` boards (`watched`); or, if that is empty, `limit` players watch this board."""

    limit: int
    watched: tuple[int, ...]


class NotWatched(CommandError):
    """The sender watches no such board, only `watched`."""

    watched: tuple[int, ...]


MOST_WATCHED: Final = 10
"""The most boards that one player can watch."""

MOST_WATCHERS: Final = 100
"""The most players who can watch a board: each ply is mailed to all of them at once."""


def run_subscribe(request: Request, records: Queries, now: datetime) -> Decision:
    """Subscribes the sender to the board, and shows its current state."""
    player = request.player
    number = request.arguments.board
    board = find_board(number, None, records, player)
    if board.state.status != "active":
        raise NothingToWatch(board=number, why="over")
    if board.match.seat_of(player.userid) is not None:
        raise NothingToWatch(board=number, why="yours")
    watchers, watched = records.watchers(number), records.watched(player)
    if player.userid in watchers:
        raise NothingToWatch(board=number, why="watched")
    if len(watched) >= MOST_WATCHED:
        raise TooManyWatched(board=number, limit=MOST_WATCHED, watched=tuple(watched))
    if len(watchers) >= MOST_WATCHERS:
        raise TooManyWatched(board=number, limit=MOST_WATCHERS, watched=())
    return Decision(
        Subscribed(number),
        shown=(BoardRef(number),),
        changes=(Subscription(number, player.id),),
    )


subscribe_command = Command(
    name="subscribe",
    forms=("subscribe [userid password] board",),
    summary="watch a game, and get each move by mail",
    example="subscribe 101",
    run=run_subscribe,
)


def run_unsubscribe(request: Request, records: Queries, now: datetime) -> Decision:
    """Unsubscribes the sender from the board named or replied to, or else from all.

    If they watch none, or it is their own game, it means `set mail off`.
    """
    player = request.player
    number = request.arguments.first_board
    watched = tuple(records.watched(player))
    ended = tuple(board for board in watched if number in (None, board))
    if not ended and (number is None or _plays(player, number, records)):
        return stop_mail(player, records)
    if not ended:
        raise NotWatched(board=number, watched=watched)
    changes = tuple(Subscription(board, player.id, is_over=True) for board in ended)
    return Decision(Unsubscribed(ended), changes=changes)


def _plays(player: Player, number: int, records: Queries) -> bool:
    board = records.board(number)
    return board is not None and board.match.seat_of(player.userid) is not None


unsubscribe_command = Command(
    name="unsubscribe",
    forms=("unsubscribe [userid password] board", "unsubscribe [userid password]"),
    summary="stop watching a game, or all of them",
    example="unsubscribe 101",
    run=run_unsubscribe,
    scope="mail",
)
