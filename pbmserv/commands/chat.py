"""`chat`: say something to the other players of a board."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from pbmserv.commands.base.arguments import BoardArguments
from pbmserv.commands.base.decision import Decision, Reply
from pbmserv.commands.base.lookup import find_seat
from pbmserv.commands.base.policy import CHATS
from pbmserv.commands.base.registry import PlayerCommand
from pbmserv.commands.base.request import PlayerRequest
from pbmserv.matches.errors import CommandError
from pbmserv.matches.queries import Queries


@dataclass(frozen=True, slots=True)
class ChatArguments(BoardArguments):
    """A board, and words for its players."""

    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Chatted(Reply):
    """The sender's words go to `userids`, the other players of the board."""

    template: ClassVar[str] = "commands/chat.txt:chatted"

    board: int
    userids: tuple[str, ...]


@dataclass(kw_only=True)
class NothingToSay(CommandError):
    """A chat without any words."""

    template: ClassVar[str] = "commands/chat.txt:nothing_to_say"


@dataclass(kw_only=True)
class PasswordInWords(CommandError):
    """Words on a chat's own line begin with a player's `userid`, as other commands do before a password."""

    template: ClassVar[str] = "commands/chat.txt:password_in_words"

    userid: str


@dataclass(kw_only=True)
class NobodyListens(CommandError):
    """No other player of the board is there to be told, or wants to hear from the sender."""

    template: ClassVar[str] = "commands/chat.txt:nobody_listens"


@dataclass(kw_only=True)
class TooMuchTalk(CommandError):
    """The board was sent around `limit` times within an hour, so nothing more is said on it for a while."""

    template: ClassVar[str] = "commands/chat.txt:too_much_talk"

    limit: int


def run(request: PlayerRequest[ChatArguments], records: Queries, now: datetime) -> Decision:
    """Has the board sent to everybody on it, with the words; it may be over."""
    found = find_seat(request, records)
    board, seat = found
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


command = PlayerCommand(
    name="chat",
    kind="binding",
    forms=("[game] chat board [text]",),
    summary="say something to the other players of a board",
    example="chat 101 Well played!",
    arguments=ChatArguments,
    run=run,
    help="commands/chat.txt:help_chat",
    scope="board",
)
