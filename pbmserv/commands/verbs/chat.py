"""`chat`: say something to the other players of a board without moving."""

from datetime import datetime, timedelta
from typing import Final

from pbmserv.commands.boards import find_seat
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.board import NobodyListens, NothingToSay, PasswordInWords, TooMuchTalk
from pbmserv.commands.replies.common import Chatted
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused

MOST_AN_HOUR: Final = 40
"""So often a board goes out until talk alone sends it no more: moves come in turn, talk has no end by itself."""


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Has the board sent to everybody on it, with the words; it may be over."""
    found = find_seat(request, records)
    if isinstance(found, Refused):
        return found
    board, seat = found
    number, author = board.match.number, board.match.userids[seat]
    first, *more = request.arguments.text.split() or [""]
    named = records.player(first) if more else None
    if named is not None:
        return PasswordInWords(board=number, userid=named.userid)
    if not request.comment.strip():
        return NothingToSay(board=number)
    listeners = tuple(
        player.userid
        for userid in board.match.userids
        if userid != author
        and (player := records.player(userid)) is not None
        and not records.is_blocked(author, by=player.userid)
    )
    if not listeners:
        return NobodyListens(board=number)
    if records.times_sent(number, now - timedelta(hours=1)) >= MOST_AN_HOUR:
        return TooMuchTalk(board=number, limit=MOST_AN_HOUR)
    return Decision(Chatted(number, listeners), boards=(board,))


command = Command(
    name="chat",
    kind="binding",
    forms=("[game] chat board [text]",),
    summary="say something to the other players of a board",
    example="chat 101 Well played!",
    run=run,
    scope="board",
)
