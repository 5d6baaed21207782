"""`move`: play on a board; `resign`, or a word about a draw or a take-back, may stand in the move's place."""

from datetime import datetime

from pbmserv.commands.boards import find_seat
from pbmserv.commands.command import Command
from pbmserv.commands.consent import IN_A_MOVES_PLACE, consent
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.replies.common import Moved
from pbmserv.commands.verbs.resign import resign_seat
from pbmserv.games.game import Seat
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused
from pbmserv.matches.replay import Replayed
from pbmserv.matches.terms import spent
from pbmserv.matches.turn import play


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Plays the move of the player's seat."""
    found = find_seat(request, records)
    if isinstance(found, Refused):
        return found
    board, seat = found
    arguments = request.arguments
    word = arguments.move.lower()
    if word == "resign":
        return resign_seat(board, seat, now, arguments.ply)
    if word in IN_A_MOVES_PLACE:
        return consent(word, board, seat, request, now)
    return play_ply(board, seat, arguments.move, arguments.ply, records, now)


def play_ply(
    board: Replayed, seat: Seat, text: str, meant_ply: int | None, records: Records, now: datetime
) -> Decision | Refused:
    """What comes of a seat's move: the one place where somebody plays; what others have queued comes after it.

    `meant_ply` is the ply the player thought this would be, if said.
    """
    used = int(spent(board, records.timing(board, now)).total_seconds())
    entry = play(board.match, board.state, seat, text, meant_ply, now, used)
    if isinstance(entry, Refused):
        return entry
    return Decision(Moved(entry.match, entry.text), entries=(entry,), boards=(board.then(entry),))


command = Command(
    name="move",
    kind="binding",
    forms=("[game] move board [userid password] move[#ply]",),
    summary="play a move on a board",
    example="move 101 c3",
    run=run,
    scope="board",
)
