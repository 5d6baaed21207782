"""`broadcast`: write to all players who want to read such things."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from pbmserv.commands.base.arguments import NoArguments
from pbmserv.commands.base.decision import Decision, Notifications, Reply
from pbmserv.commands.base.policy import BROADCASTS
from pbmserv.commands.base.registry import PlayerCommand
from pbmserv.commands.base.request import PlayerRequest
from pbmserv.commands.message import NoWords
from pbmserv.matches.errors import CommandError
from pbmserv.matches.queries import Queries


@dataclass(frozen=True, slots=True)
class Broadcasted(Reply):
    """The sender's words go to so many players who want to hear what is written to all."""

    template: ClassVar[str] = "commands/broadcast.txt:broadcasted"

    count: int


@dataclass(frozen=True, slots=True)
class BroadcastFrom(Reply):
    """To a player: what `author` writes to all."""

    template: ClassVar[str] = "commands/broadcast.txt:broadcast_from"

    author: str
    text: str = field(repr=False)


@dataclass(kw_only=True)
class TooManyBroadcasts(CommandError):
    """One player writes to all so many times a day."""

    template: ClassVar[str] = "commands/broadcast.txt:too_many_broadcasts"

    limit: int


@dataclass(kw_only=True)
class NobodyTunedIn(CommandError):
    """Nobody else wants to hear what is written to all, at least not from this sender."""

    template: ClassVar[str] = "commands/broadcast.txt:nobody_tuned_in"


def run(request: PlayerRequest[NoArguments], records: Queries, now: datetime) -> Decision:
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


command = PlayerCommand(
    name="broadcast",
    kind="binding",
    forms=("broadcast",),
    summary="write to all players who want broadcasts",
    example="broadcast",
    arguments=NoArguments,
    run=run,
    help="commands/broadcast.txt:help_broadcast",
)
