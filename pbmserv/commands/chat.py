"""`chat`: say something to the other players of a board."""

from datetime import datetime

from pbmserv.commands.command import Command, Decision, Reply, Request
from pbmserv.commands.lookup import find_seat
from pbmserv.commands.policy import CHATS
from pbmserv.matches.errors import CommandError
from pbmserv.matches.queries import Queries


class Chatted(Reply):
    """The sender's words go to `userids`, the other players of the board."""

    board: int
    userids: tuple[str, ...]


class NothingToSay(CommandError):
    """A chat without any words."""


class PasswordInWords(CommandError):
    """Words on a chat's own line begin with a player's `userid`, as other commands do before a password."""

    userid: str


class NobodyListens(CommandError):
    """No other player of the board is there to be told, or wants to hear from the sender."""


class TooMuchTalk(CommandError):
    """The board was sent around `limit` times within an hour, so nothing more is said on it for a while."""

    limit: int


def run(request: Request, records: Queries, now: datetime) -> Decision:
    """Has the board sent to everybody on it, with the words; it may be over."""
    board, seat = find_seat(request, records)
    number, author = board.match.number, board.match.userids[seat]
    first, *more = request.arguments.text.split() or [""]
    named = records.player(first) if more else None
    if named is not None:
        raise PasswordInWords(board=number, userid=named.userid)
    if not request.comment.strip():
        raise NothingToSay(board=number)
    listeners = tuple(
        player.userid
        for userid in board.match.userids
        if userid != author
        and (player := records.player(userid)) is not None
        and not records.is_blocked(author, by=player.userid)
    )
    if not listeners:
        raise NobodyListens(board=number)
    if CHATS.left(records.counted, f"board {number}", now) <= 0:
        raise TooMuchTalk(board=number, limit=CHATS.most)
    return Decision(Chatted(number, listeners), boards=(board,))


command = Command(
    name="chat",
    forms=("[game] chat board [text]",),
    summary="say something to the other players of a board",
    example="chat 101 Well played!",
    run=run,
    scope="board",
)
