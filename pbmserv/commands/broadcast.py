"""`broadcast`: write to all players who want to read such things."""

from dataclasses import field
from datetime import datetime

from pbmserv.commands.command import Command, Decision, Notifications, Reply, Request
from pbmserv.commands.message import NoWords
from pbmserv.commands.policy import BROADCASTS
from pbmserv.matches.errors import CommandError
from pbmserv.matches.queries import Queries


class Broadcasted(Reply):
    """The sender's words go to so many players who want to hear what is written to all."""

    count: int


class BroadcastFrom(Reply):
    """To a player: what `author` writes to all."""

    author: str
    text: str = field(repr=False)


class TooManyBroadcasts(CommandError):
    """One player writes to all so many times a day."""

    limit: int


class NobodyTunedIn(CommandError):
    """Nobody else wants to hear what is written to all, at least not from this sender."""


def run(request: Request, records: Queries, now: datetime) -> Decision:
    """Has the words sent to everybody who has set `broadcast on` and has not blocked the sender."""
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
        notifications=Notifications(to_players=tuple((userid, words) for userid in reached)),
    )


command = Command(
    name="broadcast",
    forms=("broadcast",),
    summary="write to all players who want broadcasts",
    example="broadcast",
    run=run,
)
