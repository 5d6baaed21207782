"""`message`: write to other players, whose addresses stay hidden."""

from datetime import datetime, timedelta
from typing import Final

from pbmserv.commands.boards import named_players
from pbmserv.commands.changes import Said
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.talk import NobodyReached, NoWords, TooManyMessages, TooManyRecipients
from pbmserv.commands.replies.talk import Messaged, MessageFrom
from pbmserv.matches.player import Player
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused

MOST_RECIPIENTS: Final = 10
MOST_AN_HOUR: Final = 20
MOST_A_DAY: Final = 60
"""Messages of one player, each counted once for everybody who gets it."""

MOST_FROM_STRANGERS: Final = 5
"""Messages a day to one player, from all together whom that player has never played with."""


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Has the words sent to those named who can be sent any; who has blocked the sender is not told."""
    author = request.actor.player
    if author is None:
        raise ValueError("a message without a player")
    if len({userid.lower() for userid in request.arguments.userids}) > MOST_RECIPIENTS:
        return TooManyRecipients(limit=MOST_RECIPIENTS)
    userids = named_players(request, records)
    if isinstance(userids, Refused):
        return userids
    text = request.comment.strip("\n")
    if not text.strip():
        return NoWords(ready=f"message {' '.join(userids)}")
    named = [player for player in map(records.player, userids) if player is not None]
    strangers = {each.userid: each for each in named if not records.have_played(author, each)}
    heard = tuple(each.userid for each in named if _is_reached(each, author, each.userid in strangers, records))
    full = tuple(each for each in heard if each in strangers and _has_had_enough(strangers[each], records, now))
    reached = tuple(userid for userid in heard if userid not in full)
    unreached = tuple(userid for userid in userids if userid not in heard)
    if not reached:
        return NobodyReached(userids=unreached, full=full, author=author.userid, a_day=MOST_FROM_STRANGERS)
    if _would_be_too_many(author, len(reached), records, now):
        return TooManyMessages(an_hour=MOST_AN_HOUR, a_day=MOST_A_DAY)
    return Decision(
        Messaged(reached, unreached, full, author.userid, MOST_FROM_STRANGERS),
        changes=tuple(
            Said(author.id, "message", strangers[userid].id if userid in strangers else None) for userid in reached
        ),
        tells=tuple((to, MessageFrom(author.userid, _others(to, reached), text)) for to in reached),
    )


def is_heard_by(author: Player, player: Player, records: Records) -> bool:
    """Whether a player can be sent what `author` says: a person who gets mail, and has not blocked them."""
    is_there = player.is_confirmed and player.robot is None and not player.is_banned
    return is_there and not records.is_blocked(author.userid, by=player.userid)


def _is_reached(player: Player, author: Player, is_stranger: bool, records: Records) -> bool:
    is_wanted = player.messages == "on" or (player.messages == "known" and not is_stranger)
    return is_wanted and is_heard_by(author, player, records)


def _has_had_enough(player: Player, records: Records, now: datetime) -> bool:
    return records.from_strangers_since(player, now - timedelta(days=1)) >= MOST_FROM_STRANGERS


def _would_be_too_many(author: Player, count: int, records: Records, now: datetime) -> bool:
    an_hour = records.said_since(author, "message", now - timedelta(hours=1))
    a_day = records.said_since(author, "message", now - timedelta(days=1))
    return an_hour + count > MOST_AN_HOUR or a_day + count > MOST_A_DAY


def _others(to: str, reached: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(userid for userid in reached if userid != to)


command = Command(
    name="message",
    kind="binding",
    forms=("message userid+: text", "message userid+"),
    summary="write to other players; addresses stay hidden",
    example="message bob: Shall we play?",
    run=run,
    scope="players",
)
