"""`chat`, `message`, `broadcast`, `block` and `unblock`: what players write to each other, and who gets it."""

from dataclasses import field
from datetime import datetime
from typing import Final

from pbmserv.commands.changes import BlockChange
from pbmserv.commands.command import Command, Decision, Reply, Request
from pbmserv.commands.lookup import find_player, find_seat, named_players
from pbmserv.commands.policy import BROADCASTS, CHATS, FROM_STRANGERS, MESSAGES_A_DAY, MESSAGES_AN_HOUR
from pbmserv.matches.errors import CommandError
from pbmserv.matches.player import Player
from pbmserv.matches.queries import ListingQuery, Queries


class Chatted(Reply):
    """The sender's text goes to `userids`, the other players of the board."""

    board: int
    userids: tuple[str, ...]


class NothingToSay(CommandError):
    """A chat without text."""


class PasswordInWords(CommandError):
    """The text on a chat's line begins with a player's `userid`, as other commands do before a password."""

    userid: str


class NobodyListens(CommandError):
    """No other player of the board is left, or all have blocked the sender."""


class TooMuchTalk(CommandError):
    """The board was sent out for chats `limit` times within an hour, so no more are sent for a while."""

    limit: int


def run_chat(request: Request, records: Queries, now: datetime) -> Decision:
    """Sends the board with the text to all its players; the game may be over."""
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


chat_command = Command(
    name="chat",
    forms=("[game] chat board [text]",),
    summary="say something to the other players of a board",
    example="chat 101 Well played!",
    run=run_chat,
    scope="board",
)


class Messaged(Reply):
    """The sender's text goes to `userids`; `unreached` get none, for a reason that is not given.

    `full` have had `a_day` today from people whom they have never played with; the sender is `author`.
    """

    userids: tuple[str, ...]
    unreached: tuple[str, ...]
    full: tuple[str, ...] = ()
    author: str = ""
    a_day: int = 0


class MessageFrom(Reply):
    """To a player: the text of `author` to them and to the `others`."""

    author: str
    others: tuple[str, ...]
    text: str = field(repr=False)


class NoWords(CommandError):
    """A message or a broadcast without text; `ready` is the line to write it below."""

    ready: str


class TooManyRecipients(CommandError):
    """A message names more than `limit` players."""

    limit: int


class TooManyMessages(CommandError):
    """The sender has sent `an_hour` messages in an hour, or `a_day` in a day; each reader counts as one."""

    an_hour: int
    a_day: int


class NobodyReached(CommandError):
    """None of `userids` gets messages from this sender; the answer does not say whether they have blocked them.

    `full` have had `a_day` today from people whom they have never played with; the sender is `author`.
    """

    userids: tuple[str, ...]
    full: tuple[str, ...] = ()
    author: str = ""
    a_day: int = 0


MOST_RECIPIENTS: Final = 10


def run_message(request: Request, records: Queries, now: datetime) -> Decision:
    """Sends the text to the named players who accept it; the sender does not learn who has blocked them."""
    author = request.player
    if len({userid.lower() for userid in request.arguments.userids}) > MOST_RECIPIENTS:
        raise TooManyRecipients(limit=MOST_RECIPIENTS)
    userids = named_players(request.arguments.userids, records)
    text = request.comment.strip("\n")
    if not text.strip():
        raise NoWords(ready=f"message {' '.join(userids)}")
    named = [player for player in map(records.player, userids) if player is not None]
    strangers = {each.userid: each for each in named if not records.have_played(author, each)}
    willing = tuple(each.userid for each in named if _is_reached(each, author, each.userid in strangers, records))
    full = tuple(each for each in willing if each in strangers and _has_had_enough(strangers[each], records, now))
    reached = tuple(userid for userid in willing if userid not in full)
    unreached = tuple(userid for userid in userids if userid not in willing)
    if not reached:
        raise NobodyReached(userids=unreached, full=full, author=author.userid, a_day=FROM_STRANGERS.most)
    if _would_be_too_many(author, len(reached), records, now):
        raise TooManyMessages(an_hour=MESSAGES_AN_HOUR.most, a_day=MESSAGES_A_DAY.most)
    return Decision(
        Messaged(reached, unreached, full, author.userid, FROM_STRANGERS.most),
        changes=(
            *(MESSAGES_A_DAY.count(str(author.id)) for _ in reached),
            *(FROM_STRANGERS.count(str(strangers[userid].id)) for userid in reached if userid in strangers),
        ),
        to_players=tuple((to, MessageFrom(author.userid, _others(to, reached), text)) for to in reached),
    )


def _can_message(author: Player, player: Player, records: Queries) -> bool:
    # Robots get no mail, and a blocked author's messages are not delivered.
    is_there = player.is_confirmed and player.robot is None and not player.is_banned
    return is_there and not records.is_blocked(author.userid, by=player.userid)


def _is_reached(player: Player, author: Player, is_stranger: bool, records: Queries) -> bool:
    is_wanted = player.mail.messages == "on" or (player.mail.messages == "known" and not is_stranger)
    return is_wanted and _can_message(author, player, records)


def _has_had_enough(player: Player, records: Queries, now: datetime) -> bool:
    return FROM_STRANGERS.left(records.counted, str(player.id), now) <= 0


def _would_be_too_many(author: Player, count: int, records: Queries, now: datetime) -> bool:
    limits = (MESSAGES_AN_HOUR, MESSAGES_A_DAY)
    return any(limit.left(records.counted, str(author.id), now) < count for limit in limits)


def _others(to: str, reached: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(userid for userid in reached if userid != to)


message_command = Command(
    name="message",
    forms=("message userid+: text", "message userid+"),
    summary="write to other players; addresses stay hidden",
    example="message bob: Shall we play?",
    run=run_message,
    scope="players",
)


class Broadcasted(Reply):
    """The sender's text goes to `count` players who have set `broadcast on`."""

    count: int


class BroadcastFrom(Reply):
    """To a player: the text of `author` to everybody."""

    author: str
    text: str = field(repr=False)


class TooManyBroadcasts(CommandError):
    """The sender has sent `limit` broadcasts today."""

    limit: int


class NobodyTunedIn(CommandError):
    """Nobody else has set `broadcast on`, or all who did have blocked the sender."""


def run_broadcast(request: Request, records: Queries, now: datetime) -> Decision:
    """Sends the text to everybody who has set `broadcast on` and has not blocked the sender."""
    author = request.player
    text = request.comment.strip("\n")
    if not text.strip():
        raise NoWords(ready="broadcast")
    if BROADCASTS.left(records.counted, str(author.id), now) <= 0:
        raise TooManyBroadcasts(limit=BROADCASTS.most)
    others = (userid for userid in records.listeners() if userid != author.userid)
    reached = [userid for userid in others if not records.is_blocked(author.userid, by=userid)]
    if not reached:
        raise NobodyTunedIn()
    words = BroadcastFrom(author.userid, text)
    return Decision(
        Broadcasted(len(reached)),
        changes=(BROADCASTS.count(str(author.id)),),
        to_players=tuple((userid, words) for userid in reached),
    )


broadcast_command = Command(
    name="broadcast",
    forms=("broadcast",),
    summary="write to all players who want broadcasts",
    example="broadcast",
    run=run_broadcast,
)


class Blocked(Reply):
    """`userid` is blocked; games that both still play, on `boards`, go on."""

    userid: str
    boards: tuple[int, ...]


class Unblocked(Reply):
    """`userid` is no longer blocked."""

    userid: str


class NotYourself(CommandError):
    """Players cannot block themselves."""

    userid: str


class NotBlocked(CommandError):
    """`userid` was not blocked; `blocked` lists those who are."""

    userid: str
    blocked: tuple[str, ...]


_MOST_LOOKED_AT = 50


def run_block(request: Request, records: Queries, now: datetime) -> Decision:
    """Blocks that player's challenges, chat and comments; running games go on."""
    player, other = request.player, find_player(request.arguments.userid, records)
    if other.id == player.id:
        raise NotYourself(userid=player.userid)
    together = _played_together(player.userid, other.userid, records)
    return Decision(Blocked(other.userid, together), changes=(BlockChange(player.id, other.id),))


def _played_together(one: str, other: str, records: Queries) -> tuple[int, ...]:
    """The running games that both players are still in."""
    lines = records.boards(ListingQuery(userids=(one, other), count=_MOST_LOOKED_AT)).lines
    boards = (records.board(line.number) for line in lines)
    return tuple(sorted(board.match.number for board in boards if board and {one, other} <= board.playing))


block_command = Command(
    name="block",
    forms=("block [userid password] userid",),
    summary="take no games and no words from a player",
    example="block bob",
    run=run_block,
)


def run_unblock(request: Request, records: Queries, now: datetime) -> Decision:
    """Lifts a block."""
    player, other = request.player, find_player(request.arguments.userid, records)
    if not records.is_blocked(other.userid, by=player.userid):
        raise NotBlocked(userid=other.userid, blocked=tuple(records.blocked_by(player.userid)))
    return Decision(Unblocked(other.userid), changes=(BlockChange(player.id, other.id, is_lifted=True),))


unblock_command = Command(
    name="unblock",
    forms=("unblock [userid password] userid",),
    summary="hear from a blocked player again",
    example="unblock bob",
    run=run_unblock,
)
