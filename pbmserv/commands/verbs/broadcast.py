"""`broadcast`: write to all who want to hear it."""

from datetime import datetime, timedelta
from typing import Final

from pbmserv.commands.changes import Said
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.talk import NobodyTunedIn, NoWords, TooManyBroadcasts
from pbmserv.commands.replies.talk import Broadcasted, BroadcastFrom
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused

MOST_A_DAY: Final = 1


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Has the words sent to everybody who has set `broadcast on` and has not blocked the sender."""
    author = request.actor.player
    if author is None:
        raise ValueError("a broadcast without a player")
    text = request.comment.strip("\n")
    if not text.strip():
        return NoWords(ready="broadcast")
    if records.said_since(author, "broadcast", now - timedelta(days=1)) >= MOST_A_DAY:
        return TooManyBroadcasts(limit=MOST_A_DAY)
    others = (userid for userid in records.listeners() if userid != author.userid)
    reached = [userid for userid in others if not records.is_blocked(author.userid, by=userid)]
    if not reached:
        return NobodyTunedIn()
    words = BroadcastFrom(author.userid, text)
    return Decision(
        Broadcasted(len(reached)),
        changes=(Said(author.id, "broadcast"),),
        tells=tuple((userid, words) for userid in reached),
    )


command = Command(
    name="broadcast",
    kind="binding",
    forms=("broadcast",),
    summary="write to all players who want to hear such things",
    example="broadcast",
    run=run,
)
