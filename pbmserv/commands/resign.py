"""`resign`: give up a game, or decline it before the first move."""

from datetime import datetime

from pbmserv.commands.command import Command, Decision, Reply, Request
from pbmserv.commands.lookup import find_seat
from pbmserv.games.game import Seat
from pbmserv.matches.moves import resign
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import GameState


class Resigned(Reply):
    """The sender has resigned; `others_play_on` when the game goes on without."""

    board: int
    others_play_on: bool


class Declined(Reply):
    """The sender declined the match before a first move of theirs, or after another one has.

    `rematch` is the board on which those who have not declined it play on, the sender too; None if there is none.
    """

    board: int
    rematch: int | None = None


def resign_seat(
    board: GameState, seat: Seat, records: Queries, now: datetime, meant_ply: int | None = None
) -> Decision:
    """What comes of it when a seat gives up."""
    entry = resign(board.match, board.state, seat, now, meant_ply)
    after = board.apply(entry)
    reply: Reply = Resigned(board.match.number, others_play_on=after.state.status == "active")
    if entry.kind == "declined":
        is_declined = board.state.status == "declined"
        reply = Declined(board.match.number, records.rematch_of(board.match.number) if is_declined else None)
    return Decision(reply, entries=(entry,), boards=(after,))


def run(request: Request, records: Queries, now: datetime) -> Decision:
    """Resigns the player's seat."""
    return resign_seat(*find_seat(request, records), records, now)


command = Command(
    name="resign",
    forms=("[game] resign board [userid password]",),
    summary="give up a game, or decline it before your first move",
    example="resign 101",
    run=run,
    scope="board",
)
