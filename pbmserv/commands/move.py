"""`move`: play a move on a board."""

from datetime import datetime

from pbmserv.commands.agreements import IN_A_MOVES_PLACE, consent
from pbmserv.commands.command import Command, Decision, Reply, Request
from pbmserv.commands.lookup import find_seat
from pbmserv.commands.resign import resign_seat
from pbmserv.games.game import Seat
from pbmserv.matches.moves import play
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import GameState
from pbmserv.matches.turn_time import spent


class MovePlayed(Reply):
    """The move was played, as written in the log; after it at once the `answers` that were queued.

    Each answer has a userid, which is empty for the sender's own, and the move.
    """

    board: int
    move: str
    answers: tuple[tuple[str, str], ...] = ()


def run(request: Request, records: Queries, now: datetime) -> Decision:
    """Plays the move of the player's seat."""
    board, seat = find_seat(request, records)
    arguments = request.arguments
    word = arguments.move.lower()
    if word == "resign":
        return resign_seat(board, seat, records, now, arguments.ply)
    if word in IN_A_MOVES_PLACE:
        return consent(word, board, seat, request, now)
    return play_ply(board, seat, arguments.move, arguments.ply, records, now, arguments.moves)


def play_ply(
    board: GameState,
    seat: Seat,
    text: str,
    meant_ply: int | None,
    records: Queries,
    now: datetime,
    besides: tuple[str, ...] = (),
) -> Decision:
    """What comes of a seat's move: the one place where somebody plays; what others have queued comes after it.

    `meant_ply` is the ply the player thought this would be, if said; `besides` is how the move may be
    written, too.
    """
    used = int(spent(board, records.timing(board, now)).total_seconds())
    entry = play(board.match, board.state, seat, text, meant_ply, now, used, besides)
    return Decision(MovePlayed(entry.match, entry.text), entries=(entry,), boards=(board.apply(entry),))


command = Command(
    name="move",
    forms=("[game] move board [userid password] move[#ply]",),
    summary="play a move on a board",
    example="move 101 c3",
    run=run,
    scope="board",
)
