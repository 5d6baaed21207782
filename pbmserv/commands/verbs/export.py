"""`export`: everything that is kept about a player."""

from datetime import date, datetime
from typing import Final

from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.replies.account import Exported
from pbmserv.commands.verbs.set import settings_of
from pbmserv.matches.records import Records, Wanted
from pbmserv.matches.refusals import Refused

MOST_BOARDS: Final = 1000


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Gathers it; the answer goes to an address of the player."""
    player = request.actor.player
    if player is None:
        raise ValueError("an export without a player")
    found = records.boards(Wanted(userids=(player.userid,), filter="all", count=MOST_BOARDS))
    return Decision(
        Exported(
            userid=player.userid,
            settings=settings_of(player),
            vacations=tuple(records.vacations(player, date.min)),
            watched=tuple(records.watched(player)),
            blocked=tuple(records.blocked_by(player.userid)),
            boards=found.lines,
            total=found.total,
            kept=records.kept_about(player),
        )
    )


command = Command(
    name="export",
    kind="binding",
    forms=("export [userid password]",),
    summary="get everything that is kept about you",
    example="export",
    run=run,
)
