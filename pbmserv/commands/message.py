"""`message`: write to other players."""

from dataclasses import field
from datetime import datetime
from typing import Final

from pbmserv.commands.command import Command, Decision, Notifications, Reply, Request
from pbmserv.commands.lookup import named_players
from pbmserv.commands.policy import FROM_STRANGERS, MESSAGES_A_DAY, MESSAGES_AN_HOUR
from pbmserv.matches.errors import CommandError
from pbmserv.matches.player import Player
from pbmserv.matches.queries import Queries


class Messaged(Reply):
    """The sender's words go to `userids`; `unreached` cannot be sent any, which may have any reason.

    `full` have had `a_day` today from people whom they have never played with; the sender is `author`.
    """

    userids: tuple[str, ...]
    unreached: tuple[str, ...]
    full: tuple[str, ...] = ()
    author: str = ""
    a_day: int = 0


class MessageFrom(Reply):
    """To a player: what `author` writes to them, and to the `others` besides."""

    author: str
    others: tuple[str, ...]
    text: str = field(repr=False)


class NoWords(CommandError):
    """A message or a broadcast without any words; `ready` is the line that they are to stand below."""

    ready: str


class TooManyRecipients(CommandError):
    """A message goes to so many players at most."""

    limit: int


class TooManyMessages(CommandError):
    """So many messages within an hour, or a day, are all that one player may send; counted by who gets them."""

    an_hour: int
    a_day: int


class NobodyReached(CommandError):
    """None of `userids` can be sent a message from this sender: whether any is blocked is not told.

    `full` have had `a_day` today from people whom they have never played with; the sender is `author`.
    """

    userids: tuple[str, ...]
    full: tuple[str, ...] = ()
    author: str = ""
    a_day: int = 0


MOST_RECIPIENTS: Final = 10


def run(request: Request, records: Queries, now: datetime) -> Decision:
    """Has the words sent to those named who can be sent any; who has blocked the sender is not told."""
    author = request.player
    if len({userid.lower() for userid in request.arguments.userids}) > MOST_RECIPIENTS:
        raise TooManyRecipients(limit=MOST_RECIPIENTS)
    userids = named_players(request.arguments.userids, records)
    text = request.comment.strip("\n")
    if not text.strip():
        raise NoWords(ready=f"message {' '.join(userids)}")
    named = [player for player in map(records.player, userids) if player is not None]
    strangers = {each.userid: each for each in named if not records.have_played(author, each)}
    heard = tuple(each.userid for each in named if _is_reached(each, author, each.userid in strangers, records))
    full = tuple(each for each in heard if each in strangers and _has_had_enough(strangers[each], records, now))
    reached = tuple(userid for userid in heard if userid not in full)
    unreached = tuple(userid for userid in userids if userid not in heard)
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
        notifications=Notifications(
            to_players=tuple((to, MessageFrom(author.userid, _others(to, reached), text)) for to in reached)
        ),
    )


def is_heard_by(author: Player, player: Player, records: Queries) -> bool:
    """Whether a player can be sent what `author` says: a person who gets mail, and has not blocked them."""
    is_there = player.is_confirmed and player.robot is None and not player.is_banned
    return is_there and not records.is_blocked(author.userid, by=player.userid)


def _is_reached(player: Player, author: Player, is_stranger: bool, records: Queries) -> bool:
    is_wanted = player.mail.messages == "on" or (player.mail.messages == "known" and not is_stranger)
    return is_wanted and is_heard_by(author, player, records)


def _has_had_enough(player: Player, records: Queries, now: datetime) -> bool:
    return FROM_STRANGERS.left(records.counted, str(player.id), now) <= 0


def _would_be_too_many(author: Player, count: int, records: Queries, now: datetime) -> bool:
    limits = (MESSAGES_AN_HOUR, MESSAGES_A_DAY)
    return any(limit.left(records.counted, str(author.id), now) < count for limit in limits)


def _others(to: str, reached: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(userid for userid in reached if userid != to)


command = Command(
    name="message",
    forms=("message userid+: text", "message userid+"),
    summary="write to other players; addresses stay hidden",
    example="message bob: Shall we play?",
    run=run,
    scope="players",
)
